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
	"github.com/heddle-go/heddle/namedthread"
	"github.com/heddle-go/heddle/taskgraph"
)

// One worker, ten deep: each body waits for a task that it launched.
func TestWaitNestedThroughContext(t *testing.T) {
	for _, w := range []int{1, 2, 4} {
		s := start(t, taskgraph.Options{Workers: w})
		for range 300 {
			depth := 0
			var nest func(c *taskgraph.Context) error
			nest = func(c *taskgraph.Context) error {
				if depth++; depth == 10 {
					return nil
				}
				return c.WaitUntilTasksComplete(bg, c.Task(taskgraph.Run(nest)).Launch())
			}
			run(t, s, nest)
			require.Equal(t, 10, depth)
		}
	}
}

// The same without a Context: the system cannot see that the bodies wait.
func TestWaitNestedThroughPlainBodies(t *testing.T) {
	for _, w := range []int{1, 2} {
		s := start(t, taskgraph.Options{Workers: w})
		var nest func(depth int) error
		nest = func(depth int) error {
			if depth == 0 {
				return nil
			}
			return s.WaitUntilTasksComplete(bg,
				s.Task(taskgraph.Try(func() error { return nest(depth - 1) })).Launch())
		}
		for range brief(3, 1) {
			require.NoError(t, nest(10))
		}
	}
}

// A context that can end rules out running the awaited task on the waiter's stack: the
// worker goes to another runner.
func TestWaitNestedWithCancellableContext(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 1})
	ctx, cancel := context.WithCancel(bg)
	defer cancel()
	var nest func(c *taskgraph.Context, depth int) error
	nest = func(c *taskgraph.Context, depth int) error {
		if depth == 0 {
			return nil
		}
		e := c.Spawn(taskgraph.Run(func(c *taskgraph.Context) error { return nest(c, depth-1) }))
		return c.WaitUntilTasksComplete(ctx, e)
	}
	for range 100 {
		run(t, s, func(c *taskgraph.Context) error { return nest(c, 10) })
	}
	require.Positive(t, s.Stats().Parks)
}

func TestWaitEndsWithContext(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 1})
	never := s.NewEvent()
	why := errors.New("why")
	ctx, cancel := context.WithCancelCause(bg)
	s.Go(func() { cancel(why) })
	require.ErrorIs(t, s.WaitUntilTasksComplete(ctx, never), why)

	ctx, cancel = context.WithCancelCause(bg)
	run(t, s, func(c *taskgraph.Context) error {
		c.Go(func() { cancel(why) })
		if err := c.WaitUntilTasksComplete(ctx, never); !errors.Is(err, why) {
			return fmt.Errorf("got %v", err)
		}
		return nil
	})
	require.ErrorIs(t, never.Wait(ctx), why)
	never.Trigger()
	require.NoError(t, never.Wait(ctx), "complete events are looked at before the context")
}

func TestWaitForItself(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 1})
	e := s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		return c.WaitUntilTasksComplete(bg, c.Event())
	})).Name("ouroboros").Launch()
	require.EqualError(t, s.WaitUntilTasksComplete(bg, e),
		`taskgraph: task "ouroboros" waits for itself`)

	// Also for a task below it on the stack, whose wait runs it.
	outer := s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		own := c.Event()
		return c.WaitUntilTasksComplete(bg, c.Spawn(taskgraph.Run(func(c *taskgraph.Context) error {
			return c.WaitUntilTasksComplete(bg, own)
		})))
	})).Name("outer").Launch()
	require.EqualError(t, s.WaitUntilTasksComplete(bg, outer),
		`taskgraph: task "outer" waits for itself`)
}

// Every worker blocks in a wait for an event that only a further task triggers.
func TestWaitWithEveryWorkerWaiting(t *testing.T) {
	for _, plain := range []bool{false, true} {
		s := start(t, taskgraph.Options{Workers: 4})
		e := s.NewEvent()
		var events []taskgraph.Event
		for range 32 {
			body := taskgraph.Run(func(c *taskgraph.Context) error {
				return c.WaitUntilTasksComplete(bg, e)
			})
			if plain {
				body = taskgraph.Try(func() error { return s.WaitUntilTasksComplete(bg, e) })
			}
			events = append(events, s.Task(body).Launch())
		}
		events = append(events,
			s.Task(taskgraph.Do(func() {
				e.Trigger()
			})).Priority(taskgraph.PriorityBackgroundLow).Launch())
		wait(t, s, events...)
	}
}

// A wait runs what it waits for through prerequisites, and nothing else.
func TestWaitRunsOnlyWhatIsAwaited(t *testing.T) {
	s := startUnwatched(t, taskgraph.Options{Workers: 1})
	var unrelated atomics.Bool
	run(t, s, func(c *taskgraph.Context) error {
		other := c.Go(func() { unrelated.Store(true) })
		a := c.Go(func() {})
		b := c.Task(taskgraph.Do(func() {})).After(a).Launch()
		d := c.Task(taskgraph.Do(func() {})).After(b, a).Launch()
		later := c.Go(func() { unrelated.Store(true) }) // on top of the deque
		if err := c.WaitUntilTasksComplete(bg, d); err != nil {
			return err
		}
		if unrelated.Load() {
			return errors.New("the wait ran an unrelated task")
		}
		c.DontCompleteUntil(other, later)
		return nil
	})
	require.Zero(t, s.Stats().Parks)
}

func TestEventWaitFromAnyGoroutine(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 2})
	boom := errors.New("boom")
	e := s.Task(taskgraph.Try(func() error { return boom })).Launch()
	require.ErrorIs(t, e.Wait(bg), boom)
	require.ErrorIs(t, e.Err(), boom)
	require.NoError(t, taskgraph.Event{}.Wait(bg))
	require.NoError(t, s.WaitUntilTasksComplete(bg))
}

// An event of another system, or of a bare store, can be a prerequisite, be waited for, and
// hold a task open.
func TestForeignEvents(t *testing.T) {
	s, other := start(t, taskgraph.Options{Workers: 1}), start(t, taskgraph.Options{Workers: 1})
	store := graphevent.NewStore(graphevent.Options{})
	manual := store.NewEvent()
	boom := errors.New("boom")
	failing := other.Task(taskgraph.Try(func() error { return boom })).After(manual).Launch()
	skipped := s.Task(taskgraph.Do(func() {})).After(failing).Launch()
	open := s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		c.DontCompleteUntil(manual)
		return nil
	})).Launch()
	waiting := s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		return c.WaitUntilTasksComplete(bg, manual, open)
	})).Launch()
	require.False(t, skipped.IsComplete() || open.IsComplete())
	manual.Trigger()
	wait(t, s, open, waiting)
	err := s.WaitUntilTasksComplete(bg, skipped)
	require.ErrorIs(t, err, boom)
	require.ErrorIs(t, err, graphevent.ErrSkipped)
}

func TestManyGoroutinesWait(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 2})
	e := s.NewEvent()
	const n = 1000 // more than may sleep in the operating system
	errs := make(chan error, n)
	for range n {
		go func() { errs <- s.WaitUntilTasksComplete(bg, e) }()
	}
	e.Trigger()
	for range n {
		require.NoError(t, <-errs)
	}
}

// TestDeepWaitsTakeAsMuchForEachLevel: memory of waits on top of each other grows with their
// number, for tasks and for graphs.
func TestDeepWaitsTakeAsMuchForEachLevel(t *testing.T) {
	type body = func(*taskgraph.Context) error
	task := func(c *taskgraph.Context, b body) error {
		return c.WaitUntilTasksComplete(bg, c.Spawn(taskgraph.Run(b)))
	}
	for name, on := range map[string]func(c *taskgraph.Context, b body) error{
		"task": task,
		"task in a fork": func(c *taskgraph.Context, b body) (err error) {
			c.Fork(func(c *taskgraph.Context, _ *taskgraph.Args) { err = task(c, b) },
				taskgraph.Args{}).Wait()
			return err
		},
		"graph": func(c *taskgraph.Context, b body) error {
			var build taskgraph.GraphBuilder
			build.Task(taskgraph.Run(b))
			g, err := build.Build()
			if err != nil {
				return err
			}
			return c.WaitUntilTasksComplete(bg, c.LaunchGraph(g))
		},
	} {
		t.Run(name, func(t *testing.T) {
			perLevel := func(depth int) uint64 {
				s := start(t, taskgraph.Options{Workers: 1, Threads: namedthread.NewRegistry()})
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				var down func(c *taskgraph.Context, left int) error
				down = func(c *taskgraph.Context, left int) error {
					if left == 0 {
						runtime.ReadMemStats(&after)
						return nil
					}
					return on(c, func(c *taskgraph.Context) error { return down(c, left-1) })
				}
				run(t, s, func(c *taskgraph.Context) error { return down(c, depth) })
				return (after.TotalAlloc - before.TotalAlloc) / uint64(depth)
			}
			perLevel(10) // what a first graph allocates
			few, many := perLevel(brief(300, 100)), perLevel(brief(3000, 1000))
			require.Less(t, many, 2*few, "bytes a level")
		})
	}
}
