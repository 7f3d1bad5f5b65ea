package taskgraph_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/taskgraph"
)

// TestWaitsThroughTwoSystemsOnOneThread: a body on a named thread waits, through two systems of its
// registry, for a task that is bound to the same thread. It runs there.
func TestWaitsThroughTwoSystemsOnOneThread(t *testing.T) {
	nothing := taskgraph.Do(func() {})
	type scene struct {
		a, b *taskgraph.System
		x    taskgraph.Event // manual, of b
	}
	for name, wait := range map[string]func(x *scene, on func(taskgraph.Task) taskgraph.Task,
		c *taskgraph.Context) error{
		"for a task": func(x *scene, on func(taskgraph.Task) taskgraph.Task,
			c *taskgraph.Context) error {
			return c.WaitUntilTasksComplete(bg, on(x.b.Task(nothing)).Launch())
		},
		"for one of its own and one of the other": func(x *scene,
			on func(taskgraph.Task) taskgraph.Task, c *taskgraph.Context) error {
			return c.WaitUntilTasksComplete(bg, on(x.a.Task(nothing)).Launch(),
				on(x.b.Task(nothing)).Launch(), x.a.Go(func() {}), x.b.Go(func() {}))
		},
		"by the system": func(x *scene, on func(taskgraph.Task) taskgraph.Task,
			c *taskgraph.Context) error {
			return x.a.WaitUntilTasksComplete(bg, on(x.b.Task(nothing)).Launch())
		},
		"for the first": func(x *scene, on func(taskgraph.Task) taskgraph.Task,
			c *taskgraph.Context) error {
			_, err := c.WaitAny(bg, on(x.b.Task(nothing)).Launch(), on(x.b.Task(nothing)).Launch())
			return err
		},
		"for what comes after it": func(x *scene, on func(taskgraph.Task) taskgraph.Task,
			c *taskgraph.Context) error {
			return c.WaitUntilTasksComplete(bg,
				x.b.Task(nothing).After(on(x.b.Task(nothing)).Launch()).Launch())
		},
		"for one that waits for it": func(x *scene, on func(taskgraph.Task) taskgraph.Task,
			c *taskgraph.Context) error {
			return c.WaitUntilTasksComplete(bg,
				x.b.Task(taskgraph.Run(func(c *taskgraph.Context) error {
					return c.WaitUntilTasksComplete(bg, on(c.Task(nothing)).Launch())
				})).Launch())
		},
		"for one that waits for it later": func(x *scene, on func(taskgraph.Task) taskgraph.Task,
			c *taskgraph.Context) error {
			return c.WaitUntilTasksComplete(bg,
				x.b.Task(taskgraph.Run(func(c *taskgraph.Context) error {
					if err := c.WaitUntilTasksComplete(bg, x.x); err != nil {
						return err
					}
					return c.WaitUntilTasksComplete(bg, on(c.Task(nothing)).Launch())
				})).Launch(), x.a.Task(taskgraph.Do(func() { x.x.Trigger() })).Launch())
		},
		"for one of its own that waits for it": func(x *scene,
			on func(taskgraph.Task) taskgraph.Task, c *taskgraph.Context) error {
			return c.WaitUntilTasksComplete(bg,
				c.Spawn(taskgraph.Run(func(c *taskgraph.Context) error {
					return c.WaitUntilTasksComplete(bg, on(x.b.Task(nothing)).Launch())
				})))
		},
		"for one that waits for one of the first": func(x *scene,
			on func(taskgraph.Task) taskgraph.Task, c *taskgraph.Context) error {
			return c.WaitUntilTasksComplete(bg,
				on(x.b.Task(taskgraph.Run(func(c *taskgraph.Context) error {
					return c.WaitUntilTasksComplete(bg,
						on(x.a.Task(taskgraph.Run(func(c *taskgraph.Context) error {
							return c.WaitUntilTasksComplete(bg, on(x.b.Task(nothing)).Launch())
						}))).Launch())
				}))).Launch())
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, workers := range []int{1, 2} {
				reg, ths := threads(t, "Shared")
				o := taskgraph.Options{Workers: workers, Threads: reg, StuckAfter: hangLimit}
				x := &scene{a: start(t, o), b: start(t, o)}
				on := func(task taskgraph.Task) taskgraph.Task { return task.On(ths[0]) }
				for range brief(20, 5) {
					x.x = x.b.NewEvent()
					e := on(x.a.Task(taskgraph.Run(func(c *taskgraph.Context) error {
						return wait(x,
							on, c)
					}))).Launch()
					require.NoError(t, x.a.WaitUntilTasksComplete(bg, e))
					x.x.Trigger()
				}
			}
		})
	}
}

// TestWaitsThroughTwoSystemsOnTwoThreads: bodies of two systems on two threads wait, each for a
// task of the other system that is bound to the other thread, which waits.
func TestWaitsThroughTwoSystemsOnTwoThreads(t *testing.T) {
	reg, ths := threads(t, "One", "Two")
	o := taskgraph.Options{Workers: 1, Threads: reg, StuckAfter: hangLimit}
	s := []*taskgraph.System{start(t, o), start(t, o)}
	for range 100 {
		var events, begun []taskgraph.Event
		for i := range s {
			begun = append(begun, s[i].NewEvent())
		}
		for i := range s {
			other := 1 - i
			events = append(events, s[i].Task(taskgraph.Run(func(c *taskgraph.Context) error {
				begun[i].Trigger()
				if err := c.WaitUntilTasksComplete(bg, begun[other]); err != nil {
					return err
				}
				return c.WaitUntilTasksComplete(bg,
					s[other].Task(taskgraph.Do(func() {})).On(ths[other]).Launch())
			})).On(ths[i]).Launch())
		}
		for i, e := range events {
			require.NoError(t, s[i].WaitUntilTasksComplete(bg, e))
		}
	}
}

// TestShutdownOfASystemThatAThreadWaitsFor: a wait in a body of another system does not keep a
// system from giving up.
func TestShutdownOfASystemThatAThreadWaitsFor(t *testing.T) {
	reg, ths := threads(t, "Shared")
	a := start(t, taskgraph.Options{Workers: 1, Threads: reg, StuckAfter: hangLimit})
	b := taskgraph.Start(taskgraph.Options{Workers: 1, Threads: reg, StuckAfter: 1})
	never := b.NewEvent()
	waits := make(chan struct{})
	held := b.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		c.DontCompleteUntil(never)
		return nil
	})).Launch()
	e := a.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		close(waits)
		return c.WaitUntilTasksComplete(bg, held)
	})).On(ths[0]).Launch()
	<-waits
	var stuck *taskgraph.StuckError
	require.ErrorAs(t, b.Shutdown(bg), &stuck)
	require.Error(t, a.WaitUntilTasksComplete(bg, e))
}
