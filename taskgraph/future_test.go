package taskgraph_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"testing"
	"weak"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/osthread"
	"github.com/heddle-go/heddle/namedthread"
	"github.com/heddle-go/heddle/taskgraph"
)

func answer(*taskgraph.Context) (int, error) { return 42, nil }

func TestFutureGetOutside(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 2})
	f := taskgraph.Async(s, answer)
	for range 2 {
		v, err := f.Get(bg)
		require.NoError(t, err)
		require.Equal(t, 42, v)
	}
}

// One worker, futures that wait for futures ten deep.
func TestFutureGetInsideBodies(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 1})
	var deep func(n int) func(c *taskgraph.Context) (int, error)
	deep = func(n int) func(c *taskgraph.Context) (int, error) {
		return func(c *taskgraph.Context) (int, error) {
			if n == 0 {
				return 0, nil
			}
			v, err := taskgraph.Async(c, deep(n-1)).Get(c)
			return v + 1, err
		}
	}
	v, err := taskgraph.Async(s, deep(10)).Get(bg)
	require.NoError(t, err)
	require.Equal(t, 10, v)
}

// A task after the Future's event finds the value.
func TestFutureAsPrerequisite(t *testing.T) {
	s := start(t, taskgraph.Options{})
	gate := s.NewEvent()
	task, f := taskgraph.AsyncTask(s, answer)
	task.After(gate).Name("answer").Launch()
	got := 0
	e := s.Task(taskgraph.Do(func() { got, _ = f.Get(bg) })).After(f.Event()).Launch()
	require.False(t, f.Event().IsComplete())
	gate.Trigger()
	wait(t, s, e)
	require.Equal(t, 42, got)
}

func TestFutureFailure(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 1, MaxFailures: 1})
	no := errors.New("no")
	f := taskgraph.Async(s, func(*taskgraph.Context) (string, error) { return "half", no })
	v, err := f.Get(bg)
	require.ErrorIs(t, err, no)
	require.Empty(t, v)

	p := taskgraph.Async(s, func(*taskgraph.Context) (string, error) { panic(no) })
	_, err = p.Get(bg)
	require.ErrorIs(t, err, no)
	wait(t, s, s.Go(func() {})) // the worker is done with the second failure
	// The first failure is forgotten by now, but it does not turn into a success.
	_, err = f.Get(bg)
	require.ErrorIs(t, err, graphevent.ErrForgotten)

	never := s.NewEvent()
	task, w := taskgraph.AsyncTask(s, answer)
	task.After(never).Launch()
	ctx, cancel := context.WithCancel(bg)
	cancel()
	_, err = w.Get(ctx)
	require.ErrorIs(t, err, context.Canceled)
	never.Trigger()

	require.PanicsWithValue(t, "taskgraph: Async of a nil function", func() { taskgraph.Async[int](s, nil) })
}

func TestFutureOfAClosedSystem(t *testing.T) {
	s := taskgraph.Start(taskgraph.Options{Workers: 1})
	require.NoError(t, s.Shutdown(bg))
	_, err := taskgraph.Async(s, answer).Get(bg)
	require.ErrorIs(t, err, graphevent.ErrClosed)
}

// The value lives as long as the Future and no longer; the closure is gone before.
func TestFutureDropsItsValue(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 1})
	held := new([64]byte)
	closure := weak.Make(held)
	launch := func(held *[64]byte) *taskgraph.Future[*[64]byte] {
		return taskgraph.Async(s, func(*taskgraph.Context) (*[64]byte, error) {
			held[0]++
			return new([64]byte), nil
		})
	}
	f := launch(held)
	held = nil
	v, err := f.Get(bg)
	require.NoError(t, err)
	value := weak.Make(v)
	v = nil
	wait(t, s, s.Go(func() {}))
	collect := func(gone func() bool) bool {
		for range 10 {
			if runtime.GC(); gone() {
				return true
			}
		}
		return false
	}
	require.True(t, collect(func() bool { return closure.Value() == nil }))
	require.NotNil(t, value.Value())
	runtime.KeepAlive(f)
	f = nil
	require.True(t, collect(func() bool { return value.Value() == nil }))
}

func TestFutureOnNamedThread(t *testing.T) {
	threads := namedthread.NewRegistry()
	th, err := threads.Start("Future", namedthread.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { th.Quit(); <-th.Done() })
	s := start(t, taskgraph.Options{Threads: threads})
	task, f := taskgraph.AsyncTask(s, func(c *taskgraph.Context) (*namedthread.Thread, error) { return c.Thread(), nil })
	task.On(th).Launch()
	got, err := f.Get(bg)
	require.NoError(t, err)
	require.Equal(t, th, got)

	// The last of On and OnOwnThread counts.
	task, f = taskgraph.AsyncTask(s, func(c *taskgraph.Context) (*namedthread.Thread, error) { return c.Thread(), nil })
	task.On(th).OnOwnThread().Launch()
	got, err = f.Get(bg)
	require.NoError(t, err)
	require.Nil(t, got)
	task, f = taskgraph.AsyncTask(s, func(c *taskgraph.Context) (*namedthread.Thread, error) { return c.Thread(), nil })
	task.OnOwnThread().On(th).Launch()
	got, err = f.Get(bg)
	require.NoError(t, err)
	require.Equal(t, th, got)
}

// The task runs on an operating system thread that was made for it, and that is gone when it is.
func TestOwnThread(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 1})
	task, f := taskgraph.AsyncTask(s, func(c *taskgraph.Context) (uint64, error) {
		assert.Equal(t, -1, c.Worker())
		assert.Nil(t, c.Thread())
		before, err := osthread.ID()
		if errors.Is(err, errors.ErrUnsupported) {
			return 0, nil
		}
		assert.NoError(t, err)
		// It works, and stays on its thread whatever it does.
		assert.NoError(t, c.Wait(c.Go(func() {})))
		assert.NoError(t, c.ParallelFor(100, 1, func(int, int) { runtime.Gosched() }))
		c.DontCompleteUntil(c.Spawn(taskgraph.Do(func() {})))
		after, err := osthread.ID()
		assert.NoError(t, err)
		assert.Equal(t, before, after)
		return after, nil
	})
	task.OnOwnThread().Launch()
	id, err := f.Get(bg)
	require.NoError(t, err)
	if id == 0 {
		return // no way to tell threads apart here
	}
	if runtime.GOOS == "linux" && id != uint64(os.Getpid()) { // the first thread of a process stays
		for {
			if _, err := os.Stat(fmt.Sprintf("/proc/self/task/%d", id)); errors.Is(err, os.ErrNotExist) {
				break
			}
			runtime.Gosched()
		}
	}
}

// It needs no worker, and workers go on while it blocks.
func TestOwnThreadNeedsNoWorker(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 1})
	release := occupy(t, s, 1)
	hold, in := make(chan struct{}), make(chan struct{})
	e := s.Task(taskgraph.Do(func() { close(in); <-hold })).OnOwnThread().Launch()
	<-in
	release()
	wait(t, s, s.Go(func() {}))
	require.False(t, e.IsComplete())
	close(hold)
	wait(t, s, e)
}

// No wait runs it on another thread.
func TestOwnThreadIsNotRetracted(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 1})
	run(t, s, func(c *taskgraph.Context) error {
		for range 20 {
			worker := 0
			e := c.Task(taskgraph.Run(func(c *taskgraph.Context) error { worker = c.Worker(); return nil })).OnOwnThread().Launch()
			if err := c.WaitUntilTasksComplete(bg, e); err != nil {
				return err
			}
			assert.Equal(t, -1, worker)
		}
		return nil
	})
}

func TestOwnThreadFailures(t *testing.T) {
	s := start(t, taskgraph.Options{})
	var p *graphevent.PanicError
	require.ErrorAs(t, s.WaitUntilTasksComplete(bg,
		s.Task(taskgraph.Do(func() { panic("x") })).OnOwnThread().Launch()), &p)
	require.ErrorIs(t, s.WaitUntilTasksComplete(bg,
		s.Task(taskgraph.Do(runtime.Goexit)).OnOwnThread().Launch()), graphevent.ErrGoexit)
	ctx, cancel := context.WithCancel(bg)
	cancel()
	require.ErrorIs(t, s.WaitUntilTasksComplete(bg,
		s.Task(taskgraph.Do(func() {})).OnOwnThread().Context(ctx).Launch()), graphevent.ErrCanceled)
}

// Shutdown waits for the thread, and when it gives up it ends the thread's wait.
func TestOwnThreadShutdown(t *testing.T) {
	s := taskgraph.Start(taskgraph.Options{})
	ran := false
	in := make(chan struct{})
	s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		close(in)
		e := c.Go(func() { ran = true })
		return c.WaitUntilTasksComplete(bg, e)
	})).OnOwnThread().Launch()
	<-in
	require.NoError(t, s.Shutdown(bg))
	require.True(t, ran)

	s = taskgraph.Start(taskgraph.Options{StuckAfter: 1})
	never := s.NewEvent()
	var got error
	s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		got = c.WaitUntilTasksComplete(bg, never)
		return nil
	})).OnOwnThread().Launch()
	var stuck *taskgraph.StuckError
	require.ErrorAs(t, s.Shutdown(bg), &stuck)
	require.ErrorIs(t, got, graphevent.ErrClosed)
}

func ExampleAsync() {
	ctx := context.Background()
	sys := taskgraph.Start(taskgraph.Options{})
	defer sys.Shutdown(ctx)

	words := taskgraph.Async(sys, func(*taskgraph.Context) ([]string, error) {
		return []string{"warp", "weft", "heddle"}, nil
	})
	longest := taskgraph.Async(sys, func(c *taskgraph.Context) (string, error) {
		ws, err := words.Get(c)
		if err != nil {
			return "", err
		}
		best := ""
		for _, w := range ws {
			if len(w) > len(best) {
				best = w
			}
		}
		return best, nil
	})
	fmt.Println(longest.Get(ctx))
	// Output: heddle <nil>
}

// A call that blocks for long gets a thread of its own instead of a worker.
func ExampleTask_OnOwnThread() {
	ctx := context.Background()
	sys := taskgraph.Start(taskgraph.Options{Workers: 1})
	defer sys.Shutdown(ctx)

	lines := make(chan string)
	task, first := taskgraph.AsyncTask(sys, func(*taskgraph.Context) (string, error) { return <-lines, nil })
	task.OnOwnThread().Launch()
	sys.Go(func() { lines <- "hello" }) // the only worker is free for this

	fmt.Println(first.Get(ctx))
	// Output: hello <nil>
}
