package taskgraph_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/namedthread"
	"github.com/heddle-go/heddle/taskgraph"
)

// giveUp shuts s down with no time left.
func giveUp(t *testing.T, s *taskgraph.System) {
	t.Helper()
	ctx, cancel := context.WithCancel(bg)
	cancel()
	var stuck *taskgraph.StuckError
	require.ErrorAs(t, s.Shutdown(ctx), &stuck)
}

// The caller of a loop does not go on while helpers call its body, whatever a shutdown ends.
func TestAbandonedLoopWaitsForItsHelpers(t *testing.T) {
	guard(t)
	s := taskgraph.Start(taskgraph.Options{Workers: 2, Foreground: -1})
	gate, in := make(chan struct{}), make(chan struct{})
	var running atomics.Int32
	e := s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		var first atomics.Bool
		err := c.RunLoop(taskgraph.Loop{N: 2, Unbalanced: true,
			Body: func(*taskgraph.Participant, int, int) error {
				running.Add(1)
				defer running.Add(-1)
				if first.CompareAndSwap(false, true) {
					<-in // the second call runs
					return nil
				}
				close(in)
				<-gate
				return nil
			}})
		if running.Load() != 0 {
			return errors.New("a call still runs")
		}
		return err
	})).Launch()
	<-in
	giveUp(t, s)
	close(gate)
	require.NoError(t, e.Wait(bg))
}

// Also when more tasks have failed than are remembered.
func TestRefusedLaunchesStayRefused(t *testing.T) {
	s := taskgraph.Start(taskgraph.Options{Workers: 1, MaxFailures: 1})
	for range 20 {
		require.ErrorIs(t, s.Task(taskgraph.Try(func() error { return errBoom })).Launch().Wait(bg),
			errBoom)
	}
	require.NoError(t, s.Shutdown(bg))
	require.ErrorIs(t, s.Go(func() {}).Wait(bg), graphevent.ErrClosed)
}

// What becomes ready after the workers have ended completes all the same.
func TestReadyAfterTheWorkersEnded(t *testing.T) {
	reg, ths := threads(t, "x")
	for _, p := range allPriorities {
		s := taskgraph.Start(taskgraph.Options{Workers: 2, Threads: reg})
		gate := make(chan struct{})
		var in sync.WaitGroup
		in.Add(2)
		block := taskgraph.Do(func() { in.Done(); <-gate })
		a := s.Task(block).On(ths[0]).Launch()
		b := s.Task(block).Launch()
		after := []taskgraph.Event{
			s.Task(taskgraph.Do(func() { t.Error("ran") })).After(a).Priority(p).Launch(),
			s.Task(taskgraph.Do(func() { t.Error("ran") })).After(b).Priority(p).Launch(),
			s.Task(taskgraph.Do(func() { t.Error("ran") })).After(a,
				b).On(ths[0]).Priority(p).Launch(),
		}
		in.Wait()
		giveUp(t, s)
		close(gate)
		require.NoError(t, a.Wait(bg))
		require.NoError(t, b.Wait(bg))
		for _, e := range after {
			require.ErrorIs(t, e.Wait(bg), graphevent.ErrClosed)
		}
	}
}

// Waits in bodies end, on workers and on named threads.
func TestAbandonedWaitsEnd(t *testing.T) {
	reg, ths := threads(t, "x")
	s := taskgraph.Start(taskgraph.Options{Workers: 2, Threads: reg})
	gate, in := make(chan struct{}), make(chan struct{})
	a := s.Go(func() { close(in); <-gate })
	<-in
	wait := taskgraph.Run(func(c *taskgraph.Context) error {
		return c.WaitUntilTasksComplete(bg, a)
	})
	onWorker := s.Task(wait).Launch()
	onThread := s.Task(wait).On(ths[0]).Launch()
	plain := s.Task(taskgraph.Try(func() error {
		return s.WaitUntilTasksComplete(bg,
			a)
	})).On(ths[0]).Launch()
	giveUp(t, s)
	for _, e := range []taskgraph.Event{onWorker, onThread, plain} {
		require.ErrorIs(t, e.Wait(bg), graphevent.ErrClosed)
	}
	close(gate)
	require.NoError(t, a.Wait(bg))
}

func TestAbandonedCycleBesideARunningBody(t *testing.T) {
	s := taskgraph.Start(taskgraph.Options{Workers: 2})
	gate, in := make(chan struct{}), make(chan struct{})
	long := s.Go(func() { close(in); <-gate })
	<-in
	a, b := s.Task(taskgraph.Do(func() { t.Error("ran") })), s.Task(taskgraph.Do(func() {
		t.Error("ran")
	}))
	a.After(b.Event()).Launch()
	b.After(a.Event()).Launch()
	giveUp(t, s)
	require.ErrorIs(t, a.Event().Wait(bg), graphevent.ErrClosed)
	require.ErrorIs(t, b.Event().Wait(bg), graphevent.ErrClosed)
	close(gate)
	require.NoError(t, long.Wait(bg))
}

// A thread that does not pump does not keep what is bound to it for ever.
func TestAbandonedWorkOfAThreadThatDoesNotPump(t *testing.T) {
	reg := namedthread.NewRegistry()
	attached, end := make(chan *namedthread.Thread), make(chan struct{})
	go func() {
		th, err := reg.Attach("idle", namedthread.Options{})
		if err != nil {
			t.Error(err)
		}
		attached <- th
		<-end
		_ = th.Detach()
	}()
	th := <-attached
	s := taskgraph.Start(taskgraph.Options{Workers: 1, Threads: reg,
		StuckAfter: 10 * time.Millisecond})
	e := s.Task(taskgraph.Do(func() { t.Error("ran") })).On(th).Name("bound").Launch()
	require.ErrorContains(t, s.Shutdown(bg), `task "bound" is ready: thread idle does not run it`)
	require.ErrorIs(t, e.Wait(bg), graphevent.ErrClosed)
	close(end)
	<-th.Done()
}

// Nobody who builds tasks while the system gives up is told that he misuses them.
func TestBuildingWhileAbandoned(t *testing.T) {
	for range callerRounds(50) {
		s := taskgraph.Start(taskgraph.Options{Workers: 1, StuckAfter: time.Millisecond})
		var tasks [100]taskgraph.Task
		for i := range tasks {
			tasks[i] = s.Task(taskgraph.Do(func() {}))
		}
		done := make(chan struct{})
		go func() { defer close(done); _ = s.Shutdown(bg) }()
		for over := false; !over; {
			select {
			case <-done:
				over = true
			default:
			}
			for _, task := range tasks {
				task.Priority(taskgraph.PriorityHigh).After(taskgraph.Event{})
			}
		}
		for _, task := range tasks {
			require.ErrorIs(t, task.Launch().Wait(bg), graphevent.ErrClosed)
		}
	}
}

// A body that goes on after its wait was ended has its event completed by its end.
func TestAbandonedBodiesCompleteTheirOwnEvents(t *testing.T) {
	guard(t)
	for range callerRounds(20) {
		s := taskgraph.Start(taskgraph.Options{Workers: 2, StuckAfter: 5 * time.Millisecond})
		never := s.NewEvent()
		var over [8]atomics.Bool
		var events []taskgraph.Event
		for i := range over {
			events = append(events, s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
				err := c.WaitUntilTasksComplete(bg, never)
				for range 1000 {
					atomics.Gosched()
				}
				over[i].Store(true)
				return err
			})).Launch())
		}
		var wg sync.WaitGroup
		for i, e := range events {
			wg.Go(func() {
				if !errors.Is(e.Wait(bg), graphevent.ErrClosed) || !over[i].Load() {
					t.Error("an event completed before its body had ended")
				}
			})
		}
		require.Error(t, s.Shutdown(bg))
		wg.Wait()
	}
}

// A task that is launched for a thread while somebody already waits for it runs there.
func TestPinnedWhileAwaited(t *testing.T) {
	reg, ths := threads(t, "x")
	s := start(t, taskgraph.Options{Workers: 2, Threads: reg})
	for range brief(500, 80) {
		var waits atomics.Bool
		task := s.Task(taskgraph.Do(func() {}))
		w := s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
			waits.Store(true)
			return c.WaitUntilTasksComplete(bg, task.Event())
		})).Launch()
		for !waits.Load() {
			atomics.Gosched()
		}
		task.On(ths[0]).Launch()
		wait(t, s, w)
	}
}

// A body on a thread waits for one elsewhere, whose body waits for work bound to that thread:
// no cycle, and no deadlock.
func TestWaitChainThroughAThread(t *testing.T) {
	for _, w := range []int{1, 2} {
		reg, ths := threads(t, "x")
		s := start(t, taskgraph.Options{Workers: w, Threads: reg})
		for range brief(200, 50) {
			a := s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
				b := c.Task(taskgraph.Run(func(c *taskgraph.Context) error {
					return c.WaitUntilTasksComplete(bg,
						c.Task(taskgraph.Do(func() {})).On(ths[0]).Launch())
				})).Launch()
				return c.WaitUntilTasksComplete(bg, b)
			})).On(ths[0]).Launch()
			wait(t, s, a)
		}
	}
}

// What is made ready by an end by force runs while others are to be ended: these are ended all the
// same.
func TestForcedEndsThatMakeOthersReady(t *testing.T) {
	for range callerRounds(20) {
		guard(t)
		s := taskgraph.Start(taskgraph.Options{Workers: 2, StuckAfter: time.Millisecond})
		nothing := taskgraph.Do(func() {})
		a, b := s.Task(nothing), s.Task(nothing)
		events := []taskgraph.Event{a.Event(), b.Event()}
		for range 50 {
			events = append(events, s.Task(nothing).After(a.Event()).Launch())
		}
		a.After(b.Event()).Launch()
		b.After(a.Event()).Launch()
		for range 10 {
			var circle [2]taskgraph.Event
			var tasks [2]taskgraph.Task
			for k := range circle {
				tasks[k] = s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
					c.DontCompleteUntil(circle[1-k])
					return nil
				}))
				circle[k] = tasks[k].Event()
			}
			for _, held := range tasks {
				events = append(events, held.Launch())
			}
		}
		require.Error(t, s.Shutdown(bg))
		for _, e := range events {
			require.ErrorIs(t, e.Err(), graphevent.ErrClosed)
		}
	}
}
