package taskgraph_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/taskgraph"
)

// What a body launches in any way has its priority, unless it is given another.
func TestWhatABodyLaunchesHasItsPriority(t *testing.T) {
	// so the bodies note what they see one after the other
	s := startUnwatched(t, taskgraph.Options{Workers: 1})
	for _, p := range allPriorities {
		t.Run(p.String(), func(t *testing.T) {
			seen := map[string]taskgraph.Priority{}
			note := func(way string) taskgraph.Body {
				return taskgraph.Run(func(c *taskgraph.Context) error {
					seen[way] = c.Priority()
					return nil
				})
			}
			var others []taskgraph.Event // for which no body waits, since that would promote them
			body := func(c *taskgraph.Context) error {
				var b taskgraph.GraphBuilder
				b.Task(note("task of a graph"))
				b.Task(note("task of a graph with a priority")).Priority(taskgraph.PriorityHigh)
				g, err := b.Build()
				if err != nil {
					return err
				}
				kept, ranked := taskgraph.Retain(note("retained")),
					taskgraph.Retain(note("retained as normal")).Priority(taskgraph.PriorityNormal)
				before := c.Task(taskgraph.Do(func() {})).Launch()
				for _, launch := range []func() error{
					func() error { return c.Wait(c.Spawn(note("spawned"))) },
					func() error { return c.Wait(c.Task(note("task")).Launch()) },
					func() error {
						return c.Wait(c.Task(note("after another")).After(before).Launch())
					},
					func() error { return c.Wait(c.Nest(note("nested"))) },
					func() error { return c.System().Run(c, note("run")) },
					func() error { return c.Wait(kept.Launch(c)) },
					func() error { return c.Wait(c.LaunchGraph(g)) },
					func() error { return c.System().RunGraph(c, g) },
					func() error {
						c.Fork(func(c *taskgraph.Context, _ *taskgraph.Args) {
							seen["fork"] = c.Priority()
						}, taskgraph.Args{}).Wait()
						return nil
					},
					func() error {
						return c.Wait(c.Task(note("inline")).After(before).Inline().Launch())
					},
				} {
					if err := launch(); err != nil {
						return err
					}
				}
				others = []taskgraph.Event{ranked.Launch(c)}
				others = append(others,
					c.Task(note("normal")).After(others...).Priority(taskgraph.PriorityNormal).
						Launch())
				others = append(others,
					c.System().Task(note("by the system")).After(others...).Launch())
				return nil
			}
			// By way of a context too, which has a path of its own.
			for _, begin := range []func() taskgraph.Task{
				func() taskgraph.Task { return s.Task(taskgraph.Run(body)) },
				func() taskgraph.Task { return s.Task(taskgraph.Run(body)).Context(t.Context()) },
			} {
				clear(seen)
				wait(t, s, begin().Priority(p).Launch())
				wait(t, s, others...)
				require.Equal(t, map[string]taskgraph.Priority{
					"task of a graph with a priority": taskgraph.PriorityHigh,
					"retained as normal":              taskgraph.PriorityNormal,
					"normal":                          taskgraph.PriorityNormal,
					"by the system":                   taskgraph.PriorityNormal,

					"spawned": p, "task": p, "after another": p, "nested": p, "run": p,
					"retained": p, "inline": p,
					"task of a graph": p, "fork": p,
				}, seen)
			}
		})
	}
}

// All that a background task launches, its children's children too, leaves the foreground workers
// alone.
func TestChildrenOfBackgroundWorkRunWhereItDoes(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 4, Foreground: 3})
	for _, p := range allPriorities[2:] {
		var ran, wrong atomics.Int32
		count := func(c *taskgraph.Context) {
			ran.Add(1)
			if c.Worker() < 3 {
				wrong.Add(1)
			}
		}
		var grow func(c *taskgraph.Context, depth int) error
		grow = func(c *taskgraph.Context, depth int) error {
			count(c)
			if depth == 0 {
				return nil
			}
			deeper := taskgraph.Run(func(c *taskgraph.Context) error { return grow(c, depth-1) })
			c.DontCompleteUntil(c.Spawn(deeper), c.Task(deeper).Launch())
			c.Nest(deeper)
			c.Fork(func(c *taskgraph.Context, _ *taskgraph.Args) { count(c) }, taskgraph.Args{})
			return nil
		}
		wait(t, s, s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
			return grow(c,
				4)
		})).Priority(p).Launch())
		require.Equal(t, int32(1+3+9+27+81+1+3+9+27), ran.Load())
		require.Zero(t, wrong.Load())
	}
}

// A call of a group is queued with the priority of the body that makes it. One worker takes them
// strictly by priority.
func TestCallsOfAGroupHaveThePriorityOfTheirBody(t *testing.T) {
	for _, deterministic := range []*taskgraph.Deterministic{nil, {}} {
		s := startUnwatched(t, taskgraph.Options{Workers: 1, Deterministic: deterministic})
		var order []string
		g := s.NewGroup()
		var events []taskgraph.Event
		run(t, s, func(c *taskgraph.Context) error {
			for i := range allPriorities {
				p := allPriorities[len(allPriorities)-1-i]
				events = append(events, c.Task(taskgraph.Run(func(c *taskgraph.Context) error {
					order = append(order, p.String())
					g.Go(c, func() { order = append(order, "call of "+p.String()) })
					return nil
				})).Priority(p).Launch())
			}
			return nil
		})
		wait(t, s, events...)
		wait(t, s, g.Idle())
		var want []string
		for _, p := range allPriorities {
			want = append(want, p.String(), "call of "+p.String())
		}
		require.Equal(t, want, order)
	}
}

// A wait in a body of a higher priority raises what it waits for before that begins, and so what
// that launches then.
func TestPromotedWorkLaunchesWithItsNewPriority(t *testing.T) {
	s := startUnwatched(t, taskgraph.Options{Workers: 1})
	var seen, child taskgraph.Priority
	release := occupy(t, s, 1)
	low := s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		seen = c.Priority()
		return c.Wait(c.Spawn(taskgraph.Run(func(c *taskgraph.Context) error {
			child = c.Priority()
			return nil
		})))
	})).Priority(taskgraph.PriorityBackgroundLow).Launch()
	require.True(t, s.Promote(low, taskgraph.PriorityHigh))
	release()
	wait(t, s, low)
	require.Equal(t, []taskgraph.Priority{taskgraph.PriorityHigh, taskgraph.PriorityHigh},
		[]taskgraph.Priority{seen, child})
}
