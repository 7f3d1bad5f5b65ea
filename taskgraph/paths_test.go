package taskgraph_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/taskgraph"
)

// A path is a way to run many small tasks, whose cost for each is bounded by counting.
type path struct {
	name  string
	tasks int
	open  func(t testing.TB, s *taskgraph.System) (pass func())
}

// onPath is how many tasks there are, about.
const onPath = 8192

// paths are the cheap ones; all of them allocate nothing for each task.
var paths = []path{
	{"Group.Go, inside", onPath, func(t testing.TB, s *taskgraph.System) func() {
		g, f := s.NewGroup(), func() {}
		return insidePass(t, s, func(c *taskgraph.Context) error {
			for range onPath {
				g.Go(c, f)
			}
			return g.Wait(c)
		})
	}},
	{"Group.Go, outside", onPath, func(t testing.TB, s *taskgraph.System) func() {
		g, f := s.NewGroup(), func() {}
		return func() {
			for range onPath {
				g.Go(s, f)
			}
			require.NoError(t, g.Wait(bg))
		}
	}},
	{"Context.Spawn", onPath, func(t testing.TB, s *taskgraph.System) func() {
		events, body := make([]taskgraph.Event, onPath), taskgraph.Do(func() {})
		return insidePass(t, s, func(c *taskgraph.Context) error {
			for i := range events {
				events[i] = c.Spawn(body)
			}
			return c.WaitUntilTasksComplete(bg, events...)
		})
	}},
	{"System.Go", onPath, func(t testing.TB, s *taskgraph.System) func() {
		events, f := make([]taskgraph.Event, onPath), func() {}
		return func() {
			for i := range events {
				events[i] = s.Go(f)
			}
			wait(t, s, events...)
		}
	}},
	{"Task.After, a chain", onPath, func(t testing.TB, s *taskgraph.System) func() {
		body := taskgraph.Do(func() {})
		return insidePass(t, s, func(c *taskgraph.Context) error {
			var e taskgraph.Event
			for range onPath {
				e = c.Task(body).After(e).Launch()
			}
			return c.WaitUntilTasksComplete(bg, e)
		})
	}},
	{"Context.Fork", 10945, func(t testing.TB, s *taskgraph.System) func() {
		return insidePass(t, s, func(c *taskgraph.Context) error {
			a := taskgraph.Args{A: 20}
			forkFib(c, &a)
			require.Equal(t, int64(6765), a.A)
			return nil
		})
	}},
	{"Graph, a chain", onPath, func(t testing.TB, s *taskgraph.System) func() {
		return graphPass(t, s, onPath, func(i int) []int {
			return []int{i - 1}
		})
	}},
	{"Graph, a tree", onPath, func(t testing.TB, s *taskgraph.System) func() {
		return graphPass(t, s, onPath, func(i int) []int {
			return []int{(i+1)/2 - 1}
		})
	}},
	{"Graph, a grid", 90 * 90, func(t testing.TB, s *taskgraph.System) func() {
		return graphPass(t, s, 90*90, func(i int) []int {
			if i%90 == 0 {
				return []int{i - 90}
			}
			return []int{i - 1, i - 90}
		})
	}},
	{"Graph, built each time", onPath, func(t testing.TB, s *taskgraph.System) func() {
		var b taskgraph.GraphBuilder
		var g *taskgraph.Graph
		body := taskgraph.Do(func() {})
		return func() {
			b.Reset(g)
			b.Grow(onPath, onPath)
			var before taskgraph.GraphTask
			for i := range onPath {
				task := b.Task(body)
				if i > 0 {
					task.After(before)
				}
				before = task
			}
			var err error
			g, err = b.Build()
			require.NoError(t, err)
			wait(t, s, s.LaunchGraph(g))
		}
	}},
	{"ParallelFor, grain 1", onPath, func(t testing.TB, s *taskgraph.System) func() {
		body := func(lo, hi int) {}
		return func() { require.NoError(t, s.ParallelFor(onPath, 1, body)) }
	}},
}

// insidePass runs body as a task.
func insidePass(t testing.TB, s *taskgraph.System, body func(c *taskgraph.Context) error) func() {
	b := taskgraph.Run(body)
	return func() { wait(t, s, s.Task(b).Launch()) }
}

// graphPass runs a Graph of n empty tasks; negative predecessors do not count.
func graphPass(t testing.TB, s *taskgraph.System, n int, preds func(i int) []int) func() {
	var b taskgraph.GraphBuilder
	tasks := make([]taskgraph.GraphTask, n)
	for i := range n {
		tasks[i] = b.Task(taskgraph.Do(func() {}))
		for _, p := range preds(i) {
			if p >= 0 {
				tasks[i].After(tasks[p])
			}
		}
	}
	g, err := b.Build()
	require.NoError(t, err)
	return func() { wait(t, s, s.LaunchGraph(g)) }
}
