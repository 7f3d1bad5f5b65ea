package taskgraph_test

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
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

func TestShutdownDrains(t *testing.T) {
	for _, w := range []int{1, 2, 4} {
		guard(t)
		s := taskgraph.Start(taskgraph.Options{Workers: w})
		var ran atomics.Int32
		var grow func(c *taskgraph.Context, depth int)
		grow = func(c *taskgraph.Context, depth int) {
			ran.Add(1)
			if depth > 0 {
				for range 2 {
					c.Spawn(taskgraph.Run(func(c *taskgraph.Context) error {
						grow(c, depth-1)
						return nil
					}))
				}
			}
		}
		s.Task(taskgraph.Run(func(c *taskgraph.Context) error { grow(c, 10); return nil })).Launch()
		require.NoError(t, s.Shutdown(bg))
		require.EqualValues(t, 2047, ran.Load())
		require.NoError(t, s.Shutdown(bg), "a second call returns the first one's result")
		require.Zero(t, s.Stats().Live)
	}
}

func TestLaunchAfterShutdown(t *testing.T) {
	s := taskgraph.Start(taskgraph.Options{Workers: 1})
	require.NoError(t, s.Shutdown(bg))
	e := s.Go(func() { t.Error("ran") })
	require.True(t, e.IsComplete())
	require.ErrorIs(t, e.Err(), graphevent.ErrClosed)
	e = s.Task(taskgraph.Do(func() {
		t.Error("ran")
	})).After(e).Name("x").Always().Priority(taskgraph.PriorityHigh).Launch()
	require.ErrorIs(t, s.WaitUntilTasksComplete(bg, e), graphevent.ErrClosed)
	n := 0
	require.NoError(t, s.ParallelFor(10, 1, func(lo, hi int) { n += hi - lo }),
		"the caller does it all")
	require.Equal(t, 10, n)
}

// Trap 12: each launch that races with Shutdown is accepted and completes, or is refused.
func TestTrap12_ShutdownRacingWithLaunch(t *testing.T) {
	for range brief(200, 50) {
		s := taskgraph.Start(taskgraph.Options{Workers: 2})
		var ran, accepted atomics.Int32
		var wg sync.WaitGroup
		for g := range 3 {
			wg.Go(func() {
				for range 20 {
					var e taskgraph.Event
					if g == 0 {
						e = s.Task(taskgraph.Do(func() { ran.Add(1) })).Launch()
					} else {
						e = s.Go(func() { ran.Add(1) })
					}
					switch err := s.WaitUntilTasksComplete(bg, e); {
					case err == nil:
						accepted.Add(1)
					case !errors.Is(err, graphevent.ErrClosed):
						t.Errorf("got %v", err)
					}
				}
			})
		}
		require.NoError(t, s.Shutdown(bg))
		wg.Wait()
		require.Equal(t, accepted.Load(), ran.Load())
	}
}

// A second Shutdown returns when the first one is over.
func TestShutdownWaitsForTheFirst(t *testing.T) {
	guard(t)
	for range 20 {
		s := taskgraph.Start(taskgraph.Options{Workers: 1})
		in, gate := make(chan struct{}), make(chan struct{})
		var over atomics.Bool
		s.Go(func() { close(in); <-gate; over.Store(true) })
		<-in
		var both sync.WaitGroup
		for range 2 {
			both.Go(func() {
				if err := s.Shutdown(bg); err != nil || !over.Load() {
					t.Errorf("failed: %v, the body is over: %v", err, over.Load())
				}
			})
		}
		for s.Go(func() {}).Err() == nil { // until the door is closed
			atomics.Gosched()
		}
		time.Sleep(time.Millisecond) // what returns too early has the time to do so
		close(gate)
		both.Wait()
	}
}

func TestShutdownNamesWhatIsStuck(t *testing.T) {
	guard(t)
	s := taskgraph.Start(taskgraph.Options{Workers: 2, StuckAfter: 20 * time.Millisecond})
	never := s.NewEvent()
	held := s.Task(taskgraph.Do(func() { t.Error("ran") })).Name("held")
	waiting := s.Task(taskgraph.Do(func() { t.Error("ran") })).Name("waiting").After(never,
		held.Event()).Launch()
	open := s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		c.DontCompleteUntil(never)
		return nil
	})).Name("open").Launch()
	blocked := s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		return c.WaitUntilTasksComplete(bg, waiting)
	})).Name("blocked").Launch()

	err := s.Shutdown(bg)
	var stuck *taskgraph.StuckError
	require.ErrorAs(t, err, &stuck)
	states := map[string]string{}
	for _, task := range stuck.Tasks {
		states[task.Name] = task.State
		if task.Name == `task "waiting"` {
			require.ElementsMatch(t, []string{never.String(), `task "held"`}, task.WaitsFor)
		}
	}
	require.Equal(t, map[string]string{
		`task "held"`: "unsubmitted", `task "waiting"`: "waiting", `task "open"`: "executing",
		`task "blocked"`: "executing", never.String(): "untriggered",
	}, states)
	require.ErrorContains(t, err, "taskgraph: shut down with 5 incomplete")
	require.Nil(t, stuck.Cause)
	for _, e := range []taskgraph.Event{never, held.Event(), waiting, open, blocked} {
		require.True(t, e.IsComplete(), e.State())
		require.ErrorIs(t, e.Err(), graphevent.ErrClosed)
	}
	require.ErrorIs(t, held.Launch().Err(), graphevent.ErrClosed)
}

func TestShutdownBreaksCycles(t *testing.T) {
	for name, build := range map[string]func(s *taskgraph.System) []taskgraph.Event{
		"prerequisites": func(s *taskgraph.System) []taskgraph.Event {
			a, b := s.Task(taskgraph.Do(func() { t.Error("ran") })), s.Task(taskgraph.Do(func() {
				t.Error("ran")
			}))
			a.After(b.Event())
			b.After(a.Event())
			return []taskgraph.Event{a.Launch(), b.Launch()}
		},
		"held open": func(s *taskgraph.System) []taskgraph.Event {
			var a, b taskgraph.Task
			a = s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
				c.DontCompleteUntil(b.Event())
				return nil
			}))
			b = s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
				c.DontCompleteUntil(a.Event())
				return nil
			}))
			return []taskgraph.Event{a.Launch(), b.Launch()}
		},
		"waits": func(s *taskgraph.System) []taskgraph.Event {
			var a, b taskgraph.Task
			var both sync.WaitGroup
			both.Add(2)
			meet := func(c *taskgraph.Context, e taskgraph.Event) error {
				both.Done()
				both.Wait()
				return c.WaitUntilTasksComplete(bg, e)
			}
			a = s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
				return meet(c, b.Event())
			}))
			b = s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
				return meet(c, a.Event())
			}))
			return []taskgraph.Event{a.Launch(), b.Launch()}
		},
	} {
		t.Run(name, func(t *testing.T) {
			guard(t)
			s := taskgraph.Start(taskgraph.Options{Workers: 2, StuckAfter: 10 * time.Millisecond})
			events := build(s)
			var stuck *taskgraph.StuckError
			require.ErrorAs(t, s.Shutdown(bg), &stuck)
			require.Len(t, stuck.Tasks, 2)
			for _, e := range events {
				require.True(t, e.IsComplete())
				require.ErrorIs(t, e.Err(), graphevent.ErrClosed)
			}
		})
	}
}

// A body that never returns keeps its goroutine, and nothing else.
func TestShutdownGivesUpWithContext(t *testing.T) {
	guard(t)
	s := taskgraph.Start(taskgraph.Options{Workers: 2})
	gate := make(chan struct{})
	in := make(chan struct{})
	var told atomics.Bool
	blocked := s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		close(in)
		<-gate
		told.Store(c.Err() != nil)
		return nil
	})).Name("blocked").Launch()
	after := s.Task(taskgraph.Do(func() { t.Error("ran") })).After(blocked).Launch()
	<-in
	ctx, cancel := context.WithCancelCause(bg)
	why := errors.New("no time")
	cancel(why)
	err := s.Shutdown(ctx)
	var stuck *taskgraph.StuckError
	require.ErrorAs(t, err, &stuck)
	require.ErrorIs(t, err, why)
	require.ErrorContains(t, err, `task "blocked" runs`)
	require.False(t, blocked.IsComplete())
	close(gate)
	require.NoError(t, blocked.Wait(bg))
	require.ErrorIs(t, after.Wait(bg), graphevent.ErrClosed)
	require.True(t, told.Load())
}

// What goroutines wait for in a test of a Shutdown.
var awaitedByGoroutines = map[string]struct {
	name string // of what is awaited, in the report
	wait func(s *taskgraph.System, named taskgraph.Event) error
}{
	"event": {"door", func(s *taskgraph.System, e taskgraph.Event) error {
		return s.WaitUntilTasksComplete(bg, e)
	}},
	"all": {"door", func(s *taskgraph.System, e taskgraph.Event) error {
		return s.WaitUntilTasksComplete(bg, e.Store().All(e, s.NewEvent()))
	}},
	"any": {"door", func(s *taskgraph.System, e taskgraph.Event) error {
		_, err := s.WaitAny(bg, e, s.NewEvent())
		return err
	}},
	"Event.Wait": {"door", func(s *taskgraph.System, e taskgraph.Event) error {
		return e.Wait(bg)
	}},
	"semaphore": {"semaphore 1", func(s *taskgraph.System, e taskgraph.Event) error {
		m := s.NewSemaphore(1)
		if !m.TryAcquire() {
			panic("not free")
		}
		return m.Acquire(bg)
	}},
	"limiter with a held task": {"limiter 1 is idle",
		func(s *taskgraph.System, e taskgraph.Event) error {
			l := s.NewLimiter(1)
			s.Task(taskgraph.Do(func() {})).Limit(l)
			return s.WaitUntilTasksComplete(bg, l.Idle())
		}},
}

// A goroutine that waits for what nobody will bring about is reported, and its wait ends.
func TestShutdownNamesWhatGoroutinesWaitFor(t *testing.T) {
	for name, tc := range awaitedByGoroutines {
		t.Run(name, func(t *testing.T) {
			guard(t)
			s := taskgraph.Start(taskgraph.Options{Workers: 1, StuckAfter: 10 * time.Millisecond})
			door := s.NewEvent()
			s.Name(door, "door")
			got := make(chan error, 1)
			go func() { got <- tc.wait(s, door) }()
			for !slices.ContainsFunc(s.Stuck().Tasks,
				func(k taskgraph.StuckTask) bool { return k.Name == "a goroutine" }) {
				runtime.Gosched()
			}
			var stuck *taskgraph.StuckError
			require.ErrorAs(t, s.Shutdown(bg), &stuck)
			require.ErrorContains(t, stuck, "a goroutine")
			require.ErrorContains(t, stuck, tc.name)
			require.ErrorIs(t, <-got, graphevent.ErrClosed)
		})
	}
}

// A goroutine that waits for what another one brings about after Shutdown was called is waited for.
func TestShutdownWaitsForGoroutinesThatWait(t *testing.T) {
	guard(t)
	s := taskgraph.Start(taskgraph.Options{Workers: 1, StuckAfter: time.Hour})
	door := s.NewEvent()
	got, down := make(chan error, 1), make(chan error, 1)
	go func() { got <- s.WaitUntilTasksComplete(bg, door) }()
	for len(s.Stuck().Tasks) < 2 {
		runtime.Gosched()
	}
	go func() { down <- s.Shutdown(bg) }()
	for s.Go(func() {}).Err() == nil {
		runtime.Gosched() // until the shutdown has begun
	}
	door.Trigger()
	require.NoError(t, <-got)
	require.NoError(t, <-down)
}

func TestWaitOnASystemThatIsShutDown(t *testing.T) {
	guard(t)
	reg := namedthread.NewRegistry()
	s := taskgraph.Start(taskgraph.Options{Workers: 1, Threads: reg})
	m, early := s.NewSemaphore(1), s.NewEvent()
	require.True(t, m.TryAcquire())
	th, err := reg.Attach("main", namedthread.Options{})
	require.NoError(t, err)
	require.NoError(t, s.Shutdown(bg))
	require.ErrorIs(t, s.WaitUntilTasksComplete(bg, early), graphevent.ErrClosed,
		"on a named thread")
	require.NoError(t, th.Detach())
	require.ErrorIs(t, s.WaitUntilTasksComplete(bg, early), graphevent.ErrClosed)
	require.ErrorIs(t, early.Wait(bg), graphevent.ErrClosed)
	require.ErrorIs(t, s.WaitUntilTasksComplete(bg, s.NewEvent()), graphevent.ErrClosed)
	require.ErrorIs(t, m.Acquire(bg), graphevent.ErrClosed)
	require.NoError(t, s.NewGroup().Wait(bg))
	early.Trigger()
	require.NoError(t, s.WaitUntilTasksComplete(bg, early))
}

// A Shutdown whose context ends does not wait for bodies that go on.
func TestShutdownReturnsSoonAfterItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := taskgraph.Start(taskgraph.Options{Workers: 2, Park: sleepevent.ParkGo})
		gate, in := make(chan struct{}), make(chan struct{})
		blocked := s.Task(taskgraph.Do(func() { close(in); <-gate })).Launch()
		after := s.Task(taskgraph.Do(func() { t.Error("ran") })).After(blocked).Launch()
		<-in
		ctx, cancel := context.WithTimeout(bg, 100*time.Millisecond)
		defer cancel()
		begin := time.Now()
		require.ErrorIs(t, s.Shutdown(ctx), context.DeadlineExceeded)
		require.Less(t, time.Since(begin), 105*time.Millisecond, "by the clock of the bubble")
		require.ErrorIs(t, after.Err(), graphevent.ErrClosed)
		close(gate)
		require.NoError(t, blocked.Wait(bg))
		synctest.Wait()
	})
}

func TestShutdownWaitsForHeldTasks(t *testing.T) {
	s := taskgraph.Start(taskgraph.Options{Workers: 1})
	task := s.Task(taskgraph.Do(func() {}))
	done := make(chan error)
	go func() { done <- s.Shutdown(bg) }()
	for s.Go(func() {}).Err() == nil {
		// until the shutdown has begun
	}
	require.NoError(t, task.Launch().Wait(bg))
	require.NoError(t, <-done)
}

// A task that was ready when a shutdown gave up fails, and is reported as incomplete: not as one
// that failed and nobody looked at.
func TestGivenUpTasksAreNoFailures(t *testing.T) {
	s := taskgraph.Start(taskgraph.Options{Workers: 1, MaxBlocking: -1})
	begun, goOn := make(chan struct{}), make(chan struct{})
	busy := s.Task(taskgraph.Do(func() { close(begun); <-goOn })).Name("busy").Launch()
	<-begun
	var ready []taskgraph.Event
	for range 20 {
		ready = append(ready, s.Task(taskgraph.Do(func() {})).Name("ready").After(busy).Launch())
	}
	ctx, cancel := context.WithCancel(bg)
	cancel()
	err := s.Shutdown(ctx)
	var stuck *taskgraph.StuckError
	require.ErrorAs(t, err, &stuck)
	require.NotContains(t, err.Error(), "nobody looked")
	close(goOn)
	for _, e := range ready {
		require.ErrorIs(t, s.WaitUntilTasksComplete(bg, e), graphevent.ErrClosed)
	}
}
