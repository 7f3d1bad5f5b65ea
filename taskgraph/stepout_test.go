package taskgraph_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/taskgraph"
)

// With one worker the order says it all: each range is followed by what it has made ready, newest
// first, and by what that makes ready.
func TestLoopStepsOutInOrder(t *testing.T) {
	const n = 5
	var want []string
	for i := range n - 1 { // the last range has nothing to come back for
		want = append(want, fmt.Sprint("range ", i), fmt.Sprint("b", i), fmt.Sprint("a", i),
			fmt.Sprint("then ", i))
	}
	want = append(want, fmt.Sprint("range ", n-1), "loop")
	for _, unbalanced := range []bool{false, true} {
		var got []string // by the only worker
		note := func(what string, i int) taskgraph.Body {
			return taskgraph.Do(func() { got = append(got, fmt.Sprint(what, i)) })
		}
		loop := taskgraph.Loop{N: n, Grain: 1, Unbalanced: unbalanced,
			Body: func(p *taskgraph.Participant, lo, _ int) error {
				got = append(got, fmt.Sprint("range ", lo))
				c := p.Context()
				if lo == n-1 {
					return nil
				}
				a := c.Spawn(note("a", lo))
				c.Task(note("then ", lo)).After(a).Launch()
				c.Spawn(note("b", lo))
				return nil
			}}
		s := startUnwatched(t, taskgraph.Options{Workers: 1})
		e := s.Task(taskgraph.RunLoop(&loop)).Launch()
		s.Task(taskgraph.Do(func() { got = append(got, "loop") })).After(e).Launch()
		require.NoError(t, s.Shutdown(bg))
		require.Equal(t, want, got, "unbalanced: %v", unbalanced)
	}
}

// Nobody waits for what lies beneath it: what a range launches may wait for the loop, for ranges to
// come, or for a lock of the loop's caller.
func TestLoopStepsOutFromUnderWhatWaitsForIt(t *testing.T) {
	for _, workers := range []int{1, 2, 3} {
		s := start(t, taskgraph.Options{Workers: workers})
		const n = 40
		var ended atomics.Int32
		ends := taskgraph.Do(func() { ended.Add(1) })
		run(t, s, func(c *taskgraph.Context) error {
			last := s.NewEvent()
			var self taskgraph.Event
			known := s.NewEvent()
			loop := taskgraph.Loop{N: n, Grain: 1,
				Body: func(p *taskgraph.Participant, lo, _ int) error {
					if lo == n-1 {
						last.Trigger()
					}
					p.Context().Spawn(taskgraph.Run(func(c *taskgraph.Context) error {
						defer ended.Add(1)
						if lo%2 == 0 {
							return c.Wait(last)
						}
						if err := c.Wait(known); err != nil {
							return err
						}
						return c.Wait(self)
					}))
					return nil
				}}
			self = c.Task(taskgraph.RunLoop(&loop)).Launch()
			known.Trigger()
			return c.Wait(self)
		})
		// The caller holds a lock and is not alone on its stack.
		run(t, s, func(c *taskgraph.Context) error {
			lock := make(chan struct{}, 1)
			lock <- struct{}{}
			defer func() { <-lock }()
			return c.RunLoop(taskgraph.Loop{N: n, Grain: 1,
				Body: func(p *taskgraph.Participant, _, _ int) error {
					p.Context().Spawn(taskgraph.Do(func() {
						lock <- struct{}{}
						<-lock
						ended.Add(1)
					}))
					return nil
				}})
		})
		// The task is held open by what waits for ranges to come.
		run(t, s, func(c *taskgraph.Context) error {
			last := s.NewEvent()
			loop := taskgraph.Loop{N: n, Grain: 1,
				Body: func(p *taskgraph.Participant, lo, _ int) error {
					if lo == n-1 {
						last.Trigger()
					}
					if p.Index() == 0 {
						p.Context().DontCompleteUntil(p.Task(ends).After(last).Launch())
					} else {
						p.Task(ends).After(last).Launch()
					}
					p.Context().Spawn(taskgraph.Do(runtime.Gosched))
					return nil
				}}
			return c.Wait(c.Task(taskgraph.RunLoop(&loop)).Launch())
		})
		require.NoError(t, s.Shutdown(bg))
		require.EqualValues(t, 3*n, ended.Load())
	}
}

// A loop that has been left fails like any other, and by what a range does in a later round.
func TestLoopStepsOutAndFails(t *testing.T) {
	var panicked *graphevent.PanicError
	for name, test := range map[string]struct {
		last  func(c *taskgraph.Context) error
		check func(err error) bool
	}{
		"error": {func(*taskgraph.Context) error { return errBoom }, func(err error) bool {
			return errors.Is(err, errBoom)
		}},
		"panic": {func(*taskgraph.Context) error { panic(errBoom) }, func(err error) bool {
			return errors.As(err, &panicked)
		}},
		"exit": {func(*taskgraph.Context) error { runtime.Goexit(); return nil },
			func(err error) bool { return errors.Is(err, graphevent.ErrGoexit) }},
		"stop": {func(*taskgraph.Context) error { return taskgraph.ErrStopLoop },
			func(err error) bool { return err == nil }},
	} {
		t.Run(name, func(t *testing.T) {
			for _, workers := range []int{1, 2, 4} {
				s := start(t, taskgraph.Options{Workers: workers})
				var ran atomics.Int32
				const many = 1 << 20 // who ends the loop may stand still, and the others go on
				loop := taskgraph.Loop{N: many, Grain: 1,
					Body: func(p *taskgraph.Participant, _, _ int) error {
						if ran.Add(1) == 50 {
							return test.last(p.Context())
						}
						p.Context().Spawn(taskgraph.Do(func() {}))
						return nil
					}}
				err := s.Task(taskgraph.RunLoop(&loop)).Launch().Wait(bg)
				require.True(t, test.check(err), "%v", err)
				require.Less(t, ran.Load(), int32(many))
				_ = s.Shutdown(bg)
			}
		})
	}
}

// A call of the body may ask for another round of the whole loop, before and after it has been
// left.
func TestLoopStepsOutAndRunsAgain(t *testing.T) {
	for _, workers := range []int{1, 2} {
		s := start(t, taskgraph.Options{Workers: workers})
		for _, at := range []int{0, 7, 19} {
			var ran, rounds atomics.Int32
			loop := taskgraph.Loop{N: 20, Grain: 1, Limit: 1,
				Body: func(p *taskgraph.Participant, lo, _ int) error {
					c := p.Context()
					ran.Add(1)
					c.Spawn(taskgraph.Do(func() {}))
					if lo == at && rounds.Add(1) < 3 {
						c.Again()
					}
					return nil
				}}
			wait(t, s, s.Task(taskgraph.RunLoop(&loop)).Launch())
			require.EqualValues(t, 60, ran.Load())
		}
	}
}

// The caller of a shared loop leaves it only by stepping out. Where it cannot, because the call has
// asked for another round, it stays, whatever its ranges have made ready.
func TestCallerOfASharedLoopLeavesItByARound(t *testing.T) {
	for _, again := range []bool{false, true} {
		s := start(t, taskgraph.Options{Workers: 2})
		const n = 20
		var ran, rounds atomics.Int32
		rest := make(chan struct{}) // closed when the caller has run what the helper has not
		loop := taskgraph.Loop{N: n, Unbalanced: true, Limit: 2,
			Body: func(p *taskgraph.Participant, _, _ int) error {
				if p.Index() != 0 {
					<-rest
					ran.Add(1)
					return nil
				}
				if again && rounds.Add(1) == 1 {
					p.Context().Again()
				}
				p.Context().Spawn(taskgraph.Do(func() {}))
				if ran.Add(1) == n-1 {
					close(rest)
				}
				return nil
			}}
		err := s.Task(taskgraph.RunLoop(&loop)).Launch().Wait(bg)
		if ran.Load() < n-1 {
			close(rest)
		}
		require.NoError(t, err)
		want := n
		if again {
			want = 2 * n
		}
		require.EqualValues(t, want, ran.Load(), "another round: %v", again)
	}
}

// A shutdown that gives up ends a loop that has been left, and waits for nobody.
func TestLoopStepsOutAndIsAbandoned(t *testing.T) {
	for _, workers := range []int{1, 2} {
		s := taskgraph.Start(taskgraph.Options{Workers: workers})
		inside, hold := s.NewEvent(), make(chan struct{})
		loop := taskgraph.Loop{N: 100, Grain: 1, Limit: 1,
			Body: func(p *taskgraph.Participant, lo, _ int) error {
				for range workers {
					p.Context().Spawn(taskgraph.Do(func() { inside.Trigger(); <-hold }))
				}
				return nil
			}}
		e := s.Task(taskgraph.RunLoop(&loop)).Launch()
		require.NoError(t, inside.Wait(bg))
		ctx, cancel := context.WithCancel(bg)
		cancel()
		go func() { _ = e.Wait(bg); close(hold) }()
		require.Error(t, s.Shutdown(ctx))
		require.ErrorIs(t, e.Wait(bg), graphevent.ErrClosed) // a range of it may still run
	}
}

// To step out takes no memory.
func TestLoopStepsOutWithoutGarbage(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 2})
	nothing := taskgraph.Do(func() {})
	loop := taskgraph.Loop{N: 50, Grain: 1, Body: func(p *taskgraph.Participant, _, _ int) error {
		p.Context().Spawn(nothing)
		return nil
	}}
	body := taskgraph.Run(func(c *taskgraph.Context) error {
		return c.Wait(c.Task(taskgraph.RunLoop(&loop)).Launch())
	})
	step := func() { wait(t, s, s.Task(body).Launch()) }
	for range 100 {
		step()
	}
	require.LessOrEqual(t, testing.AllocsPerRun(100, step), 2.0, "what the wait outside takes")
}
