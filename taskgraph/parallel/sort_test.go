package parallel_test

import (
	"cmp"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/taskgraph"
	"github.com/heddle-go/heddle/taskgraph/parallel"
)

// Whatever a comparison says, and however it ends, each element is in the slice once.
func TestSortPermutesWhateverTheComparisonSays(t *testing.T) {
	all := systems(t)
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.SampledFrom([]int{100, 8192, 8193, 20_000, 70_001}).Draw(rt, "n")
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 0))
		x := make([]pair, n)
		for i := range x {
			x[i] = pair{r.IntN(n), i}
		}
		var calls atomics.Uint64
		salt := r.Uint64()
		draw := func(n uint64) int { // from 0 to n-1, by the number of the call
			return int(rand.NewPCG(salt, calls.Add(1)).Uint64() % n)
		}
		after := uint64(rapid.IntRange(1, 20*n).Draw(rt, "calls before the end"))
		ends := func(a, b pair, end func()) int {
			if calls.Add(1) == after {
				end()
			}
			return byKey(a, b)
		}
		nan := func(x int) float64 {
			if x%8 == 0 {
				return math.NaN()
			}
			return float64(x)
		}
		var want error
		said := rapid.SampledFrom([]string{"random", "less", "greater", "both", "circle", "NaN",
			"liar", "panic", "stop", "Goexit"}).Draw(rt, "comparison")
		order := map[string]func(a, b pair) int{
			"random":  func(_, _ pair) int { return draw(3) - 1 },
			"less":    func(_, _ pair) int { return -1 },
			"greater": func(_, _ pair) int { return 1 },
			// a < b and b < a, and always so
			"both":   func(a, b pair) int { return (a.key*31+b.key*17)%3 - 1 },
			"circle": func(a, b pair) int { return (a.key-b.key+3*n)%3 - 1 }, // 0 < 1 < 2 < 0
			"NaN": func(a, b pair) int { // is equal to all, who are not equal to each other
				switch x, y := nan(a.key), nan(b.key); {
				case x < y:
					return -1
				case x > y:
					return 1
				}
				return 0
			},
			"liar": func(a, b pair) int { // once in a while
				if draw(100) == 0 {
					return -byKey(a, b)
				}
				return byKey(a, b)
			},
			"panic": func(a, b pair) int { return ends(a, b, func() { panic(errBoom) }) },
			"stop": func(a, b pair) int {
				return ends(a, b, func() { panic(taskgraph.ErrStopLoop) })
			},
			"Goexit": func(a, b pair) int { return ends(a, b, runtime.Goexit) },
		}[said]
		switch said {
		case "panic":
			want = errBoom
		case "stop":
			want = taskgraph.ErrStopLoop
		case "Goexit":
			want = graphevent.ErrGoexit
		}
		sort := parallel.SortFunc[pair]
		if rapid.Bool().Draw(rt, "stable") {
			sort = parallel.SortStableFunc[pair]
		}
		s := all[rapid.IntRange(1, len(all)).Draw(rt, "workers")-1]
		opts := taskgraph.Loop{Unbalanced: rapid.Bool().Draw(rt, "unbalanced"),
			Limit: rapid.IntRange(0, 3).Draw(rt, "limit")}
		inBody := rapid.Bool().Draw(rt, "in a body")
		err := graphevent.ErrGoexit // of the goroutine that calls
		done := make(chan struct{})
		go func() {
			defer close(done)
			if inBody {
				err = s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
					return sort(parallel.With(c, opts), x, order)
				})).Launch().Wait(bg)
			} else {
				err = sort(parallel.With(s, opts), x, order)
			}
		}()
		<-done
		seen := make([]bool, n)
		for _, p := range x {
			require.False(rt, seen[p.place], "%d is there twice", p.place)
			seen[p.place] = true
		}
		if want != nil && calls.Load() >= after {
			require.ErrorIs(rt, err, want)
		} else {
			require.NoError(rt, err)
		}
	})
}

// With an order that holds, no comparison is made for the sake of those that do not.
func TestSortMergesOnce(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 1})
	const n = 1 << 15
	x := make([]int, n)
	for i := range x {
		x[i] = i * 7919 % n
	}
	var calls atomics.Int64
	require.NoError(t, parallel.SortFunc(s, x, func(a, b int) int {
		calls.Add(1)
		return cmp.Compare(a, b)
	}))
	for i, v := range x {
		require.Equal(t, i, v)
	}
	// 15 rounds of a merge sort, and a third more for the runs, which package slices sorts.
	require.Less(t, calls.Load(), int64(15*n*4/3))
}

// TestSortOfFewTakesNoCopy sorts as many elements as are sorted in place, and looks at the memory
// that the whole program takes meanwhile: of some tries the one in which nobody else took any.
func TestSortOfFewTakesNoCopy(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 2})
	const n = 8000
	x, order := make([]int, n), func(a, b int) int { return b - a }
	for name, sort := range map[string]func() error{
		"Sort":           func() error { return parallel.Sort(s, x) },
		"SortFunc":       func() error { return parallel.SortFunc(s, x, order) },
		"SortStableFunc": func() error { return parallel.SortStableFunc(s, x, order) },
	} {
		least := uint64(math.MaxUint64)
		for range 20 {
			for i := range x {
				x[i] = i * 7919 % n
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			require.NoError(t, sort())
			runtime.ReadMemStats(&after)
			least = min(least, after.TotalAlloc-before.TotalAlloc)
		}
		require.Less(t, least, uint64(8*n/2), name)
	}
}
