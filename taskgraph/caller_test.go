package taskgraph_test

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/namedthread"
	"github.com/heddle-go/heddle/taskgraph"
)

// callerRounds returns n, or a part of it in short form.
func callerRounds(n int) int {
	if testing.Short() {
		return n/16 + 2
	}
	return n
}

// isCaller reports whether the body of c runs on a slot that is no worker's.
func isCaller(c *taskgraph.Context) bool { return c.Worker() >= 2 }

// The body runs on the calling goroutine, with what it did before, and all that the task stands for
// is over when Run returns.
func TestRunOnTheCaller(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 2})
	here, nested := 0, 0
	for range 1000 {
		require.NoError(t, s.Run(bg, taskgraph.Run(func(c *taskgraph.Context) error {
			require.True(t, isCaller(c))
			here++
			c.Nest(taskgraph.Do(func() { nested++ }))
			return nil
		})))
	}
	require.Equal(t, 1000, here)
	require.Equal(t, 1000, nested)
}

func TestRunReturnsTheFailure(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 2})
	failure := errors.New("a failure")
	require.ErrorIs(t, s.Run(bg, taskgraph.Try(func() error { return failure })), failure)
	var panicked *graphevent.PanicError
	require.ErrorAs(t, s.Run(bg, taskgraph.Do(func() { panic("a panic") })), &panicked)
	require.ErrorIs(t, s.Run(bg, taskgraph.Run(func(c *taskgraph.Context) error {
		c.Nest(taskgraph.Try(func() error { return failure }))
		return nil
	})), failure)

	ctx, cancel := context.WithCancelCause(bg)
	require.ErrorIs(t, s.Run(ctx, taskgraph.Run(func(c *taskgraph.Context) error {
		cancel(failure)
		<-c.Done()
		return context.Cause(c)
	})), failure)
	require.ErrorIs(t, s.Run(ctx, taskgraph.Do(func() { t.Error("the context had ended") })),
		failure)
	require.Panics(t, func() { _ = s.Run(bg, taskgraph.Body{}) })
}

// A context that ends while others go on ends the wait for them.
func TestRunGivesUpTheRest(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 2})
	ctx, cancel := context.WithCancel(bg)
	e := s.NewEvent()
	require.ErrorIs(t, s.Run(ctx, taskgraph.Run(func(c *taskgraph.Context) error {
		c.DontCompleteUntil(e)
		go cancel()
		return nil
	})), context.Canceled)
	e.Trigger()
}

// A Goexit ends the calling goroutine and nothing else: its slot comes back.
func TestGoexitOfACaller(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 2})
	for range 100 {
		var e taskgraph.Event
		aside(func() {
			_ = s.Run(bg, taskgraph.Run(func(c *taskgraph.Context) error {
				e = c.Event()
				runtime.Goexit()
				return nil
			}))
			t.Error("Run has returned")
		})
		require.ErrorIs(t, s.WaitUntilTasksComplete(bg, e), graphevent.ErrGoexit)
	}
	require.NoError(t, s.Run(bg, taskgraph.Run(func(c *taskgraph.Context) error {
		require.True(t, isCaller(c))
		return nil
	})))
}

// callersGraph returns a graph of n tasks, each after up to three before it, and a function that
// reports what was wrong with a run of it.
func callersGraph(t testing.TB, n int) (*taskgraph.Graph, func() error) {
	ran := make([]atomics.Int32, n)
	early := atomics.Int32{}
	var b taskgraph.GraphBuilder
	tasks := make([]taskgraph.GraphTask, n)
	for i := range tasks {
		preds := []int{i / 2, i * 2 / 3, i - 1 - i%7}
		if i < 10 {
			preds = nil
		}
		tasks[i] = b.Task(taskgraph.Do(func() {
			mine := ran[i].Add(1)
			for _, p := range preds {
				if ran[p].Load() < mine {
					early.Add(1)
				}
			}
		}))
		for _, p := range preds {
			tasks[i].After(tasks[p])
		}
	}
	g, err := b.Build()
	require.NoError(t, err)
	runs := int32(0)
	return g, func() error {
		runs++
		for i := range ran {
			if ran[i].Load() != runs {
				return errors.New("a task was lost or ran twice")
			}
		}
		if early.Load() > 0 {
			return errors.New("a task ran too early")
		}
		return nil
	}
}

// More callers than can take part, each with a graph of its own, beside tasks that are launched.
func TestRunGraphByMany(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 2})
	var all sync.WaitGroup
	for range 6 {
		all.Go(func() {
			g, check := callersGraph(t, 200)
			for range callerRounds(300) {
				if err := s.RunGraph(bg, g); err != nil {
					t.Error(err)
				}
				if err := check(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for range callerRounds(2000) {
		require.NoError(t, s.WaitUntilTasksComplete(bg, s.Go(func() {})))
	}
	all.Wait()
}

// While the body waits, its slot is not counted: the one worker does what it waits for, and what
// others launch.
func TestACallerThatWaits(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 1})
	for range callerRounds(500) {
		e := s.NewEvent()
		require.NoError(t, s.Run(bg, taskgraph.Run(func(c *taskgraph.Context) error {
			go func() {
				s.Go(func() { e.Trigger() })
			}()
			if err := c.Wait(e); err != nil {
				return err
			}
			c.Blocking(func() { _ = s.WaitUntilTasksComplete(bg, c.Go(func() {})) })
			return c.Wait(c.Go(func() {}), c.Go(func() {}))
		})))
	}
}

// A caller that blocks where nobody sees it leaves no room for the worker that could help: the
// watch wakes it.
func TestACallerThatBlocksUnseen(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 2})
	for range callerRounds(20) {
		busy, done := make(chan struct{}), make(chan struct{})
		require.NoError(t, s.Run(bg, taskgraph.Run(func(c *taskgraph.Context) error {
			begun := make(chan struct{})
			c.Go(func() { close(begun); <-busy })
			<-begun
			c.Go(func() { close(done) })
			<-done
			close(busy)
			return nil
		})))
	}
}

// With a Context of the system as ctx Run is a launch and a wait of that body.
func TestRunInABody(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 1})
	g, check := callersGraph(t, 50)
	run(t, s, func(c *taskgraph.Context) error {
		require.NoError(t, s.RunGraph(c, g))
		require.NoError(t, check())
		return s.Run(c, taskgraph.Do(func() {}))
	})
}

// On a named thread of the system the caller runs the tasks of the thread meanwhile.
func TestRunOnANamedThread(t *testing.T) {
	reg := namedthread.NewRegistry()
	th, err := reg.Start("loop", namedthread.Options{})
	require.NoError(t, err)
	s := start(t, taskgraph.Options{Workers: 2, Threads: reg})
	defer func() { th.Quit(); <-th.Done() }()
	if _, err := namedthread.Current(); errors.Is(err, errors.ErrUnsupported) {
		t.Skip("only a wait by a Context runs here what is bound to a thread")
	}
	onThread := false
	require.NoError(t, s.WaitUntilTasksComplete(bg, s.Task(taskgraph.Try(func() error {
		return s.Run(bg, taskgraph.Run(func(c *taskgraph.Context) error {
			return c.Wait(c.Task(taskgraph.Run(func(c *taskgraph.Context) error {
				onThread = c.Thread() == th
				return nil
			})).On(th).Launch())
		}))
	})).On(th).Launch()))
	require.True(t, onThread)
}

func TestRunAfterShutdown(t *testing.T) {
	s := taskgraph.Start(taskgraph.Options{Workers: 2})
	g, _ := callersGraph(t, 20)
	require.NoError(t, s.Shutdown(bg))
	require.ErrorIs(t, s.Run(bg, taskgraph.Do(func() { t.Error("it runs") })), graphevent.ErrClosed)
	require.ErrorIs(t, s.RunGraph(bg, g), graphevent.ErrClosed)
	other := start(t, taskgraph.Options{Workers: 2})
	require.NoError(t, other.RunGraph(bg, g), "it was refused, and runs elsewhere")
}

// A shutdown waits for a caller's task, and one that gives up ends the caller's waits.
func TestShutdownWaitsForACaller(t *testing.T) {
	for _, givesUp := range []bool{false, true} {
		s := taskgraph.Start(taskgraph.Options{Workers: 2})
		e, begun, result := s.NewEvent(), make(chan struct{}), make(chan error)
		go func() {
			result <- s.Run(bg, taskgraph.Run(func(c *taskgraph.Context) error {
				close(begun)
				return c.Wait(e)
			}))
		}()
		<-begun
		ctx, cancel := context.WithCancel(bg)
		if givesUp {
			cancel()
			require.Error(t, s.Shutdown(ctx))
			require.ErrorIs(t, <-result, graphevent.ErrClosed)
			continue
		}
		go e.Trigger()
		require.NoError(t, s.Shutdown(ctx))
		require.NoError(t, <-result)
		cancel()
	}
}

// Steps that are run again and again allocate nothing.
func TestRunAllocatesNothing(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 2})
	g, _ := callersGraph(t, 100)
	loop := taskgraph.Run(func(c *taskgraph.Context) error {
		return c.ParallelFor(1000, 0, func(int, int) {})
	})
	step := func() {
		_ = s.RunGraph(bg, g)
		_ = s.Run(bg, loop)
	}
	for range 1000 {
		step()
	}
	require.Zero(t, int(testing.AllocsPerRun(2000, step)))
}

// A call without room under MaxTasks takes no slot with it.
func TestRunWithoutRoom(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 1, MaxTasks: 1, WhenFull: taskgraph.FullInline})
	e := s.NewEvent()
	held := s.Task(taskgraph.Do(func() {})).After(e).Launch()
	ran := 0
	for range 10 {
		require.NoError(t, s.Run(bg, taskgraph.Do(func() { ran++ })))
	}
	require.Equal(t, 10, ran)
	e.Trigger()
	wait(t, s, held)
	for worker := -1; worker < 1; { // once the worker has reported that there is room again
		require.NoError(t, s.Run(bg, taskgraph.Run(func(c *taskgraph.Context) error {
			worker = c.Worker()
			return nil
		})))
	}
}

// A task that runs at once after what makes it ready is not kept behind the next thing that a
// caller helps with, which may wait for it unseen.
func TestInlineTasksOfACaller(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 2})
	for range callerRounds(400) {
		require.NoError(t, s.Run(bg, taskgraph.Run(func(c *taskgraph.Context) error {
			before := c.Task(noop())
			inline := c.Task(noop()).Inline().After(before.Event()).Launch()
			waits := c.Task(taskgraph.Do(func() {
				_ = s.WaitUntilTasksComplete(bg,
					inline)
			})).After(before.Event())
			c.DontCompleteUntil(waits.Event())
			waits.Launch()
			before.Launch()
			return nil
		})))
	}
}
