package taskgraph_test

import (
	"sync"
	"testing"

	"github.com/heddle-go/heddle/taskgraph"
)

// inside runs f as a task and waits for it and all that it holds open.
func inside(b *testing.B, s *taskgraph.System, f func(c *taskgraph.Context) error) {
	if err := s.WaitUntilTasksComplete(bg, s.Task(taskgraph.Run(f)).Launch()); err != nil {
		b.Fatal(err)
	}
}

const burst = 1 << 14

// BenchmarkSpawnInside launches empty tasks from a body and waits for each; the unit is a
// task.
func BenchmarkSpawnInside(b *testing.B) {
	for _, w := range []int{1, 2} {
		b.Run("heddle/workers="+string(rune('0'+w)), func(b *testing.B) {
			s := start(b, taskgraph.Options{Workers: w})
			body := taskgraph.Do(func() {})
			evs := make([]taskgraph.Event, burst)
			run := func(c *taskgraph.Context) error {
				for i := range evs {
					evs[i] = c.Spawn(body)
				}
				return c.WaitUntilTasksComplete(bg, evs...)
			}
			b.ReportAllocs()
			for b.Loop() {
				inside(b, s, run)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/burst, "ns/task")
		})
	}
	b.Run("goroutines", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var wg sync.WaitGroup
			wg.Add(burst)
			for range burst {
				go func() { wg.Done() }()
			}
			wg.Wait()
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/burst, "ns/task")
	})
}

// BenchmarkSpawnOutside launches empty tasks from a goroutine that is no worker.
func BenchmarkSpawnOutside(b *testing.B) {
	for _, w := range []int{1, 2} {
		b.Run("heddle/workers="+string(rune('0'+w)), func(b *testing.B) {
			s := start(b, taskgraph.Options{Workers: w})
			body := func() {}
			evs := make([]taskgraph.Event, burst)
			b.ReportAllocs()
			for b.Loop() {
				for i := range evs {
					evs[i] = s.Go(body)
				}
				if err := s.WaitUntilTasksComplete(bg, evs...); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/burst, "ns/task")
		})
	}
}

// BenchmarkChain builds and runs a chain of tasks, each the only prerequisite of the next.
func BenchmarkChain(b *testing.B) {
	for _, w := range []int{1, 2} {
		b.Run("heddle/workers="+string(rune('0'+w)), func(b *testing.B) {
			s := start(b, taskgraph.Options{Workers: w})
			body := taskgraph.Do(func() {})
			run := func(c *taskgraph.Context) error {
				var e taskgraph.Event
				for range burst {
					e = c.Task(body).After(e).Launch()
				}
				c.DontCompleteUntil(e)
				return nil
			}
			b.ReportAllocs()
			for b.Loop() {
				inside(b, s, run)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/burst, "ns/task")
		})
	}
	b.Run("goroutines", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var wg sync.WaitGroup
			prev := make(chan struct{})
			close(prev)
			for range burst {
				next := make(chan struct{})
				wg.Add(1)
				go func(prev chan struct{}) { <-prev; close(next); wg.Done() }(prev)
				prev = next
			}
			wg.Wait()
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/burst, "ns/task")
	})
}

// BenchmarkFib spawns a task for each call of fib(22); the unit is a task.
func BenchmarkFib(b *testing.B) {
	const n, tasks = 22, 28656
	for _, w := range []int{1, 2} {
		b.Run("heddle/workers="+string(rune('0'+w)), func(b *testing.B) {
			s := start(b, taskgraph.Options{Workers: w})
			var fib func(c *taskgraph.Context, n int) int
			fib = func(c *taskgraph.Context, n int) int {
				if n < 2 {
					return n
				}
				var x int
				e := c.Spawn(taskgraph.Run(func(c *taskgraph.Context) error { x = fib(c, n-1); return nil }))
				y := fib(c, n-2)
				_ = c.WaitUntilTasksComplete(bg, e)
				return x + y
			}
			run := func(c *taskgraph.Context) error { fib(c, n); return nil }
			for b.Loop() {
				inside(b, s, run)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/tasks, "ns/task")
		})
	}
}
