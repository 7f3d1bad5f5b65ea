package taskgraph_test

import (
	"context"
	"errors"
	"math"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/namedthread"
	"github.com/heddle-go/heddle/sleepevent"
	"github.com/heddle-go/heddle/taskgraph"
)

// sleepKinds are systems that sleep in different ways.
var sleepKinds = []struct {
	name string
	with taskgraph.Options
}{
	{"default", taskgraph.Options{Workers: 2}},
	{"many workers", taskgraph.Options{Workers: 9}},
	{"one worker", taskgraph.Options{Workers: 1}},
	{"no foreground", taskgraph.Options{Workers: 2, Foreground: -1}},
	{"in the Go scheduler", taskgraph.Options{Workers: 2, Park: sleepevent.ParkGo}},
	{"asleep", taskgraph.Options{Workers: 2, Idle: taskgraph.IdleSleep}},
	{"awake", taskgraph.Options{Workers: 2, Idle: taskgraph.IdleAwake}},
	{"watched", taskgraph.Options{Workers: 2, SlowAfter: time.Hour, Sites: true}},
}

// A sleep ends at its moment and not before, wherever it is made; and a moment that has passed is
// none to wait for.
func TestSleepUntil(t *testing.T) {
	for _, k := range sleepKinds {
		t.Run(k.name, func(t *testing.T) {
			threads := namedthread.NewRegistry()
			th, err := threads.Start("sleeper", namedthread.Options{})
			require.NoError(t, err)
			t.Cleanup(func() { th.Quit(); <-th.Done() })
			k.with.Threads = threads
			s := start(t, k.with)
			sleeps := func(ctx context.Context) error {
				for _, d := range []time.Duration{-time.Hour, 0, 1, 30 * time.Microsecond,
					time.Millisecond, time.Duration(brief(5, 2)) * time.Millisecond} {
					until := time.Now().Add(d)
					if err := s.SleepUntil(ctx, until); err != nil {
						return err
					}
					if time.Now().Before(until) {
						return errors.New("too early")
					}
				}
				return nil
			}
			body := taskgraph.Run(func(c *taskgraph.Context) error { return sleeps(c) })
			require.NoError(t, sleeps(bg))
			wait(t, s, s.Task(body).Launch(), s.Task(body).Launch(), s.Task(body).On(th).Launch())
			require.NoError(t, s.Run(bg, body))
			wait(t, s, s.Task(taskgraph.Run(func(c *taskgraph.Context) error { // on top of a wait
				e := c.Spawn(body)
				return c.Wait(e)
			})).Launch())
			wait(t, s, s.Task(taskgraph.Run(func(c *taskgraph.Context) (err error) {
				c.Blocking(func() { err = sleeps(c) })
				return err
			})).Launch())
		})
	}
}

func TestSleepUntilInVirtualTime(t *testing.T) {
	s := start(t, taskgraph.Options{Deterministic: &taskgraph.Deterministic{Seed: 1}})
	run(t, s, func(c *taskgraph.Context) error {
		until := s.Now().Add(time.Hour)
		err := s.SleepUntil(c, until)
		require.Equal(t, until, s.Now())
		return err
	})
	bubble(t, func(t *testing.T, s *taskgraph.System) {
		begin := time.Now()
		run(t, s, func(c *taskgraph.Context) error { return s.SleepUntil(c, begin.Add(time.Hour)) })
		require.Equal(t, time.Hour, time.Since(begin))
		require.NoError(t, s.SleepUntil(bg, begin.Add(2*time.Hour)))
		s.ExpectWork(begin.Add(3 * time.Hour))
		synctest.Wait()
	})
}

// A context's end ends the sleep, before it or inside, and its cause is the result. So it is for a
// moment that is as far away as a time.Duration can be.
func TestSleepUntilWithAContextThatEnds(t *testing.T) {
	cause := errors.New("a cause")
	for i := range 2 * len(sleepKinds) {
		k := sleepKinds[i/2]
		t.Run(k.name, func(t *testing.T) {
			s := start(t, k.with)
			moment := time.Now().Add([]time.Duration{time.Hour, math.MaxInt64}[i%2])
			ctx, cancel := context.WithCancelCause(bg)
			outside := make(chan error)
			go func() { outside <- s.SleepUntil(ctx, moment) }()
			var began atomics.Bool
			inside := s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
				began.Store(true)
				return s.SleepUntil(c, moment)
			})).Context(ctx).Launch()
			for !began.Load() {
				runtime.Gosched()
			}
			cancel(cause)
			require.ErrorIs(t, <-outside, cause)
			require.ErrorIs(t, s.WaitUntilTasksComplete(bg, inside), cause)
			require.ErrorIs(t, s.SleepUntil(ctx, moment), cause)
			require.ErrorIs(t, s.SleepUntil(ctx, time.Now()), cause)
		})
	}
}

// Shutdown gives up on a body that sleeps, on its worker or having given that away, and the sleep
// ends with ErrClosed.
func TestSleepUntilIsAbandoned(t *testing.T) {
	for _, k := range sleepKinds {
		t.Run(k.name, func(t *testing.T) {
			guard(t)
			s := taskgraph.Start(k.with)
			result := make(chan error, 2)
			var began atomics.Int32
			for range 2 {
				s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
					began.Add(1)
					err := s.SleepUntil(c, time.Now().Add(time.Hour))
					result <- err
					return err
				})).Launch()
			}
			for began.Load() < 2 {
				runtime.Gosched()
			}
			ctx, cancel := context.WithCancel(bg)
			cancel()
			require.Error(t, s.Shutdown(ctx))
			require.ErrorIs(t, <-result, graphevent.ErrClosed)
			require.ErrorIs(t, <-result, graphevent.ErrClosed)
		})
	}
}

// Bodies that sleep give their workers to others' work.
func TestSleepUntilGivesTheWorkerAway(t *testing.T) {
	for _, k := range sleepKinds {
		t.Run(k.name, func(t *testing.T) {
			s := start(t, k.with)
			ctx, cancel := context.WithCancel(bg)
			var began atomics.Int32
			some := time.Duration(brief(20, 4)) * time.Millisecond
			sleeper := taskgraph.Run(func(c *taskgraph.Context) error {
				began.Add(1)
				for until := time.Now().Add(time.Hour); ctx.Err() == nil; {
					_ = s.SleepUntil(c, earlier(until, time.Now().Add(some)))
				}
				return nil
			})
			var sleepers []taskgraph.Event
			for range 3 * k.with.Workers {
				sleepers = append(sleepers, s.Task(sleeper).Launch())
			}
			for int(began.Load()) < len(sleepers) { // each worker has passed on
				runtime.Gosched()
			}
			for range 100 {
				run(t, s, func(c *taskgraph.Context) error { return c.Wait(c.Spawn(noop())) })
			}
			cancel()
			wait(t, s, sleepers...)
		})
	}
}

// A sleep that a context can end is one of those in which another runner stands in for the worker.
func TestSleepUntilCountsAsBlocking(t *testing.T) {
	if runtime.GOMAXPROCS(0) < 2 {
		t.Skip("with one P nobody stays awake, and the sleep is a wait like any other")
	}
	guard(t)
	cause := errors.New("a cause")
	s := start(t, taskgraph.Options{Workers: 2})
	ctx, cancel := context.WithCancelCause(bg)
	e := s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		return s.SleepUntil(c, time.Now().Add(time.Hour))
	})).Context(ctx).Launch()
	for s.Stats().Blocking == 0 {
		runtime.Gosched()
	}
	cancel(cause)
	require.ErrorIs(t, s.WaitUntilTasksComplete(bg, e), cause)
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

// A system whose body sleeps is neither stuck nor slow, and a Shutdown waits for it. On a machine
// that is busy it may be slow to fall asleep, and to go on when its time has come: what is reported
// later does not count, and what is reported before is tried again.
func TestSleepUntilIsNotStuck(t *testing.T) {
	guard(t)
	for try := 0; ; try++ {
		var until atomics.Int64
		var early atomics.Pointer[taskgraph.StuckReport]
		s := taskgraph.Start(taskgraph.Options{Workers: 2, StuckAfter: time.Millisecond,
			SlowAfter: 10 * time.Millisecond,
			OnStuck: func(r *taskgraph.StuckReport) {
				if atomics.Now() < until.Load() {
					early.Store(r)
				}
			}})
		e := s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
			const sleep = 50 * time.Millisecond
			until.Store(atomics.Now() + int64(sleep))
			return s.SleepUntil(c, time.Now().Add(sleep))
		})).Launch()
		after := s.Task(noop()).After(e).Launch()
		require.NoError(t, s.Shutdown(bg))
		require.True(t, after.IsComplete() && after.Err() == nil)
		r := early.Load()
		if r == nil {
			return
		}
		require.Less(t, try, 500, "%v", r)
	}
}

// Idle workers wake up by themselves for the moment; a moment that has passed is none.
func TestExpectWork(t *testing.T) {
	if runtime.GOMAXPROCS(0) < 2 {
		t.Skip("with one P nobody drowses")
	}
	s := start(t, taskgraph.Options{Workers: 2})
	// Who is woken by nobody sleeps once more than sleepers were woken.
	byTimers := func() uint64 {
		st := s.Stats()
		return st.Sleeps - st.KernelWakes
	}
	for byTimers() < 2 {
		runtime.Gosched()
	}
	for range 3 {
		// a worker that hears of the moment too late lets it pass
		for before := byTimers(); byTimers() < before+2; {
			until := time.Now().Add(5 * time.Millisecond)
			s.ExpectWork(until)
			for byTimers() < before+2 && time.Since(until) < 5*time.Millisecond {
				runtime.Gosched()
			}
		}
	}
	s.ExpectWork(time.Now().Add(-time.Hour))
	s.ExpectWork(time.Time{})
	s.ExpectWork(time.Now().Add(time.Hour))
	run(t, s, func(*taskgraph.Context) error { return nil })
}

// Steps at a beat make no garbage, from outside and in a body. With one P a sleep is a timer.
func TestNoGarbageAtABeat(t *testing.T) {
	needsTwoPs(t)
	s := start(t, taskgraph.Options{Workers: 2})
	var b taskgraph.GraphBuilder
	for range 20 {
		b.Task(taskgraph.Do(func() {}))
	}
	g, err := b.Build()
	require.NoError(t, err)
	next := time.Now()
	step := func(ctx context.Context) {
		next = next.Add(20 * time.Microsecond)
		require.NoError(t, s.SleepUntil(ctx, next))
		require.NoError(t, s.RunGraph(ctx, g))
	}
	requireNoGarbage(t, func() { step(bg) })
	next = time.Now()
	requireNoGarbageInside(t, s, func(c *taskgraph.Context) { step(c) })
}

func TestIdleModes(t *testing.T) {
	require.Panics(t, func() { taskgraph.Start(taskgraph.Options{Idle: 3}) })
	s := start(t, taskgraph.Options{Workers: 2, Idle: taskgraph.IdleSleep})
	for range 100 {
		run(t, s, func(*taskgraph.Context) error { return nil })
	}
	require.Zero(t, s.Drowses())
	if runtime.GOMAXPROCS(0) < 2 {
		return
	}
	awake := start(t, taskgraph.Options{Workers: 2, Idle: taskgraph.IdleAwake})
	for awake.Drowses() == 0 {
		runtime.Gosched()
	}
	require.NoError(t, awake.SleepUntil(bg, time.Now().Add(5*time.Millisecond)))
	for awake.Awake() == 0 { // the beat has changed nothing
		runtime.Gosched()
	}
}
