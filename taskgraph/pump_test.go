package taskgraph_test

import (
	"context"
	"errors"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/namedthread"
	"github.com/heddle-go/heddle/taskgraph"
)

// onGame runs f on an attached thread, with a system.
func onGame(t *testing.T, o taskgraph.Options,
	f func(s *taskgraph.System, game *namedthread.Thread)) {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	o.Threads = namedthread.NewRegistry()
	game, err := o.Threads.Attach("Game", namedthread.Options{})
	require.NoError(t, err)
	defer func() { require.NoError(t, game.Detach()) }()
	s := taskgraph.Start(o)
	defer func() { require.NoError(t, s.Shutdown(bg)) }()
	f(s, game)
}

func postTo(t *testing.T, th *namedthread.Thread, f func()) {
	t.Helper()
	require.NoError(t, th.Post(namedthread.QueueMain, namedthread.PriorityNormal,
		namedthread.Func(f), 0))
}

// What is awaited depends on work of the waiting thread by nothing that a wait could follow: plain
// work triggers the event. The wait that does not pump is stuck, as the report says; in
// deterministic mode it hears of that. The one that pumps is over.
func TestOnlyAPumpingWaitGetsWhatUnrelatedWorkBrings(t *testing.T) {
	onGame(t, taskgraph.Options{Deterministic: &taskgraph.Deterministic{}},
		func(s *taskgraph.System, game *namedthread.Thread) {
			e := s.NewEvent()
			postTo(t, game, func() { e.Trigger() })
			after := s.Task(taskgraph.Do(func() {})).After(e).Launch()
			var stuck *taskgraph.StuckError
			require.ErrorAs(t, s.WaitUntilTasksComplete(bg, after), &stuck)
			require.Contains(t, stuck.Error(), "nobody has triggered it")
			require.False(t, e.IsComplete())

			require.NoError(t, s.PumpUntilTasksComplete(bg, after))
		})
}

// The same with a body that blocks unseen until the thread has answered it.
func TestAPumpingWaitAnswersABodyThatBlocks(t *testing.T) {
	onGame(t, taskgraph.Options{Workers: 1}, func(s *taskgraph.System, game *namedthread.Thread) {
		for range 100 {
			asks := s.Task(taskgraph.Do(func() {
				answer := make(chan int)
				postTo(t, game, func() { close(answer) })
				<-answer
			})).Launch()
			require.NoError(t, s.PumpUntilTasksComplete(bg, asks))
		}
	})
}

// Work that is posted meanwhile finds the caller in the middle of what it does, if the wait pumps,
// and does not if it does not.
func TestOnlyAWaitThatDoesNotPumpKeepsOtherWorkOut(t *testing.T) {
	onGame(t, taskgraph.Options{Workers: 1}, func(s *taskgraph.System, game *namedthread.Thread) {
		for name, wait := range map[string]func(context.Context, ...taskgraph.Event) error{
			"waits": s.WaitUntilTasksComplete, "pumps": s.PumpUntilTasksComplete,
		} {
			// An account that holds a sum of 10 between any two pieces of the thread's work.
			account := [2]int{10, 0}
			var seen, awaited int
			sum := func() int { return account[0] + account[1] }
			postTo(t, game, func() { seen = sum() })
			account[0] -= 5
			booked := s.Task(taskgraph.Do(func() {
				awaited = sum()
			})).After(s.Go(func() {})).On(game).Launch()
			last := s.Task(taskgraph.Do(func() {})).After(booked).Launch()
			require.NoError(t, wait(bg, last))
			account[1] += 5
			_, err := game.PumpUntilIdle(namedthread.QueueMain)
			require.NoError(t, err)
			require.Equal(t, 5, awaited, "a wait of either kind runs what it is for")
			require.Equal(t, map[string]int{"waits": 10, "pumps": 5}[name], seen)
		}
	})
}

// A pumping wait runs everything in the order of a pump; the other one takes out what it is for.
func TestAPumpingWaitKeepsTheOrder(t *testing.T) {
	onGame(t, taskgraph.Options{Workers: 2}, func(s *taskgraph.System, game *namedthread.Thread) {
		for range 50 {
			var order []string
			note := func(what string) taskgraph.Body {
				return taskgraph.Do(func() { order = append(order, what) })
			}
			var kept []taskgraph.Event
			kept = append(kept, s.Task(note("one")).On(game).Launch())
			awaited := s.Task(note("awaited")).On(game).Launch()
			kept = append(kept,
				s.Task(note("urgent")).On(game).Priority(taskgraph.PriorityHigh).Launch())
			local := namedthread.MakeID(game.Index(), namedthread.QueueLocal,
				namedthread.PriorityHigh, namedthread.ThreadNormal)
			kept = append(kept, s.Task(note("local")).OnID(local, taskgraph.FallbackError).Launch())
			require.NoError(t, s.PumpUntilTasksComplete(bg, awaited))
			require.Equal(t, []string{"urgent", "one", "awaited"}, order)
			require.NoError(t, s.PumpUntilTasksComplete(bg, kept...))
			require.Equal(t, []string{"urgent", "one", "awaited", "local"}, order)
		}
	})
}

// One level of pumping, and no more: the guard refuses at once, also if there is nothing to wait
// for.
func TestAPumpingWaitIsNotEnteredAgain(t *testing.T) {
	onGame(t, taskgraph.Options{Workers: 2}, func(s *taskgraph.System, game *namedthread.Thread) {
		again := taskgraph.Run(func(c *taskgraph.Context) error {
			return s.PumpUntilTasksComplete(c)
		})
		plain := taskgraph.Try(func() error { return s.PumpUntilTasksComplete(bg) })
		for _, b := range []taskgraph.Body{again, plain} {
			// In what a pump runs, in what a wait runs, and under a pump, a wait and the body of a
			// caller.
			require.ErrorIs(t, s.PumpUntilTasksComplete(bg, s.Task(b).On(game).Launch()),
				namedthread.ErrReentered)
			require.ErrorIs(t, s.WaitUntilTasksComplete(bg, s.Task(b).On(game).Launch()),
				namedthread.ErrReentered)
			require.ErrorIs(t, s.Run(bg, taskgraph.Run(func(c *taskgraph.Context) error {
				return s.PumpUntilTasksComplete(c, c.Task(b).On(game).Launch())
			})), namedthread.ErrReentered)
			require.ErrorIs(t, s.Run(bg, taskgraph.Run(func(c *taskgraph.Context) error {
				return c.Wait(c.Task(b).On(game).Launch())
			})), namedthread.ErrReentered)
		}

		// In a task that belongs to no thread, and runs here only because a body waits for it: no
		// pump is on the stack, but that body is in the middle of something. It may run on a worker
		// instead.
		// what lies there would be looked for first
		_, err := game.PumpUntilIdle(namedthread.QueueMain)
		require.NoError(t, err)
		here := 0
		for range 200 {
			var thread *namedthread.Thread
			err := s.Run(bg, taskgraph.Run(func(c *taskgraph.Context) error {
				return c.Wait(c.Spawn(taskgraph.Run(func(c *taskgraph.Context) error {
					thread = c.Thread()
					return s.PumpUntilTasksComplete(c)
				})))
			}))
			if thread != nil {
				here++
				require.ErrorIs(t, err, namedthread.ErrReentered)
			} else {
				require.ErrorIs(t, err, namedthread.ErrNotNamed)
			}
		}
		require.Positive(t, here)

		// Nobody else can pump for the thread.
		require.ErrorIs(t, s.WaitUntilTasksComplete(bg, s.Task(plain).Launch()),
			namedthread.ErrNotNamed)
		outside := make(chan error)
		go func() { outside <- s.PumpUntilTasksComplete(bg) }()
		require.ErrorIs(t, <-outside, namedthread.ErrNotNamed)
	})
}

// A body that pumps is not active meanwhile, and goes on as it was: with a slot, if it had one.
// What the thread runs meanwhile may launch, wait, fork and loop.
func TestABodyPumps(t *testing.T) {
	for _, workers := range []int{1, 3} {
		onGame(t, taskgraph.Options{Workers: workers},
			func(s *taskgraph.System, game *namedthread.Thread) {
				for range 100 {
					var sum atomics.Int64
					err := s.Run(bg, taskgraph.Run(func(c *taskgraph.Context) error {
						before := c.Worker()
						j := c.Fork(func(*taskgraph.Context, *taskgraph.Args) { sum.Add(1) },
							taskgraph.Args{})
						work := taskgraph.Run(func(c *taskgraph.Context) error {
							j := c.Fork(func(*taskgraph.Context, *taskgraph.Args) { sum.Add(1) },
								taskgraph.Args{})
							err := errors.Join(
								c.ParallelFor(10, 1, func(lo, hi int) { sum.Add(int64(hi - lo)) }),
								c.Wait(c.Go(func() { sum.Add(1) }),
									c.Task(taskgraph.Do(func() { sum.Add(1) })).On(game).Launch()))
							j.Wait()
							return err
						})
						first := c.Task(work).On(game).Launch()
						second := c.Task(work).After(first, c.Go(func() {})).On(game).Launch()
						if err := s.PumpUntilTasksComplete(c,
							c.Task(taskgraph.Do(func() {})).After(second).Launch()); err != nil {
							return err
						}
						j.Wait()
						if after := c.Worker(); (before < 0) != (after < 0) || c.Thread() != game {
							return errors.New("the body goes on elsewhere")
						}
						return nil
					}))
					require.NoError(t, err)
					require.EqualValues(t, 1+2*13, sum.Load())
				}
			})
	}
}

// Two threads of which one pumps: what is bound to it runs although it waits, without anybody
// knowing what for.
func TestAThreadWaitsForWorkOfOneThatPumps(t *testing.T) {
	onGame(t, taskgraph.Options{Workers: 2}, func(s *taskgraph.System, game *namedthread.Thread) {
		render, err := s.Threads().Start("Render", namedthread.Options{})
		require.NoError(t, err)
		defer func() { render.Quit(); <-render.Done() }()
		for range brief(200, 50) {
			e := s.NewEvent()
			frame := s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
				// The thread that waits for this is on the other side, and has nothing to do with
				// it.
				asked := c.Task(taskgraph.Run(func(c *taskgraph.Context) error {
					return c.Wait(c.Task(taskgraph.Do(func() {})).On(render).Launch())
				})).On(game).Launch()
				if err := c.Wait(asked); err != nil {
					return err
				}
				return game.Post(namedthread.QueueLocal, namedthread.PriorityNormal,
					namedthread.Func(func() { e.Trigger() }), 0)
			})).On(render).Launch()
			require.NoError(t, s.PumpUntilTasksComplete(bg, frame, e))
		}
	})
}

func TestHowAPumpingWaitEnds(t *testing.T) {
	onGame(t, taskgraph.Options{Workers: 2}, func(s *taskgraph.System, game *namedthread.Thread) {
		never := s.NewEvent()

		// By its context.
		ctx, cancel := context.WithCancelCause(bg)
		cause := errors.New("enough")
		postTo(t, game, func() { s.Go(func() { cancel(cause) }) })
		require.ErrorIs(t, s.PumpUntilTasksComplete(ctx, never), cause)

		// With the failure of what it waits for.
		fails := errors.New("fails")
		e := s.Task(taskgraph.Try(func() error { return fails })).On(game).Launch()
		require.ErrorIs(t, s.PumpUntilTasksComplete(bg, s.Go(func() {}), e), fails)

		// At once for what can never be.
		require.ErrorContains(t, s.Run(bg, taskgraph.Run(func(c *taskgraph.Context) error {
			return s.PumpUntilTasksComplete(c, c.Event())
		})), "waits for itself")

		// When the thread quits. The other wait still runs what it is for.
		postTo(t, game, game.Quit)
		require.ErrorIs(t, s.PumpUntilTasksComplete(bg, never), namedthread.ErrClosed)
		s.Go(func() { never.Trigger() })
		require.NoError(t, s.WaitUntilTasksComplete(bg, never))
	})
}

// A shutdown that gives up ends a pumping wait, in a body and outside.
func TestShutdownEndsAPumpingWait(t *testing.T) {
	for _, inBody := range []bool{false, true} {
		runtime.LockOSThread()
		reg := namedthread.NewRegistry()
		game, err := reg.Attach("Game", namedthread.Options{})
		require.NoError(t, err)
		s := taskgraph.Start(taskgraph.Options{Workers: 1, Threads: reg})
		never := s.NewEvent()
		result := make(chan error, 1)
		postTo(t, game, func() {
			go func() {
				ctx, cancel := context.WithCancel(bg)
				cancel()
				result <- s.Shutdown(ctx)
			}()
		})
		if inBody {
			err = s.Run(bg, taskgraph.Run(func(c *taskgraph.Context) error {
				return s.PumpUntilTasksComplete(c, never)
			}))
		} else {
			err = s.PumpUntilTasksComplete(bg, never)
		}
		require.ErrorIs(t, err, graphevent.ErrClosed)
		var stuck *taskgraph.StuckError
		require.ErrorAs(t, <-result, &stuck)
		require.NoError(t, game.Detach())
		runtime.UnlockOSThread()
	}
}

// A pumping wait allocates nothing, as the other one.
func TestAPumpingWaitAllocatesNothing(t *testing.T) {
	onGame(t, taskgraph.Options{Workers: 1}, func(s *taskgraph.System, game *namedthread.Thread) {
		step := taskgraph.Retain(taskgraph.Do(func() {})).On(game)
		once := func() { require.NoError(t, s.PumpUntilTasksComplete(bg, step.Launch(s))) }
		once()
		require.Zero(t, testing.AllocsPerRun(100, once))
	})
}
