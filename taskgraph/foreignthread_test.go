package taskgraph_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/namedthread"
	"github.com/heddle-go/heddle/taskgraph"
)

// TestThreadOfAnotherRegistry: who names a thread that is none of the system's is told at once, and
// nothing is left behind that a Shutdown would wait for.
func TestThreadOfAnotherRegistry(t *testing.T) {
	_, ths := threads(t, "Strange")
	strange := ths[0]
	own, ownThreads := threads(t, "Own")
	nothing := taskgraph.Do(func() {})
	graph := func(ths ...*namedthread.Thread) *taskgraph.Graph {
		var b taskgraph.GraphBuilder
		for _, th := range ths {
			b.Task(nothing).On(th)
		}
		g, err := b.Build()
		require.NoError(t, err)
		return g
	}
	inBody := func(f func(c *taskgraph.Context)) func(s *taskgraph.System) {
		return func(s *taskgraph.System) {
			var v any
			run(t, s, func(c *taskgraph.Context) error {
				defer func() { v = recover() }()
				f(c)
				return nil
			})
			if v != nil {
				panic(v)
			}
		}
	}
	for name, call := range map[string]func(s *taskgraph.System){
		"Task.On": func(s *taskgraph.System) { s.Task(nothing).On(strange).Launch() },
		"in a body": inBody(func(c *taskgraph.Context) {
			c.Task(nothing).On(strange).Launch()
		}),
		"after others": func(s *taskgraph.System) {
			s.Task(nothing).After(s.Go(func() {})).On(strange).Launch()
		},
		"after a delay": func(s *taskgraph.System) {
			s.Task(nothing).After(s.AfterDelay(time.Millisecond)).On(strange).Launch()
		},
		"before others": func(s *taskgraph.System) {
			task := s.Task(nothing)
			s.Task(nothing).After(task.Event()).Launch()
			task.On(strange)
		},
		"in a pipe": func(s *taskgraph.System) {
			s.Task(nothing).In(s.NewPipe()).On(strange)
		},
		"Retained.Launch": func(s *taskgraph.System) {
			taskgraph.Retain(nothing).Name("x").On(strange).Launch(s)
		},
		"Retained, inside": inBody(func(c *taskgraph.Context) {
			taskgraph.Retain(nothing).On(strange).Launch(c)
		}),
		"Retained.Task": func(s *taskgraph.System) {
			taskgraph.Retain(nothing).On(strange).Task(s)
		},
		"LaunchGraph":         func(s *taskgraph.System) { s.LaunchGraph(graph(strange)) },
		"LaunchGraph, inside": inBody(func(c *taskgraph.Context) { c.LaunchGraph(graph(strange)) }),
	} {
		t.Run(name, func(t *testing.T) {
			for _, reg := range []*namedthread.Registry{nil, own} {
				for _, bound := range []int{0, 100} {
					s := start(t, taskgraph.Options{Workers: 2, Threads: reg,
						StuckAfter: 2 * hangLimit, MaxTasks: bound})
					require.Same(t, reg, s.Threads())
					for range 3 {
						v := caught(func() { call(s) })
						require.Contains(t, v, `namedthread "Strange"`)
						require.Regexp(t, "registry|no Options.Threads", v)
					}
					wait(t, s, s.Go(func() {}))
				}
			}
		})
	}
	require.Contains(t, caught(func() { graph(ownThreads[0], strange) }), "another registry")
	// A Graph is not used up by it, nor is a retained task.
	s := start(t, taskgraph.Options{Workers: 2, Threads: own})
	other := start(t, taskgraph.Options{Workers: 2})
	g, again := graph(ownThreads[0]), taskgraph.Retain(nothing).On(ownThreads[0])
	require.Contains(t, caught(func() { other.LaunchGraph(g) }), "no Options.Threads")
	require.Contains(t, caught(func() { again.Launch(other) }), "no Options.Threads")
	wait(t, s, s.LaunchGraph(g), again.Launch(s))
	// The memory of a graph can be that of one for another system.
	var b taskgraph.GraphBuilder
	b.Reset(g)
	b.Task(nothing)
	g, err := b.Build()
	require.NoError(t, err)
	wait(t, other, other.LaunchGraph(g))
}

// caught returns what f panics with, if that is a string.
func caught(f func()) (v string) {
	defer func() { v, _ = recover().(string) }()
	f()
	return ""
}
