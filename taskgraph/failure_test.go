package taskgraph_test

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/taskgraph"
)

// failingBodies are the ways in which a body fails.
var errBoom = errors.New("boom")

var failingBodies = map[string]struct {
	body  taskgraph.Body
	check func(t *testing.T, err error)
}{
	"error": {taskgraph.Try(func() error { return errBoom }), func(t *testing.T, err error) {
		require.ErrorIs(t, err, errBoom)
	}},
	"panic": {taskgraph.Do(func() { panicHere() }), func(t *testing.T, err error) {
		var p *graphevent.PanicError
		require.ErrorAs(t, err, &p)
		require.Equal(t, "ouch", p.Value)
		require.Contains(t, string(p.Stack), "panicHere")
	}},
	"panic with an error": {taskgraph.Do(func() { panic(errBoom) }), func(t *testing.T, err error) {
		require.ErrorIs(t, err, errBoom)
	}},
	"nil panic": {taskgraph.Do(func() { panic(nil) }), func(t *testing.T, err error) {
		var p *runtime.PanicNilError
		require.ErrorAs(t, err, &p)
	}},
	"goexit": {taskgraph.Do(runtime.Goexit), func(t *testing.T, err error) {
		require.ErrorIs(t, err, graphevent.ErrGoexit)
	}},
}

func panicHere() { panic("ouch") }

func TestFailureReachesDependentsAndWaiters(t *testing.T) {
	for name, tc := range failingBodies {
		for _, w := range []int{1, 4} {
			t.Run(fmt.Sprintf("%s/workers=%d", name, w), func(t *testing.T) {
				s := start(t, taskgraph.Options{Workers: w})
				for range 20 {
					var ran, always atomics.Int32
					bad := s.Task(tc.body)
					good := s.Go(func() {})
					child := s.Task(taskgraph.Do(func() { ran.Add(1) })).After(good,
						bad.Event()).Launch()
					grandchild := s.Task(taskgraph.Do(func() { ran.Add(1) })).After(child,
						good).Launch()
					anyway := s.Task(taskgraph.Do(func() { always.Add(1) })).After(bad.Event(),
						child).Always().Launch()
					next := s.Task(taskgraph.Do(func() { always.Add(1) })).After(anyway).Launch()
					bad.Launch()
					late := s.Task(taskgraph.Do(func() { ran.Add(1) })).After(bad.Event()).Launch()

					tc.check(t, s.WaitUntilTasksComplete(bg, good, bad.Event()))
					for _, e := range []taskgraph.Event{child, grandchild, late} {
						err := s.WaitUntilTasksComplete(bg, e)
						require.ErrorIs(t, err, graphevent.ErrSkipped)
						tc.check(t, err)
						require.Equal(t, 1, strings.Count(err.Error(),
							graphevent.ErrSkipped.Error()), err)
					}
					wait(t, s, good, anyway, next)
					require.Zero(t, ran.Load())
					require.EqualValues(t, 2, always.Load())
				}
				wait(t, s, s.Go(func() {})) // the workers live on
			})
		}
	}
}

// Trap 17: a task that a wait runs on the waiter's stack fails alone.
func TestTrap17_FailureOfNestedTaskLeavesItsWaiterAlone(t *testing.T) {
	s := startUnwatched(t, taskgraph.Options{Workers: 1})
	for name, tc := range failingBodies {
		if name == "goexit" {
			continue
		}
		run(t, s, func(c *taskgraph.Context) error {
			e := c.Spawn(tc.body)
			f := c.Go(func() {})
			err := c.WaitUntilTasksComplete(bg, e)
			if err == nil {
				return errors.New("no error")
			}
			tc.check(t, err)
			return c.WaitUntilTasksComplete(bg, f)
		})
	}
	require.Zero(t, s.Stats().Parks)
}

// Goexit cannot be stopped: it ends every body on the stack, and each says where it came from.
func TestGoexitOfNestedTaskEndsItsWaiters(t *testing.T) {
	s := startUnwatched(t, taskgraph.Options{Workers: 1})
	var inner, middle taskgraph.Event
	cleaned := false
	outer := s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		middle = c.Spawn(taskgraph.Run(func(c *taskgraph.Context) error {
			defer func() { cleaned = true }()
			inner = c.Task(taskgraph.Do(runtime.Goexit)).Name("inner").Launch()
			return c.WaitUntilTasksComplete(bg, inner)
		}))
		return c.WaitUntilTasksComplete(bg, middle)
	})).Launch()
	err := s.WaitUntilTasksComplete(bg, outer)
	require.ErrorIs(t, err, graphevent.ErrGoexit)
	require.ErrorContains(t, err, `in task "inner"`)
	require.ErrorContains(t, middle.Err(), `in task "inner"`)
	require.ErrorIs(t, inner.Err(), graphevent.ErrGoexit)
	require.True(t, cleaned)
	wait(t, s, s.Go(func() {}))
}

func TestUnseenFailuresAreReturnedByShutdown(t *testing.T) {
	var handled atomics.Int32
	s := taskgraph.Start(taskgraph.Options{Workers: 2, OnFailure: func(name string, err error) {
		if name == `task "lost"` && errors.Is(err, errBoom) {
			handled.Add(1)
		}
	}})
	fail := taskgraph.Try(func() error { return errBoom })
	s.Task(fail).Name("lost").Launch()
	seen := errors.New("seen")
	direct := s.Task(taskgraph.Try(func() error { return seen })).Launch()
	require.ErrorIs(t, direct.Wait(bg), seen)
	root := s.Task(taskgraph.Try(func() error { return seen })).Launch()
	require.ErrorIs(t, s.Task(taskgraph.Do(func() {})).After(root).Launch().Wait(bg), seen)

	err := s.Shutdown(bg)
	require.ErrorIs(t, err, errBoom)
	require.ErrorContains(t, err, `task "lost" failed and nobody looked`)
	require.NotErrorIs(t, err, seen)
	require.EqualValues(t, 1, handled.Load())
}

func TestForgottenFailures(t *testing.T) {
	s := taskgraph.Start(taskgraph.Options{Workers: 2, MaxFailures: 10})
	var events []taskgraph.Event
	for range 100 {
		e := s.Task(taskgraph.Try(func() error { return errBoom })).Launch()
		wait1(s, e)
		events = append(events, e)
	}
	remembered := 0
	for _, e := range events {
		if errors.Is(e.Err(), errBoom) {
			remembered++
		}
	}
	require.GreaterOrEqual(t, remembered, 10)
	require.LessOrEqual(t, remembered, 11, "the last one to be forgotten may be forgotten just now")
	require.ErrorIs(t, events[88].Err(), graphevent.ErrForgotten)
	require.ErrorContains(t, s.Shutdown(bg), "more tasks failed and nobody looked")
}

// wait1 waits until e is complete without looking at its failure.
func wait1(s *taskgraph.System, e taskgraph.Event) {
	_ = s.WaitUntilTasksComplete(bg, s.Task(taskgraph.Do(func() {})).After(e).Always().Launch())
}

func TestParallelForFailures(t *testing.T) {
	for _, w := range []int{1, 4} {
		s := start(t, taskgraph.Options{Workers: w})
		var after atomics.Bool
		err := s.ParallelFor(1000, 1, func(lo, _ int) {
			if lo == 500 {
				panic("ouch")
			}
			after.Store(after.Load() || lo == 999)
		})
		var p *graphevent.PanicError
		require.ErrorAs(t, err, &p)
		require.Equal(t, "ouch", p.Value)

		e := s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
			_ = c.ParallelFor(1000, 1, func(lo, _ int) {
				if lo == 500 {
					runtime.Goexit()
				}
			})
			return nil
		})).Launch()
		<-doneOf(s, e)
		if err := e.Err(); err != nil { // the caller's own batch, or a helper's
			require.ErrorIs(t, err, graphevent.ErrGoexit)
		}
		wait(t, s, s.Go(func() {}))
	}
}

func doneOf(s *taskgraph.System, e taskgraph.Event) <-chan struct{} {
	done := make(chan struct{})
	go func() { wait1(s, e); close(done) }()
	return done
}
