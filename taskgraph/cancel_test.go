package taskgraph_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"testing"
	"time"
	"weak"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/taskgraph"
)

// A task that starts after its context has ended does not run, and says why.
func TestCancelBeforeStart(t *testing.T) {
	s := start(t, taskgraph.Options{OnFailure: func(name string, err error) {
		t.Errorf("%s failed: %v", name, err)
	}})
	why := errors.New("changed my mind")
	ctx, cancel := context.WithCancelCause(bg)
	gate := s.NewEvent()
	ran := false
	e := s.Task(taskgraph.Do(func() { ran = true })).Context(ctx).After(gate).Launch()
	next := s.Task(taskgraph.Do(func() { ran = true })).After(e).Launch()
	cancel(why)
	gate.Trigger()
	err := s.WaitUntilTasksComplete(bg, e)
	require.ErrorIs(t, err, graphevent.ErrCanceled)
	require.ErrorIs(t, err, why)
	err = s.WaitUntilTasksComplete(bg, next)
	require.ErrorIs(t, err, graphevent.ErrSkipped)
	require.ErrorIs(t, err, graphevent.ErrCanceled)
	require.ErrorIs(t, err, why)
	require.False(t, ran)

	plain, stop := context.WithCancel(bg)
	stop()
	err = s.WaitUntilTasksComplete(bg, s.Task(taskgraph.Do(func() {})).Context(plain).Launch())
	require.ErrorIs(t, err, graphevent.ErrCanceled)
	require.ErrorIs(t, err, context.Canceled)

	late, stop2 := context.WithDeadline(bg, time.Unix(1, 0))
	defer stop2()
	err = s.WaitUntilTasksComplete(bg, s.Task(taskgraph.Do(func() {})).Context(late).Launch())
	require.ErrorIs(t, err, graphevent.ErrCanceled)
	require.ErrorIs(t, err, context.DeadlineExceeded)
}

// Shutdown does not complain of tasks that were cancelled, nor of what was skipped because of them.
func TestCancelIsNoUnseenFailure(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 2})
	ctx, cancel := context.WithCancel(bg)
	cancel()
	for range 100 {
		e := s.Task(taskgraph.Do(func() {})).Context(ctx).Launch()
		s.Task(taskgraph.Do(func() {})).After(e).Launch()
	}
}

type cancelKey struct{}

// The Context of a body is that of its task as well: deadline, end and values.
func TestCancelSeenByTheBody(t *testing.T) {
	s := start(t, taskgraph.Options{})
	far := time.Now().Add(time.Hour)
	ctx, cancel := context.WithDeadline(context.WithValue(bg, cancelKey{}, 7), far)
	defer cancel()
	wait(t, s, s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		d, ok := c.Deadline()
		assert.True(t, ok && d.Equal(far))
		assert.Equal(t, 7, c.Value(cancelKey{}))
		assert.NoError(t, c.Err())
		select {
		case <-c.Done():
			t.Error("done too early")
		default:
		}
		derived, stop := context.WithCancel(c)
		defer stop()
		cancel()
		<-c.Done()
		<-derived.Done()
		assert.ErrorIs(t, c.Err(), context.Canceled)
		return nil
	})).Context(ctx).Launch())

	// One that cannot end has values all the same.
	wait(t, s, s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		assert.Equal(t, 8, c.Value(cancelKey{}))
		_, ok := c.Deadline()
		assert.False(t, ok)
		return c.Err()
	})).Context(context.WithValue(bg, cancelKey{}, 8)).Launch())
	run(t, s, func(c *taskgraph.Context) error {
		assert.Nil(t, c.Value(cancelKey{}))
		return c.Err()
	})
}

// What a body launches has its context, however it is launched, and on down.
func TestCancelIsInherited(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 2})
	ctx, cancel := context.WithCancel(context.WithValue(bg, cancelKey{}, "x"))
	var ran atomics.Int32
	wait(t, s, s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		see := taskgraph.Run(func(c *taskgraph.Context) error {
			assert.Equal(t, "x", c.Value(cancelKey{}))
			return c.WaitUntilTasksComplete(bg,
				c.Spawn(taskgraph.Run(func(c *taskgraph.Context) error {
					assert.Equal(t, "x", c.Value(cancelKey{}))
					return nil
				})))
		})
		before := []taskgraph.Event{c.Spawn(see), c.Task(see).Launch(),
			c.Task(see).Context(c).Launch()}
		assert.NoError(t, c.WaitUntilTasksComplete(bg, before...))
		assert.NoError(t, c.ParallelFor(1000, 1, func(lo, hi int) {}))

		cancel()
		count := taskgraph.Do(func() { ran.Add(1) })
		after := []taskgraph.Event{c.Spawn(count), c.Go(func() { ran.Add(1) }),
			c.Task(count).Launch()}
		for _, e := range after {
			assert.ErrorIs(t, c.WaitUntilTasksComplete(bg, e), graphevent.ErrCanceled)
		}
		// Another context replaces it.
		assert.NoError(t, c.WaitUntilTasksComplete(bg, c.Task(count).Context(bg).Launch()))
		n := 0
		assert.ErrorIs(t, c.ParallelFor(10, 10, func(lo, hi int) { n += hi - lo }),
			graphevent.ErrCanceled)
		assert.Zero(t, n)
		return nil
	})).Context(ctx).Launch())
	require.EqualValues(t, 1, ran.Load())
}

// A wait with the body's own Context ends with the context of the task, by either name.
func TestCancelEndsWait(t *testing.T) {
	for _, workers := range []int{1, 4} {
		s := start(t, taskgraph.Options{Workers: workers})
		for _, await := range []func(*taskgraph.Context, taskgraph.Event) error{
			func(c *taskgraph.Context, e taskgraph.Event) error { return c.Wait(e) },
			func(c *taskgraph.Context, e taskgraph.Event) error {
				return c.WaitUntilTasksComplete(c, e)
			},
		} {
			ctx, cancel := context.WithCancel(bg)
			never := s.NewEvent()
			e := s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
				c.Task(taskgraph.Do(cancel)).Context(bg).Launch()
				assert.ErrorIs(t, await(c, never), context.Canceled)
				return nil
			})).Context(ctx).Launch()
			wait(t, s, e)
			never.Trigger()
		}
	}
}

// The Context ends also when the system gives up, with a context of the task or without.
func TestCancelWhenTheSystemGivesUp(t *testing.T) {
	s := taskgraph.Start(taskgraph.Options{})
	ctx, cancel := context.WithCancel(bg)
	defer cancel()
	in, ended := make(chan struct{}, 2), make(chan error, 2)
	body := taskgraph.Run(func(c *taskgraph.Context) error {
		done := c.Done()
		in <- struct{}{}
		<-done
		ended <- c.Err()
		return nil
	})
	s.Task(body).Context(ctx).Launch()
	s.Task(body).Launch()
	<-in
	if runtime.GOMAXPROCS(0) > 1 {
		<-in
	}
	over, stop := context.WithCancel(bg)
	stop()
	require.Error(t, s.Shutdown(over))
	require.ErrorIs(t, <-ended, context.Canceled)
}

// Tasks that do not run drop their context and their body.
func TestCancelDropsWhatIsHeld(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 1})
	launch := func() (weak.Pointer[[64]byte], weak.Pointer[[64]byte], taskgraph.Event) {
		a, b := new([64]byte), new([64]byte)
		ctx, cancel := context.WithCancel(context.WithValue(bg, cancelKey{}, a))
		cancel()
		failed := s.NewEvent()
		failed.Fail(errors.New("x"))
		_ = failed.Err()
		skipped := s.Task(taskgraph.Do(func() { b[0]++ })).Context(ctx).After(failed).Launch()
		canceled := s.Task(taskgraph.Do(func() { b[0]++ })).Context(ctx).Launch()
		assert.Error(t, s.WaitUntilTasksComplete(bg, skipped))
		assert.Error(t, s.WaitUntilTasksComplete(bg, canceled))
		return weak.Make(a), weak.Make(b), skipped
	}
	a, b, e := launch()
	wait(t, s, s.Go(func() {})) // the worker has let go of the last body
	for range 10 {
		runtime.GC()
		if a.Value() == nil && b.Value() == nil {
			break
		}
	}
	require.Nil(t, a.Value())
	require.Nil(t, b.Value())
	require.Error(t, e.Err())
}

func TestCancelMisuse(t *testing.T) {
	s := start(t, taskgraph.Options{})
	task := s.Task(taskgraph.Do(func() {}))
	require.PanicsWithValue(t, "taskgraph: Context of a task with a nil context", func() {
		var none context.Context
		task.Context(none)
	})
	wait(t, s, task.Launch())
	require.PanicsWithValue(t, "taskgraph: Context of a task that was launched before", func() {
		task.Context(bg)
	})
}

func TestCancelAllocations(t *testing.T) {
	s := startUnwatched(t, taskgraph.Options{Workers: 1})
	ctx, cancel := context.WithCancel(bg)
	defer cancel()
	body := taskgraph.Do(func() {})
	run(t, s, func(c *taskgraph.Context) error {
		launch := func() {
			for range 200 {
				if err := c.WaitUntilTasksComplete(bg,
					c.Task(body).Context(ctx).Launch()); err != nil {
					t.Error(err)
				}
			}
		}
		launch()
		assert.Less(t, testing.AllocsPerRun(20, launch), 1.0)
		return nil
	})
}

// A task that has not started when its context ends is cancelled; one that runs can ask.
func ExampleTask_Context() {
	sys := taskgraph.Start(taskgraph.Options{})
	defer sys.Shutdown(context.Background())

	ctx, cancel := context.WithCancel(context.Background())
	search := sys.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		cancel()
		<-c.Done()
		return nil // with what was found so far
	})).Context(ctx).Launch()
	refine := sys.Task(taskgraph.Do(func() { fmt.Println("not reached") })).
		Context(ctx).After(search).Launch()

	err := sys.WaitUntilTasksComplete(context.Background(), refine)
	fmt.Println(search.Err(), errors.Is(err, graphevent.ErrCanceled),
		errors.Is(err, context.Canceled))
	// Output: <nil> true true
}
