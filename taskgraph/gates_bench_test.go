package taskgraph_test

import (
	"testing"

	"github.com/heddle-go/heddle/taskgraph"
)

// BenchmarkGates is what a gate adds to a task that is launched by a body.
func BenchmarkGates(b *testing.B) {
	nop := taskgraph.Do(func() {})
	s := start(b, taskgraph.Options{Workers: 1})
	p, l, m := s.NewPipe(), s.NewLimiter(8), s.NewSemaphore(8)
	release := taskgraph.Do(m.Release)
	for _, bench := range []struct {
		name   string
		launch func(c *taskgraph.Context)
	}{
		{"none", func(c *taskgraph.Context) { c.Task(nop).Launch() }},
		{"pipe", func(c *taskgraph.Context) { c.Task(nop).In(p).Launch() }},
		{"limiter", func(c *taskgraph.Context) { c.Task(nop).Limit(l).Launch() }},
		{"semaphore", func(c *taskgraph.Context) { c.Task(release).Acquire(m).Launch() }},
		{"all", func(c *taskgraph.Context) { c.Task(release).In(p).Limit(l).Acquire(m).Launch() }},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			for left := b.N; left > 0; left -= 1000 {
				run(b, s, func(c *taskgraph.Context) error {
					for range min(left, 1000) {
						bench.launch(c)
					}
					return nil
				})
				if err := s.WaitUntilTasksComplete(bg, p.Idle()); err != nil {
					b.Fatal(err)
				}
				if err := s.WaitUntilTasksComplete(bg, l.Idle()); err != nil {
					b.Fatal(err)
				}
				for range 8 {
					if err := m.Acquire(bg); err != nil {
						b.Fatal(err)
					}
				}
				for range 8 {
					m.Release()
				}
			}
		})
	}
}
