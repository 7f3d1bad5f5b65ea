package taskgraph_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/osthread"
	"github.com/heddle-go/heddle/namedthread"
	"github.com/heddle-go/heddle/taskgraph"
)

// The task runs on an operating system thread that was made for it, and that is gone when it is.
func TestOwnThread(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 1})
	id := uint64(0)
	wait(t, s, s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		assert.Equal(t, -1, c.Worker())
		assert.Nil(t, c.Thread())
		before, err := osthread.ID()
		if errors.Is(err, errors.ErrUnsupported) {
			return nil
		}
		assert.NoError(t, err)
		// It works, and stays on its thread whatever it does.
		assert.NoError(t, c.Wait(c.Go(func() {})))
		assert.NoError(t, c.ParallelFor(100, 1, func(int, int) { runtime.Gosched() }))
		c.DontCompleteUntil(c.Spawn(taskgraph.Do(func() {})))
		id, err = osthread.ID()
		assert.NoError(t, err)
		assert.Equal(t, before, id)
		return nil
	})).OnOwnThread().Launch())
	if id == 0 {
		return // no way to tell threads apart here
	}
	if runtime.GOOS == "linux" && id != uint64(os.Getpid()) { // the first thread of a process stays
		for {
			if _, err := os.Stat(fmt.Sprintf("/proc/self/task/%d", id)); errors.Is(err,
				os.ErrNotExist) {
				break
			}
			runtime.Gosched()
		}
	}
}

// The last of On and OnOwnThread counts.
func TestOwnThreadOrNamedThread(t *testing.T) {
	threads := namedthread.NewRegistry()
	th, err := threads.Start("Named", namedthread.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { th.Quit(); <-th.Done() })
	s := start(t, taskgraph.Options{Threads: threads})
	var got *namedthread.Thread
	body := taskgraph.Run(func(c *taskgraph.Context) error { got = c.Thread(); return nil })
	wait(t, s, s.Task(body).On(th).OnOwnThread().Launch())
	require.Nil(t, got)
	wait(t, s, s.Task(body).OnOwnThread().On(th).Launch())
	require.Equal(t, th, got)
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
			e := c.Task(taskgraph.Run(func(c *taskgraph.Context) error {
				worker = c.Worker()
				return nil
			})).OnOwnThread().Launch()
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
		s.Task(taskgraph.Do(func() {})).OnOwnThread().Context(ctx).Launch()),
		graphevent.ErrCanceled)
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

// A call that blocks for long gets a thread of its own instead of a worker.
func ExampleTask_OnOwnThread() {
	ctx := context.Background()
	sys := taskgraph.Start(taskgraph.Options{Workers: 1})
	defer sys.Shutdown(ctx)

	lines := make(chan string)
	read := sys.Task(taskgraph.Do(func() { fmt.Println(<-lines) })).OnOwnThread().Launch()
	sys.Go(func() { lines <- "hello" }) // the only worker is free for this

	fmt.Println(sys.WaitUntilTasksComplete(ctx, read))
	// Output:
	// hello
	// <nil>
}
