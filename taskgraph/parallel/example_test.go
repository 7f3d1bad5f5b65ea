package parallel_test

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/heddle-go/heddle/taskgraph"
	"github.com/heddle-go/heddle/taskgraph/parallel"
)

// Values made before, one for each participant; those that had nothing to do stay empty.
func ExampleRangeWith() {
	sys := taskgraph.Start(taskgraph.Options{})
	defer sys.Shutdown(context.Background())

	longest := make([]string, sys.LoopLimit())
	words := strings.Fields("weft warp shuttle reed")
	err := parallel.RangeWith(sys, len(words), longest, func(best *string, lo, hi int) error {
		for _, w := range words[lo:hi] {
			if len(w) > len(*best) {
				*best = w
			}
		}
		return nil
	})
	all := ""
	for _, w := range longest {
		if len(w) > len(all) {
			all = w
		}
	}
	fmt.Println(all, err)
	// Output: shuttle <nil>
}

// Values made by the participants that take part.
func ExampleRangeNew() {
	sys := taskgraph.Start(taskgraph.Options{})
	defer sys.Shutdown(context.Background())

	text := "the quick brown fox"
	counts, err := parallel.RangeNew(sys, len(text),
		func(int) map[byte]int { return map[byte]int{} },
		func(counts *map[byte]int, lo, hi int) error {
			for i := lo; i < hi; i++ {
				(*counts)[text[i]]++
			}
			return nil
		})
	o := 0
	for _, c := range counts {
		o += c['o']
	}
	fmt.Println(o, err)
	// Output: 2 <nil>
}

func ExampleMap() {
	sys := taskgraph.Start(taskgraph.Options{})
	defer sys.Shutdown(context.Background())

	words := []string{"weft", "warp"}
	lengths := make([]int, len(words))
	err := parallel.Map(sys, lengths, words, func(w string) int { return len(w) })
	fmt.Println(lengths, err)
	// Output: [4 4] <nil>
}

func ExampleReduce() {
	sys := taskgraph.Start(taskgraph.Options{})
	defer sys.Shutdown(context.Background())

	total, err := parallel.Reduce(sys, []string{"weft", "warp", "reed"}, 0,
		func(sum int, w string) int { return sum + len(w) },
		func(a, b int) int { return a + b })
	fmt.Println(total, err)
	// Output: 12 <nil>
}

func ExampleScan() {
	sys := taskgraph.Start(taskgraph.Options{})
	defer sys.Shutdown(context.Background())

	x := []int{1, 2, 3, 4}
	err := parallel.Scan(sys, x, x, func(a, b int) int { return a + b })
	fmt.Println(x, err)
	// Output: [1 3 6 10] <nil>
}

// The places at which lists of these lengths begin in one slice.
func ExampleScanExclusive() {
	sys := taskgraph.Start(taskgraph.Options{})
	defer sys.Shutdown(context.Background())

	lengths := []int{3, 1, 2}
	begins := make([]int, len(lengths))
	total, err := parallel.ScanExclusive(sys, begins, lengths, 0, func(a, b int) int {
		return a + b
	})
	fmt.Println(begins, total, err)
	// Output: [0 3 4] 6 <nil>
}

func ExampleSort() {
	sys := taskgraph.Start(taskgraph.Options{})
	defer sys.Shutdown(context.Background())

	x := make([]int, 100_000)
	for i := range x {
		x[i] = i * 7919 % len(x)
	}
	err := parallel.Sort(sys, x)
	fmt.Println(slices.IsSorted(x), err)
	// Output: true <nil>
}

func ExampleSortStableFunc() {
	sys := taskgraph.Start(taskgraph.Options{})
	defer sys.Shutdown(context.Background())

	words := []string{"weft", "warp", "reed", "loom", "by"}
	err := parallel.SortStableFunc(sys, words, func(a, b string) int { return len(a) - len(b) })
	fmt.Println(words, err)
	// Output: [by weft warp reed loom] <nil>
}

// Lines are read in order, worked on by all workers, and written in order.
func ExamplePipeline() {
	sys := taskgraph.Start(taskgraph.Options{})
	defer sys.Shutdown(context.Background())
	ctx := context.Background()

	lines := []string{"weft", "warp", "reed"}
	next := 0
	read := func() (string, bool) {
		if next == len(lines) {
			return "", false
		}
		next++
		return lines[next-1], true
	}
	shout := func(line string) (string, error) { return strings.ToUpper(line), nil }
	write := func(line string) (string, error) { fmt.Println(line); return line, nil }

	err := parallel.Pipeline(ctx, sys, 8, read, parallel.Parallel(shout), parallel.InOrder(write))
	fmt.Println(err)
	// Output:
	// WEFT
	// WARP
	// REED
	// <nil>
}
