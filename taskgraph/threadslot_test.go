package taskgraph_test

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/namedthread"
	"github.com/heddle-go/heddle/taskgraph"
)

// onThread runs body as a task on th and waits for it from outside.
func onThread(t testing.TB, s *taskgraph.System, th *namedthread.Thread,
	body func(c *taskgraph.Context) error) {
	t.Helper()
	require.NoError(t, s.WaitUntilTasksComplete(bg, s.Task(taskgraph.Run(body)).On(th).Launch()))
}

// Every way to wait in a body on a named thread gets on though all workers compute and would for
// ever: the thread runs all that it waits for.
func TestThreadRunsWhatItWaitsFor(t *testing.T) {
	reg, ths := threads(t, "Game")
	th := ths[0]
	for _, workers := range []int32{1, 2} {
		s := startUnwatched(t, taskgraph.Options{Workers: int(workers), Threads: reg})
		release := occupyComputing(t, s, workers)
		var ran, onThisThread atomics.Int32
		unbound := func(c *taskgraph.Context) error {
			ran.Add(1)
			if c.Thread() == th && c.Worker() >= 0 {
				onThisThread.Add(1)
			}
			return nil
		}
		var b taskgraph.GraphBuilder
		last := b.Task(taskgraph.Run(unbound))
		for range 20 {
			last = b.Task(taskgraph.Run(unbound)).After(last)
		}
		g := builtGraph(t, &b)
		group := s.NewGroup()
		ways := map[string]func(c *taskgraph.Context) error{
			"a task": func(c *taskgraph.Context) error {
				return c.Wait(c.Spawn(taskgraph.Run(unbound)))
			},
			"a graph": func(c *taskgraph.Context) error { return c.Wait(c.LaunchGraph(g)) },
			"a group": func(c *taskgraph.Context) error {
				for range 5 {
					group.Go(c, func() { ran.Add(1); onThisThread.Add(1) })
				}
				return group.Wait(c)
			},
			"RunGraph by the Context": func(c *taskgraph.Context) error { return s.RunGraph(c, g) },
			"RunGraph":                func(*taskgraph.Context) error { return s.RunGraph(bg, g) },
			"Run": func(*taskgraph.Context) error {
				return s.Run(bg, taskgraph.Run(unbound))
			},
			"what a chain leads to": func(c *taskgraph.Context) error {
				a := c.Task(taskgraph.Run(unbound)).Launch()
				return c.Wait(c.Task(taskgraph.Run(unbound)).After(a).Launch())
			},
		}
		for name, way := range ways {
			for range brief(20, 5) {
				ran.Store(0)
				onThisThread.Store(0)
				onThread(t, s, th, func(c *taskgraph.Context) error {
					if name[0] == 'R' && name != "RunGraph by the Context" {
						if _, err := namedthread.Current(); errors.Is(err, errors.ErrUnsupported) {
							return c.Wait(c.Spawn(taskgraph.Run(unbound)))
						}
					}
					err := way(c)
					require.Negative(t, c.Worker(), "it goes on without a slot")
					return err
				})
				require.NotZero(t, ran.Load(), name)
				require.Equal(t, ran.Load(), onThisThread.Load(), name)
			}
		}
		release()
	}
}

// Calls that a body on a thread forks, and loops of it, are shared with workers.
func TestForksOnAThreadAreStolen(t *testing.T) {
	reg, ths := threads(t, "Game")
	s := start(t, taskgraph.Options{Workers: 2, Threads: reg})
	onThread(t, s, ths[0], func(c *taskgraph.Context) error {
		for stolen := false; !stolen; {
			var begun atomics.Bool
			j := c.Fork(func(c *taskgraph.Context, _ *taskgraph.Args) {
				stolen = c.Thread() == nil
				begun.Store(true)
			}, taskgraph.Args{})
			for began := time.Now(); !begun.Load() && time.Since(began) < time.Millisecond; {
				runtime.Gosched()
			}
			j.Wait()
			require.Negative(t, c.Worker(), "no slot without a fork")
		}
		return nil
	})
}

// A call that another worker runs waits for what is bound to the thread, which waits for that call.
func TestTrap_ForkWaitsForTheThread(t *testing.T) {
	reg, ths := threads(t, "Game")
	th := ths[0]
	s := start(t, taskgraph.Options{Workers: 2, Threads: reg})
	n := callerRounds(100)
	onThread(t, s, th, func(c *taskgraph.Context) error {
		for i := range n {
			var begun atomics.Bool
			j := taskgraph.ForkOf(c, func(c *taskgraph.Context, ran *bool) {
				begun.Store(true)
				if i%2 == 0 {
					busy(200 * time.Microsecond) // the thread may sleep by then
				}
				e := c.Task(here(th, func() { *ran = true })).On(th).Launch()
				_ = c.Wait(e)
			}, false)
			for began := time.Now(); !begun.Load() && time.Since(began) < time.Millisecond; {
				runtime.Gosched()
			}
			require.True(t, j.Wait())
		}
		return nil
	})
}

// Forks of all kinds and in any order leave no slot behind.
func TestForksOnAThreadGiveTheSlotBack(t *testing.T) {
	reg, ths := threads(t, "Game")
	s := start(t, taskgraph.Options{Workers: 1, Threads: reg})
	failure := errors.New("a failure")
	quick := func(*taskgraph.Context, *taskgraph.Args) {}
	ways := []func(c *taskgraph.Context) error{
		func(c *taskgraph.Context) error { // out of order
			a, b := c.Fork(quick, taskgraph.Args{}), c.Fork(quick, taskgraph.Args{})
			a.Wait()
			b.Wait()
			return nil
		},
		func(c *taskgraph.Context) error { c.Fork(quick, taskgraph.Args{}); return nil },
		func(c *taskgraph.Context) error { c.Fork(quick, taskgraph.Args{}); return failure },
		func(c *taskgraph.Context) error { c.Fork(quick, taskgraph.Args{}); panic(failure) },
		func(c *taskgraph.Context) error {
			c.Fork(quick, taskgraph.Args{})
			runtime.Goexit()
			return nil
		},
		func(c *taskgraph.Context) error {
			c.Fork(func(*taskgraph.Context, *taskgraph.Args) { panic(failure) },
				taskgraph.Args{}).Wait()
			return nil
		},
		func(c *taskgraph.Context) error { // made in a loop, and waited for after that
			var joins [4]taskgraph.Join
			if err := c.RunLoop(taskgraph.Loop{N: 4, Unbalanced: true,
				Body: func(p *taskgraph.Participant, lo, _ int) error {
					if p.Index() == 0 {
						joins[lo] = p.Context().Fork(quick, taskgraph.Args{})
					}
					return nil
				}}); err != nil {
				return err
			}
			for _, j := range joins {
				if j != (taskgraph.Join{}) {
					j.Wait()
				}
			}
			return nil
		},
		func(c *taskgraph.Context) error { // forked before a wait, which needs a slot too
			j := taskgraph.ForkOf(c, func(*taskgraph.Context, *int) {}, 0)
			err := c.Wait(c.Go(func() {}))
			j.Wait()
			return err
		},
		func(c *taskgraph.Context) error {
			j := taskgraph.ForkOf(c, func(*taskgraph.Context, *int) {}, 0)
			c.Blocking(func() { _ = s.WaitUntilTasksComplete(bg, c.Go(func() {})) })
			j.Wait()
			return nil
		},
	}
	for range callerRounds(50) {
		for _, way := range ways {
			e := s.Task(taskgraph.Run(way)).On(ths[0]).Launch()
			_ = s.WaitUntilTasksComplete(bg, e)
		}
	}
	onThread(t, s, ths[0], func(c *taskgraph.Context) error {
		require.Negative(t, c.Worker())
		j := c.Fork(quick, taskgraph.Args{}) // one slot for callers, with one worker
		require.GreaterOrEqual(t, c.Worker(), 1)
		j.Wait()
		require.Negative(t, c.Worker())
		return nil
	})
}

// What is bound to the thread and awaited is run between two tasks that the thread helps with, and
// not after all of them.
func TestThreadServesWhileItHelps(t *testing.T) {
	reg, ths := threads(t, "Game")
	th := ths[0]
	s := startUnwatched(t, taskgraph.Options{Workers: 1, Threads: reg})
	defer occupyComputing(t, s, 1)()
	const n = 200
	var order []int
	group := s.NewGroup()
	var b taskgraph.GraphBuilder
	first := b.Task(taskgraph.Do(func() { order = append(order, 0) }))
	b.Task(here(th, func() { order = append(order, -1) })).On(th).After(first)
	for i := range n { // in the order in which the deque gives them, whatever that is
		b.Task(taskgraph.Do(func() { order = append(order, i+1) })).After(first)
	}
	g := builtGraph(t, &b)
	for range 20 {
		order = order[:0]
		onThread(t, s, th, func(c *taskgraph.Context) error { return c.Wait(c.LaunchGraph(g)) })
		require.Len(t, order, n+2)
		require.Equal(t, -1, order[1], "right after it became ready")

		order = order[:0]
		onThread(t, s, th, func(c *taskgraph.Context) error {
			var bound taskgraph.Event
			for i := range n {
				group.Go(c, func() {
					if order = append(order, i); len(order) == 1 {
						bound = s.Task(here(th, func() {
							order = append(order,
								-1)
						})).On(th).Launch()
						group.Go(s, func() { _ = s.WaitUntilTasksComplete(bg, bound) })
					}
				})
			}
			return group.Wait(c)
		})
		require.Len(t, order, n+1)
	}
}

// While the thread sleeps it has no slot, in whatever it waits: with one worker another caller gets
// the only one.
func TestThreadSleepsWithoutASlot(t *testing.T) {
	reg, ths := threads(t, "Game")
	s := start(t, taskgraph.Options{Workers: 1, Threads: reg})
	for _, way := range []func(c *taskgraph.Context, e taskgraph.Event) error{
		func(c *taskgraph.Context, e taskgraph.Event) error { return c.Wait(e) },
		func(c *taskgraph.Context, e taskgraph.Event) error { // on top of a wait that helps
			return c.Wait(c.Task(taskgraph.Run(func(c *taskgraph.Context) error {
				return c.Wait(e)
			})).Launch())
		},
		func(c *taskgraph.Context, e taskgraph.Event) error { // with a fork, which keeps the slot
			j := c.Fork(func(*taskgraph.Context, *taskgraph.Args) {}, taskgraph.Args{})
			defer j.Wait()
			return c.Wait(e)
		},
		func(c *taskgraph.Context, e taskgraph.Event) error { // for a call that somebody else runs
			var begun atomics.Bool
			j := c.Fork(func(c *taskgraph.Context, _ *taskgraph.Args) {
				begun.Store(true)
				_ = c.Wait(e)
			}, taskgraph.Args{})
			for !begun.Load() {
				runtime.Gosched()
			}
			j.Wait()
			return nil
		},
		func(c *taskgraph.Context, e taskgraph.Event) error {
			return s.Run(c, taskgraph.Run(func(c *taskgraph.Context) error { return c.Wait(e) }))
		},
		func(c *taskgraph.Context, e taskgraph.Event) error {
			var err error
			j := c.Fork(func(*taskgraph.Context, *taskgraph.Args) {}, taskgraph.Args{})
			c.Blocking(func() { err = s.WaitUntilTasksComplete(bg, e) })
			j.Wait()
			return err
		},
	} {
		for range brief(5, 2) {
			e := s.NewEvent()
			task := s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
				err := way(c, e)
				require.Negative(t, c.Worker())
				return err
			})).On(ths[0]).Launch()
			for task.State() != graphevent.StateExecuting {
				runtime.Gosched()
			}
			// it may sleep by then, or have yet to begin: the loop ends all the same
			time.Sleep(3 * time.Millisecond)
			for worker := -1; worker < 1; {
				require.NoError(t, s.Run(bg, taskgraph.Run(func(c *taskgraph.Context) error {
					worker = c.Worker()
					return nil
				})))
			}
			e.Trigger()
			wait(t, s, task)
		}
	}
}

// A body that the thread runs because it waits for it waits itself, for what is bound to the
// thread, and for what is not, long enough that the thread sleeps.
func TestWaitsOnTopOfAThreadThatHelps(t *testing.T) {
	reg, ths := threads(t, "Game", "Render")
	game, render := ths[0], ths[1]
	s := start(t, taskgraph.Options{Workers: 2, Threads: reg})
	slow := func(f func()) taskgraph.Body {
		return taskgraph.Do(func() { busy(300 * time.Microsecond); f() })
	}
	for i := range callerRounds(200) {
		var bound, other, free atomics.Int32
		inner := func(c *taskgraph.Context) error {
			before := c.Task(slow(func() { free.Add(1) })).Launch()
			return c.Wait(
				c.Task(here(game, func() { bound.Add(1) })).On(game).After(before).Launch(),
				c.Task(here(render, func() { other.Add(1) })).On(render).After(before).Launch(),
			)
		}
		onThread(t, s, game, func(c *taskgraph.Context) error {
			a, b := c.Task(taskgraph.Run(inner)).Launch(), c.Task(taskgraph.Run(inner)).Launch()
			if i%2 == 0 {
				return c.Wait(a, b)
			}
			return s.Run(c, taskgraph.Run(func(c *taskgraph.Context) error { return c.Wait(a, b) }))
		})
		require.Equal(t, []int32{2, 2, 2}, []int32{bound.Load(), other.Load(), free.Load()})
	}
}

// What a thread helps with blocks where nobody sees it, for what only a worker that sleeps on
// account of the thread can run: the watch wakes that.
func TestThreadThatHelpsBlocksUnseen(t *testing.T) {
	reg, ths := threads(t, "Game")
	s := start(t, taskgraph.Options{Workers: 2, Threads: reg})
	for range callerRounds(20) {
		onThread(t, s, ths[0], func(c *taskgraph.Context) error {
			return c.Wait(c.Task(taskgraph.Run(func(c *taskgraph.Context) error {
				busy, begun, done := make(chan struct{}), make(chan struct{}), make(chan struct{})
				c.Go(func() { close(begun); <-busy })
				<-begun
				c.Go(func() { close(done) })
				<-done
				close(busy)
				return nil
			})).Launch())
		})
	}
}

// A Goexit in what the thread helps with ends the waiting body, as on a worker, and no slot is
// lost.
func TestGoexitInWhatAThreadHelpsWith(t *testing.T) {
	reg, ths := threads(t, "Game")
	s := start(t, taskgraph.Options{Workers: 1, Threads: reg})
	for range callerRounds(100) {
		release := occupyComputing(t, s, 1)
		var events [2]taskgraph.Event
		e := s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
			events[1] = c.Task(taskgraph.Run(func(c *taskgraph.Context) error {
				events[0] = c.Go(runtime.Goexit)
				return c.Wait(events[0])
			})).Launch()
			return c.Wait(events[1])
		})).On(ths[0]).Launch()
		require.ErrorIs(t, s.WaitUntilTasksComplete(bg, e), graphevent.ErrGoexit)
		for _, e := range events {
			require.ErrorIs(t, e.Err(), graphevent.ErrGoexit)
		}
		release()
	}
	onThread(t, s, ths[0], func(c *taskgraph.Context) error {
		j := c.Fork(func(*taskgraph.Context, *taskgraph.Args) {}, taskgraph.Args{})
		require.GreaterOrEqual(t, c.Worker(), 1, "the only slot for callers")
		j.Wait()
		return nil
	})
}

// With IsolateWaits the thread runs nothing but what is bound to it: there is no other goroutine
// that it could be.
func TestIsolatedWaitsOnAThread(t *testing.T) {
	reg, ths := threads(t, "Game")
	th := ths[0]
	s := start(t, taskgraph.Options{Workers: 1, Threads: reg, IsolateWaits: true})
	var helped atomics.Int32
	free := func(c *taskgraph.Context) error {
		if c.Thread() != nil {
			helped.Add(1)
		}
		return nil
	}
	for range callerRounds(200) {
		ran := false
		onThread(t, s, th, func(c *taskgraph.Context) error {
			before := c.Spawn(taskgraph.Run(free))
			return c.Wait(before, c.Task(here(th,
				func() { ran = true })).On(th).After(before).Launch())
		})
		require.True(t, ran)
	}
	require.Zero(t, helped.Load())
}

// A thread that waits in one system and runs what is bound to it in another takes part in neither
// while that waits.
func TestThreadHelpsInTwoSystems(t *testing.T) {
	reg, ths := threads(t, "Game")
	th := ths[0]
	a := start(t, taskgraph.Options{Workers: 1, Threads: reg})
	b := start(t, taskgraph.Options{Workers: 1, Threads: reg})
	for range callerRounds(200) {
		ran := 0
		onThread(t, a, th, func(c *taskgraph.Context) error {
			return c.Wait(c.Task(taskgraph.Run(func(c *taskgraph.Context) error {
				return c.Wait(b.Task(here(th, func() {
					_ = b.Run(bg, taskgraph.Do(func() { ran++ }))
					ran++
				})).On(th).Launch())
			})).Launch())
		})
		require.Equal(t, 2, ran)
	}
}

// What a thread runs in one system counts as active there, whatever wait of which system it is in.
func TestThreadThatRunsInAWaitIsActive(t *testing.T) {
	reg, ths := threads(t, "Game")
	th := ths[0]
	if _, err := namedthread.Current(); errors.Is(err, errors.ErrUnsupported) {
		t.Skip("Run does not know the thread")
	}
	a := start(t, taskgraph.Options{Workers: 1, Threads: reg})
	b := start(t, taskgraph.Options{Workers: 1, Threads: reg})
	for range callerRounds(50) {
		active := 0
		look := func() {
			if !a.Stuck().Idle {
				active++
			}
		}
		onThread(t, a, th, func(c *taskgraph.Context) error {
			return c.Wait(b.Task(here(th, func() {
				_ = a.Run(bg, taskgraph.Do(look))
				_ = a.Run(bg, taskgraph.Run(func(c *taskgraph.Context) error {
					c.Blocking(func() {
						look()
						_ = a.Run(bg, taskgraph.Do(look))
					})
					return c.Wait(c.Task(here(th, look)).On(th).Launch())
				}))
				_ = a.Run(bg, taskgraph.Do(look))
			})).On(th).Launch())
		})
		require.Equal(t, 5, active)
	}
}

// A shutdown gives up on what a thread waits for while it has a slot, and while it sleeps without
// one.
func TestShutdownOfAThreadThatHelps(t *testing.T) {
	reg, ths := threads(t, "Game")
	for i := range callerRounds(40) {
		s := taskgraph.Start(taskgraph.Options{Workers: 2, Threads: reg})
		e, begun, result := s.NewEvent(), make(chan struct{}), make(chan error, 1)
		s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
			inner := c.Task(taskgraph.Run(func(c *taskgraph.Context) error {
				close(begun)
				return c.Wait(e)
			})).Launch()
			result <- c.Wait(inner)
			return nil
		})).On(ths[0]).Launch()
		<-begun
		if i%2 == 0 {
			busy(2 * time.Millisecond)
		}
		ctx, cancel := context.WithCancel(bg)
		cancel()
		require.Error(t, s.Shutdown(ctx))
		require.ErrorIs(t, <-result, graphevent.ErrClosed)
	}
}

// Steps on a named thread allocate nothing.
func TestStepsOnAThreadMakeNoGarbage(t *testing.T) {
	reg, ths := threads(t, "Game")
	s := start(t, taskgraph.Options{Workers: 2, Threads: reg})
	g, _ := callersGraph(t, 50)
	group := s.NewGroup()
	work := func() { busy(2 * time.Microsecond) }
	call := func(*taskgraph.Context, *int) { work() }
	task := taskgraph.Do(work)
	loop := func(int, int) { work() }
	onThread(t, s, ths[0], func(c *taskgraph.Context) error {
		requireNoGarbage(t, func() {
			require.NoError(t, c.Wait(c.LaunchGraph(g)))
			for range 8 {
				group.Go(c, work)
			}
			require.NoError(t, group.Wait(c))
			lower, upper := c.Fork(markFork, taskgraph.Args{B: 2000}), taskgraph.ForkOf(c, call, 1)
			upper.Wait()
			lower.Wait()
			require.NoError(t, c.ParallelFor(64, 1, loop))
			require.NoError(t, c.Wait(c.Spawn(task), c.Spawn(task)))
		})
		return nil
	})
}
