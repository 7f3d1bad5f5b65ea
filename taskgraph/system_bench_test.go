package taskgraph_test

import (
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/heddle-go/heddle/taskgraph"
)

// A contender does burst tasks in its own way.
type contender struct {
	name string
	run  func()
}

const burst = 1 << 14

// BenchmarkSideBySide runs the ways to start a task in turn, A B C A B C, so that all meet the
// machine in the same mood, and reports the median of each, per task, and its allocations.
func BenchmarkSideBySide(b *testing.B) {
	for _, w := range []int{1, 2} {
		b.Run(fmt.Sprint("workers=", w), func(b *testing.B) {
			s := start(b, taskgraph.Options{Workers: w})
			sideBySide(b, append(systemContenders(b, s), goroutines, channelChain))
		})
	}
}

func sideBySide(b *testing.B, cs []contender) {
	times := make([][]time.Duration, len(cs))
	allocs := make([]uint64, len(cs))
	for _, c := range cs {
		c.run() // warm-up
	}
	var before, after runtime.MemStats
	for b.Loop() {
		for i, c := range cs {
			runtime.GC() // or this one would pay for the garbage of the one before
			runtime.ReadMemStats(&before)
			t := time.Now()
			c.run()
			times[i] = append(times[i], time.Since(t))
			runtime.ReadMemStats(&after)
			allocs[i] += after.Mallocs - before.Mallocs
		}
	}
	for i, c := range cs {
		slices.Sort(times[i])
		b.ReportMetric(float64(times[i][len(times[i])/2])/burst, c.name+"-ns/task")
		b.ReportMetric(float64(allocs[i])/float64(len(times[i]))/burst, c.name+"-allocs/task")
	}
	b.ReportMetric(0, "ns/op")
}

func systemContenders(b *testing.B, s *taskgraph.System) []contender {
	do := func() {}
	body := taskgraph.Do(do)
	events := make([]taskgraph.Event, burst)
	inside := func(f func(c *taskgraph.Context) error) func() {
		body := taskgraph.Run(f)
		return func() { must(b, s.WaitUntilTasksComplete(bg, s.Task(body).Launch())) }
	}
	return []contender{
		{"inside", inside(func(c *taskgraph.Context) error {
			for i := range events {
				events[i] = c.Spawn(body)
			}
			return c.WaitUntilTasksComplete(bg, events...)
		})},
		{"outside", func() {
			for i := range events {
				events[i] = s.Go(do)
			}
			must(b, s.WaitUntilTasksComplete(bg, events...))
		}},
		{"node", inside(func(c *taskgraph.Context) error { // a chain: one prerequisite each
			var e taskgraph.Event
			for range burst {
				e = c.Task(body).After(e).Launch()
			}
			c.DontCompleteUntil(e)
			return nil
		})},
	}
}

// goroutines is the textbook way: go and a WaitGroup.
var goroutines = contender{"goroutine", func() {
	var wg sync.WaitGroup
	wg.Add(burst)
	for range burst {
		go func() { wg.Done() }()
	}
	wg.Wait()
}}

// channelChain is a chain of goroutines, each waiting for the channel of the one before.
var channelChain = contender{"goroutine-node", func() {
	prev := make(chan struct{})
	close(prev)
	for range burst {
		next := make(chan struct{})
		go func(prev chan struct{}) { <-prev; close(next) }(prev)
		prev = next
	}
	<-prev
}}

func must(b *testing.B, err error) {
	if err != nil {
		b.Fatal(err)
	}
}

// BenchmarkFib spawns a task for each call of fib(22), with a closure each; the unit is a
// task. The last row has isolated waits.
func BenchmarkFib(b *testing.B) {
	const n, tasks = 22, 28656
	for name, o := range map[string]taskgraph.Options{"workers=1": {Workers: 1},
		"workers=2": {Workers: 2}, "isolated": {Workers: 1, IsolateWaits: true}} {
		b.Run(name, func(b *testing.B) {
			s := start(b, o)
			var fib func(c *taskgraph.Context, n int) int
			fib = func(c *taskgraph.Context, n int) int {
				if n < 2 {
					return n
				}
				var x int
				e := c.Spawn(taskgraph.Run(func(c *taskgraph.Context) error {
					x = fib(c, n-1)
					return nil
				}))
				y := fib(c, n-2)
				_ = c.WaitUntilTasksComplete(bg, e)
				return x + y
			}
			body := taskgraph.Run(func(c *taskgraph.Context) error { fib(c, n); return nil })
			for b.Loop() {
				must(b, s.WaitUntilTasksComplete(bg, s.Task(body).Launch()))
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/tasks, "ns/task")
		})
	}
}
