package taskgraph_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/taskgraph"
)

// body makes a Body of a function that needs less.
func body(f func(lo, hi int)) func(*taskgraph.Participant, int, int) error {
	return func(_ *taskgraph.Participant, lo, hi int) error { f(lo, hi); return nil }
}

// loops calls test with ways to run a loop: from outside, from a body, and from inside another
// loop.
func loops(t *testing.T, s *taskgraph.System,
	test func(t *testing.T, loop func(taskgraph.Loop) error)) {
	t.Run("outside", func(t *testing.T) { test(t, s.RunLoop) })
	t.Run("body", func(t *testing.T) {
		run(t, s, func(c *taskgraph.Context) error { test(t, c.RunLoop); return nil })
	})
	t.Run("nested", func(t *testing.T) {
		require.NoError(t, s.RunLoop(taskgraph.Loop{N: 3, Unbalanced: true,
			Body: func(p *taskgraph.Participant, lo, _ int) error {
				if lo == 1 {
					test(t, p.RunLoop)
				}
				return nil
			}}))
	})
	t.Run("own thread", func(t *testing.T) {
		wait(t, s, s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
			test(t, c.RunLoop)
			return nil
		})).OnOwnThread().Launch())
	})
}

// Every element is in one range, whatever the loop is asked for, and calls with the same number
// come one after the other.
func TestLoopCoversEachElementOnce(t *testing.T) {
	var systems []*taskgraph.System
	for w := range 8 {
		systems = append(systems, start(t, taskgraph.Options{Workers: w + 1}))
	}
	rapid.Check(t, func(rt *rapid.T) {
		s := rapid.SampledFrom(systems).Draw(rt, "system")
		l := taskgraph.Loop{
			N: rapid.IntRange(0, 3000).Draw(rt, "n"),
			Grain: rapid.SampledFrom([]int{0, 0, 1, 2, 7, 64, 5000,
				int(^uint(0) >> 1)}).Draw(rt, "grain"),
			Unbalanced: rapid.Bool().Draw(rt, "unbalanced"),
			Serial:     rapid.IntRange(0, 4).Draw(rt, "serial") == 0,
			Background: rapid.Bool().Draw(rt, "background"),
			Limit:      rapid.IntRange(0, 4).Draw(rt, "limit"),
		}
		pre := 0
		if rapid.Bool().Draw(rt, "prework") {
			l.PreWork = func() { pre++ }
		}
		heavy := rapid.IntRange(0, 300).Draw(rt, "heavy")
		makes := rapid.IntRange(0, 300).Draw(rt, "makes")
		var launched, ended atomics.Int32
		seen := make([]int, l.N)            // plain: each element is one call's
		taken := make([]int, s.LoopLimit()) // plain: each number is one goroutine's at a time
		last := 0
		l.Body = func(p *taskgraph.Participant, lo, hi int) error {
			if lo >= hi || l.Grain > 0 && (lo%l.Grain != 0 || hi-lo != min(l.Grain, l.N-lo)) ||
				l.Grain == 0 && l.Unbalanced && hi-lo != 1 {
				return fmt.Errorf("range %d to %d", lo, hi)
			}
			if i := p.Index(); i < 0 || i >= s.LoopLimit() || l.Limit > 0 && i >= l.Limit ||
				l.Serial && i != 0 {
				return fmt.Errorf("number %d", i)
			}
			if l.Serial || l.Limit == 1 {
				if lo != last {
					return fmt.Errorf("%d after %d", lo, last)
				}
				last = hi
			}
			taken[p.Index()] += hi - lo
			for i := lo; i < hi; i++ {
				seen[i]++
			}
			if lo < heavy {
				runtime.Gosched()
			}
			if c := p.Context(); c != nil && lo < makes {
				launched.Add(1)
				c.Spawn(taskgraph.Do(func() { ended.Add(1) }))
			}
			return nil
		}
		how := rapid.IntRange(0, 3).Draw(rt, "how")
		var err error
		switch how {
		case 0:
			err = s.RunLoop(l)
		case 1:
			err = s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
				return c.RunLoop(l)
			})).Launch().Wait(bg)
		case 2:
			once := taskgraph.Loop{N: 1, Unbalanced: true,
				Body: func(p *taskgraph.Participant, _, _ int) error { return p.RunLoop(l) }}
			err = s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
				return c.RunLoop(once)
			})).Launch().Wait(bg)
		case 3:
			err = s.Task(taskgraph.RunLoop(&l)).Launch().Wait(bg)
		}
		require.NoError(rt, err)
		for i, x := range seen {
			require.Equal(rt, 1, x, "element %d", i)
		}
		for launched.Load() != ended.Load() {
			runtime.Gosched() // what a range made ready may go on after the loop
		}
		sum := 0
		for _, x := range taken {
			sum += x
		}
		require.Equal(rt, l.N, sum)
		if l.PreWork != nil {
			require.Equal(rt, 1, pre)
		}
	})
}

// A loop is shared when it is worth it, and after that it begins shared.
func TestLoopIsShared(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 2, Foreground: -1})
	loops(t, s, func(t *testing.T, loop func(taskgraph.Loop) error) {
		var in sync.WaitGroup
		in.Add(2) // both at a time, or this hangs
		var n [2]atomics.Int32
		assert.NoError(t, loop(taskgraph.Loop{N: 2, Unbalanced: true, Limit: 2,
			Body: func(p *taskgraph.Participant, lo, hi int) error {
				in.Done()
				in.Wait()
				n[p.Index()].Add(1)
				if p.Index() != 0 {
					assert.NotNil(t, p.Context())
				}
				assert.Same(t, s, p.System())
				return nil
			}}))
		assert.EqualValues(t, 1, n[0].Load())
		assert.EqualValues(t, 1, n[1].Load())
	})
}

// PreWork runs while a helper works.
func TestLoopPreWorkBesideAHelper(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 2, Foreground: -1})
	loops(t, s, func(t *testing.T, loop func(taskgraph.Loop) error) {
		began := make(chan struct{})
		assert.NoError(t, loop(taskgraph.Loop{N: 3, Unbalanced: true, PreWork: func() { <-began },
			Body: body(func(lo, hi int) {
				if lo == 0 {
					close(began)
				}
			})}))
	})
}

// It runs also where nothing else does, and its failure is the loop's.
func TestLoopPreWorkAlways(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 2})
	loops(t, s, func(t *testing.T, loop func(taskgraph.Loop) error) {
		for _, n := range []int{0, 1, 100} {
			for _, serial := range []bool{false, true} {
				pre := 0
				assert.NoError(t, loop(taskgraph.Loop{N: n, Serial: serial,
					PreWork: func() { pre++ }, Body: body(func(int, int) {})}))
				assert.Equal(t, 1, pre)
				err := loop(taskgraph.Loop{N: n, Serial: serial, PreWork: func() { panic(errBoom) },
					Body: body(func(int, int) {})})
				assert.ErrorIs(t, err, errBoom)
			}
		}
	})
}

// After an error no range is begun that is not begun, and the first error is returned.
func TestLoopEndsEarly(t *testing.T) {
	for _, w := range []int{1, 4} {
		s := start(t, taskgraph.Options{Workers: w})
		loops(t, s, func(t *testing.T, loop func(taskgraph.Loop) error) {
			for _, unbalanced := range []bool{false, true} {
				for _, fault := range []error{errBoom, taskgraph.ErrStopLoop,
					fmt.Errorf("enough: %w", taskgraph.ErrStopLoop)} {
					over := false
					err := loop(taskgraph.Loop{N: 100_000, Grain: 1, Unbalanced: unbalanced,
						Body: func(p *taskgraph.Participant, lo, _ int) error {
							if over {
								t.Error("a range after the end")
							}
							if lo == 50 {
								return fault
							}
							return nil
						}})
					over = true
					if errors.Is(fault, taskgraph.ErrStopLoop) {
						assert.NoError(t, err)
					} else {
						assert.Same(t, fault, err)
					}
				}
			}
		})
	}
}

// Stopped tells those who are in the middle of a range.
func TestLoopStopped(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 2, Foreground: -1})
	var in sync.WaitGroup
	in.Add(2)
	require.ErrorIs(t, s.RunLoop(taskgraph.Loop{N: 2, Unbalanced: true,
		Body: func(p *taskgraph.Participant, lo, _ int) error {
			assert.False(t, p.Stopped() && lo == 1)
			in.Done()
			in.Wait()
			if lo == 1 {
				return errBoom
			}
			for !p.Stopped() {
				runtime.Gosched()
			}
			return nil
		}}), errBoom)
}

// A panic or a Goexit in any range, by whomever, ends the loop, and only its own.
func TestLoopFaults(t *testing.T) {
	for _, w := range []int{1, 3} {
		s := start(t, taskgraph.Options{Workers: w})
		for _, n := range []int{1, 2, 50} {
			for at := 0; at < n; at += 1 + n/5 {
				over := false
				l := taskgraph.Loop{N: n, Unbalanced: true, Body: body(func(lo, _ int) {
					if over {
						t.Error("a range after the end")
					}
					if lo == at {
						panic(errBoom)
					}
				})}
				require.ErrorIs(t, s.RunLoop(l), errBoom)
				run(t, s, func(c *taskgraph.Context) error {
					assert.ErrorIs(t, c.RunLoop(l), errBoom)
					return nil
				})
				over = true

				l.Body = body(func(lo, _ int) {
					if lo == at {
						runtime.Goexit()
					}
				})
				returned := make(chan error, 1)
				go func() {
					defer close(returned)
					returned <- s.RunLoop(l)
				}()
				if err, ok := <-returned; ok { // else it was the caller's own goroutine
					require.ErrorIs(t, err, graphevent.ErrGoexit)
				}
				e := s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
					return c.RunLoop(l)
				})).Launch()
				require.ErrorIs(t, e.Wait(bg), graphevent.ErrGoexit)
			}
		}
		occupy(t, s, w)() // no worker is lost
	}
}

// What is known to be cheap runs without all that a loop needs that is shared, and fails in the
// same ways.
func TestCheapLoopFaults(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 2})
	for _, grain := range []int{0, 1} {
		fault := func() error { return nil }
		l := taskgraph.Loop{N: 4, Grain: grain, Limit: 1,
			Body: func(p *taskgraph.Participant, _, hi int) error {
				if p.Index() != 0 || p.System() != s || p.Stopped() {
					return errors.New("not the caller's participant")
				}
				if hi < 4 {
					return nil
				}
				return fault()
			}}
		plain := func(_, hi int) {
			if hi == 4 {
				_ = fault()
			}
		}
		loops(t, s, func(t *testing.T, loop func(taskgraph.Loop) error) {
			fault = func() error { return nil }
			for range callerRounds(1000) { // it becomes known, and some are measured
				assert.NoError(t, loop(l))
				assert.NoError(t, s.ParallelFor(4, grain, plain))
			}
			for range callerRounds(300) {
				fault = func() error { return errBoom }
				assert.Same(t, errBoom, loop(l))
				fault = func() error { return fmt.Errorf("enough: %w", taskgraph.ErrStopLoop) }
				assert.NoError(t, loop(l))
				fault = func() error { panic(errBoom) }
				assert.ErrorIs(t, loop(l), errBoom)
				var p *graphevent.PanicError
				assert.ErrorAs(t, s.ParallelFor(4, grain, plain), &p)
				assert.Contains(t, string(p.Stack), "TestCheapLoopFaults")
			}
			fault = func() error { return nil }
			assert.NoError(t, loop(l), "as if nothing had been")
		})
		fault = func() error { runtime.Goexit(); return nil }
		for range callerRounds(300) {
			for _, f := range []func(){func() { _ = s.RunLoop(l) },
				func() { _ = s.ParallelFor(4, grain, plain) }} {
				returned, ended := false, make(chan struct{})
				go func() {
					defer close(ended)
					f()
					returned = true
				}()
				<-ended
				require.False(t, returned)
			}
		}
		require.ErrorIs(t,
			s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
				return c.RunLoop(l)
			})).Launch().Wait(bg), graphevent.ErrGoexit)
	}
}

// The context of a cheap loop's participant is the one of the body that called it, also if bodies
// lie on one stack.
func TestCheapLoopContexts(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 1})
	in := func(c *taskgraph.Context, then func(p *taskgraph.Participant)) {
		for range 1000 {
			assert.NoError(t, c.RunLoop(taskgraph.Loop{N: 1,
				Body: func(p *taskgraph.Participant, _, _ int) error {
					if p.Context() != c {
						return errors.New("another body's context")
					}
					if then != nil {
						then(p)
						then = nil
					}
					if p.Context() != c {
						return errors.New("another body's context, later")
					}
					return nil
				}}))
		}
	}
	run(t, s, func(c *taskgraph.Context) error {
		in(c, nil)
		in(c, func(p *taskgraph.Participant) {
			assert.NoError(t, p.WaitUntilTasksComplete(bg,
				p.Context().Spawn(taskgraph.Run(func(c *taskgraph.Context) error {
					in(c, nil)
					return nil
				}))))
		})
		return nil
	})
}

// A cheap loop is told that the task's context has ended, and between ranges.
func TestCheapLoopEndsWithItsContext(t *testing.T) {
	s := startUnwatched(t, taskgraph.Options{Workers: 1})
	ctx, cancel := context.WithCancelCause(bg)
	calls := 0
	wait(t, s, s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		end := false
		body := func(int, int) {
			if calls++; end {
				cancel(errBoom)
			}
		}
		for range 1000 {
			assert.NoError(t, c.ParallelFor(4, 1, body))
			assert.NoError(t, c.ParallelFor(4, 0, body))
		}
		end, calls = true, 0
		err := c.ParallelFor(4, 1, body)
		assert.ErrorIs(t, err, graphevent.ErrCanceled)
		assert.ErrorIs(t, err, errBoom)
		assert.Equal(t, 1, calls)
		assert.ErrorIs(t, c.ParallelFor(4, 0, body), errBoom)
		assert.Equal(t, 1, calls)
		return nil
	})).Context(ctx).Launch())
}

// When the task's context ends no further range is begun.
func TestLoopEndsWithItsContext(t *testing.T) {
	for _, w := range []int{1, 3} {
		s := startUnwatched(t, taskgraph.Options{Workers: w})
		for _, unbalanced := range []bool{false, true} {
			ctx, cancel := context.WithCancelCause(bg)
			var calls atomics.Int32
			wait(t, s, s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
				err := c.RunLoop(taskgraph.Loop{N: 1000, Grain: 1, Unbalanced: unbalanced,
					Body: func(p *taskgraph.Participant, _, _ int) error {
						calls.Add(1)
						cancel(errBoom)
						if p.Context().Err() == nil || !p.Stopped() {
							return errors.New("not told")
						}
						return nil
					}})
				assert.ErrorIs(t, err, graphevent.ErrCanceled)
				assert.ErrorIs(t, err, errBoom)
				return nil
			})).Context(ctx).Launch())
			require.LessOrEqual(t, int(calls.Load()), w)
			// One that has all its ranges begun is not cancelled.
			ctx, cancel = context.WithCancelCause(bg)
			wait(t, s, s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
				return c.ParallelFor(1, 1, func(int, int) { cancel(nil) })
			})).Context(ctx).Launch())
		}
	}
}

// A participant that did not run has no effect, and a limit holds.
func TestLoopLimit(t *testing.T) {
	s := startUnwatched(t, taskgraph.Options{Workers: 4})
	require.Equal(t, 5, s.LoopLimit())
	release := occupy(t, s, 4)
	n := 0 // plain: the caller does it all
	require.NoError(t, s.RunLoop(taskgraph.Loop{N: 100, Unbalanced: true,
		Body: func(p *taskgraph.Participant, lo, _ int) error {
			assert.Zero(t, p.Index())
			assert.Nil(t, p.Context())
			n++
			return nil
		}}))
	require.Equal(t, 100, n)
	release()
}

func TestLoopAfterShutdown(t *testing.T) {
	s := taskgraph.Start(taskgraph.Options{Workers: 2})
	require.NoError(t, s.Shutdown(bg))
	for _, background := range []bool{false, true} {
		n := 0
		require.NoError(t, s.RunLoop(taskgraph.Loop{N: 100, Unbalanced: true,
			Background: background, Body: body(func(lo, hi int) { n++ })}))
		require.Equal(t, 100, n)
	}
}

func TestLoopMisuse(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 1})
	nop := body(func(int, int) {})
	for text, l := range map[string]taskgraph.Loop{
		"taskgraph: a loop over a negative number of elements": {N: -1, Body: nop},
		"taskgraph: a loop with a negative grain": {Grain: -1,
			Body: nop},
		"taskgraph: a loop with a negative Limit": {Limit: -1,
			Body: nop},
		"taskgraph: a loop without a body":                                   {N: 1},
		"taskgraph: a loop whose Site is neither a function nor a *LoopSite": {Body: nop, Site: 1},
	} {
		require.PanicsWithValue(t, text, func() { _ = s.RunLoop(l) })
	}
	require.PanicsWithValue(t, "taskgraph: a loop whose Site is neither a function nor a *LoopSite",
		func() {
			_ = s.RunLoop(taskgraph.Loop{Body: nop, Site: (*taskgraph.LoopSite)(nil)})
		})
	require.PanicsWithValue(t, "taskgraph: ParallelFor without a body", func() {
		_ = s.ParallelFor(1, 0, nil)
	})
}

// The largest number of elements there can be: the ranges do not wrap around.
func TestLoopOverAllNumbers(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 2})
	const most = int(^uint(0) >> 1)
	for _, grain := range []int{most, most - 1, most/2 + 1, most / 3} {
		for _, unbalanced := range []bool{false, true} {
			var sum atomics.Uint64
			require.NoError(t, s.RunLoop(taskgraph.Loop{N: most, Grain: grain,
				Unbalanced: unbalanced, Body: body(func(lo, hi int) {
					sum.Add(uint64(hi - lo))
				})}))
			require.EqualValues(t, most, sum.Load())
		}
	}
	var sum atomics.Uint64
	require.NoError(t, s.ParallelFor(most, 0, func(lo, hi int) { sum.Add(uint64(hi - lo)) }))
	require.EqualValues(t, most, sum.Load())
	calls := 0
	require.ErrorIs(t, s.RunLoop(taskgraph.Loop{N: most, Grain: 1, Serial: true,
		Body: func(*taskgraph.Participant, int, int) error {
			if calls++; calls == 1000 {
				return errBoom
			}
			return nil
		}}), errBoom)
}

// A background helper stands back now and then: with one worker, a task that became ready after it
// began runs before the loop is over.
func TestBackgroundLoopStandsBack(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 1})
	var ran atomics.Bool
	launch := sync.OnceFunc(func() { s.Go(func() { ran.Store(true) }) })
	if runtime.GOMAXPROCS(0) == 1 {
		return // the caller has no helper
	}
	require.NoError(t, s.RunLoop(taskgraph.Loop{N: 1 << 30, Unbalanced: true, Background: true,
		Limit: 2, Body: func(p *taskgraph.Participant, lo, _ int) error {
			if p.Index() == 1 {
				launch()
			}
			if ran.Load() {
				return taskgraph.ErrStopLoop
			}
			runtime.Gosched()
			return nil
		}}))
	require.True(t, ran.Load())
}

func TestLoopsAllocateNothing(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 2})
	x := make([]int64, 20) // too few to be worth a helper, which keeps a loop if it is late
	f := func(lo, hi int) {
		for i := lo; i < hi; i++ {
			x[i]++
		}
	}
	b := body(f)
	var in atomics.Int32
	both := body(func(lo, hi int) { // the helper is not late: such a one keeps a loop
		for in.Add(1); in.Load() < 2; {
			runtime.Gosched()
		}
	})
	loop := func(l taskgraph.Loop) func() {
		return func() {
			in.Store(0)
			if err := s.RunLoop(l); err != nil {
				t.Error(err)
			}
		}
	}
	for name, call := range map[string]func(){
		"cheap":   func() { _ = s.ParallelFor(len(x), 0, f) },
		"grain":   func() { _ = s.ParallelFor(len(x), 10, f) },
		"loop":    loop(taskgraph.Loop{N: len(x), Body: b}),
		"shared":  loop(taskgraph.Loop{N: 2, Unbalanced: true, Limit: 2, Body: both}),
		"prework": loop(taskgraph.Loop{N: len(x), Serial: true, PreWork: func() {}, Body: b}),
		"background": loop(taskgraph.Loop{N: 2, Unbalanced: true, Limit: 2, Background: true,
			Body: both}),
	} {
		for range 200 { // nodes and free lists
			call()
		}
		wait(t, s, s.Go(func() {}))
		require.Zero(t, testing.AllocsPerRun(100, call), name)
	}
	run(t, s, func(c *taskgraph.Context) error {
		call := func() {
			in.Store(0)
			_ = c.RunLoop(taskgraph.Loop{N: 2, Unbalanced: true, Limit: 2, Body: both})
		}
		times := brief(300, 100)
		for range times {
			call()
		}
		assert.Zero(t, testing.AllocsPerRun(times, call), "from a body")
		return nil
	})
}

// A panic with ErrStopLoop is a failure, and not the end of the loop without one.
func TestPanicWithErrStopLoop(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 2})
	for _, unbalanced := range []bool{false, true} {
		for range 3 { // the first call measures
			err := s.RunLoop(taskgraph.Loop{N: 10, Unbalanced: unbalanced,
				Body: func(_ *taskgraph.Participant, lo, _ int) error {
					panic(taskgraph.ErrStopLoop)
				}})
			var panicked *graphevent.PanicError
			require.ErrorAs(t, err, &panicked)
		}
	}
}
