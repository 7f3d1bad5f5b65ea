package taskgraph_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/taskgraph"
)

var errAny = errors.New("any")

// A waitAny is one of the two forms of WaitAny.
type waitAny func(ctx context.Context, events ...taskgraph.Event) (int, error)

// bothForms runs body as a task with each form of WaitAny, on a system with one worker.
func bothForms(t *testing.T,
	body func(s *taskgraph.System, c *taskgraph.Context, wait waitAny) error) {
	t.Helper()
	for _, plain := range []bool{false, true} {
		t.Run(map[bool]string{false: "Context", true: "plain"}[plain], func(t *testing.T) {
			s := start(t, taskgraph.Options{Workers: 1})
			for range 20 {
				run(t, s, func(c *taskgraph.Context) error {
					if plain {
						return body(s, c, s.WaitAny)
					}
					return body(s, c, c.WaitAny)
				})
			}
		})
	}
}

func TestWaitAnyReturnsTheFirstInOrderThatIsComplete(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 2})
	a, b, c := s.NewEvent(), s.NewEvent(), s.NewEvent()
	done := make(chan int)
	go func() {
		i, err := s.WaitAny(bg, a, b, c)
		require.ErrorIs(t, err, errAny)
		done <- i
	}()
	s.Go(func() { c.Fail(errAny) })
	require.Equal(t, 2, <-done)
	b.Trigger()
	i, err := s.WaitAny(bg, a, b, c)
	require.Equal(t, 1, i)
	require.NoError(t, err)
	i, err = s.WaitAny(bg, taskgraph.Event{}, a)
	require.Equal(t, 0, i)
	require.NoError(t, err)
	a.Trigger()
}

// The loser waits for the task that waits for it, and gets its end when that goes on.
func TestWaitAnyWhoseLoserWaitsForTheWaiter(t *testing.T) {
	bothForms(t, func(s *taskgraph.System, c *taskgraph.Context, wait waitAny) error {
		own := c.Event()
		loser := c.Spawn(taskgraph.Run(func(c *taskgraph.Context) error {
			return c.WaitUntilTasksComplete(bg, own)
		}))
		plain := c.Spawn(taskgraph.Try(func() error { return s.WaitUntilTasksComplete(bg, own) }))
		winner := c.Go(func() {})
		last := c.Spawn(taskgraph.Run(func(c *taskgraph.Context) error {
			return c.WaitUntilTasksComplete(bg, own)
		}))
		if i, err := wait(bg, loser, plain, winner, last); i != 2 || err != nil {
			return fmt.Errorf("got %d, %v", i, err)
		}
		return nil
	})
}

// What is awaited runs, but not on top of the waiter: the loser ends after the waiter's body.
func TestWaitAnyRunsNothingOnTheWaitersStack(t *testing.T) {
	bothForms(t, func(s *taskgraph.System, c *taskgraph.Context, wait waitAny) error {
		over := make(chan struct{})
		defer close(over)
		loser := c.Go(func() { <-over })
		winner := c.Task(taskgraph.Do(func() {})).After(c.Go(func() {})).Launch()
		if i, err := wait(bg, loser, winner); i != 1 || err != nil {
			return fmt.Errorf("got %d, %v", i, err)
		}
		return nil
	})
}

func TestWaitAnyEndsWithItsContext(t *testing.T) {
	bothForms(t, func(s *taskgraph.System, c *taskgraph.Context, wait waitAny) error {
		ctx, cancel := context.WithCancelCause(bg)
		never, too := s.NewEvent(), s.NewEvent()
		defer func() { never.Trigger(); too.Trigger() }()
		c.Go(func() { cancel(errAny) })
		if i, err := wait(ctx, never, too); i != -1 || !errors.Is(err, errAny) {
			return fmt.Errorf("got %d, %v", i, err)
		}
		if i, err := wait(ctx, never, taskgraph.Event{}); i != 1 || err != nil {
			return fmt.Errorf("complete events come before the context, got %d, %v", i, err)
		}
		return nil
	})
}

func TestWaitAnyOfItself(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 1})
	e := s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		if i, err := c.WaitAny(bg, c.Event(), c.Go(func() {})); i != 1 || err != nil {
			return fmt.Errorf("got %d, %v", i, err)
		}
		_, err := c.WaitAny(bg, c.Event(), c.Event())
		return err
	})).Name("ouroboros").Launch()
	require.EqualError(t, s.WaitUntilTasksComplete(bg, e),
		`taskgraph: task "ouroboros" waits for itself`)
}

func TestWaitAnyMisusePanics(t *testing.T) {
	s := startUnwatched(t, taskgraph.Options{Workers: 1})
	require.PanicsWithValue(t, "taskgraph: WaitAny of no events", func() { _, _ = s.WaitAny(bg) })
	require.PanicsWithValue(t, "graphevent: Any of no events", func() { s.Any() })
	require.PanicsWithValue(t, "taskgraph: TriggerEventWhenTasksComplete of the zero Event",
		func() { s.TriggerEventWhenTasksComplete(taskgraph.Event{}) })
	release := occupy(t, s, 1)
	defer release()
	task := s.Go(func() {})
	for _, tasks := range [][]taskgraph.Event{nil, {s.NewEvent()}} {
		require.Panics(t, func() {
			s.TriggerEventWhenTasksComplete(task, tasks...)
		}, "a task is not a manual event")
	}
}

// The failure of a loser remains unseen, although it was complete when the wait ended.
func TestWaitAnyLeavesTheFailuresOfLosersUnseen(t *testing.T) {
	guard(t)
	s := taskgraph.Start(taskgraph.Options{Workers: 1})
	winner, loser := s.NewEvent(), s.NewEvent()
	first := s.Any(winner, loser)
	loser.Fail(errAny)
	winner.Trigger()
	i, err := s.WaitAny(bg, winner, loser)
	require.Equal(t, 0, i)
	require.NoError(t, err)
	require.True(t, first.IsComplete())
	require.ErrorIs(t, s.Shutdown(bg), errAny)
}

func TestWaitAnyAcrossSystems(t *testing.T) {
	s, other := start(t, taskgraph.Options{Workers: 1}), start(t, taskgraph.Options{Workers: 1})
	never := graphevent.NewStore(graphevent.Options{}).NewEvent()
	run(t, s, func(c *taskgraph.Context) error {
		if i, err := c.WaitAny(bg, never, other.Go(func() {})); i != 1 || err != nil {
			return fmt.Errorf("got %d, %v", i, err)
		}
		return nil
	})
}

// A named thread runs what is bound to it among what it waits for, also behind other events,
// and leaves the rest of its work alone.
func TestWaitAnyOnNamedThreadRunsWhatIsBoundToIt(t *testing.T) {
	reg, ths := threads(t, "Game")
	s := start(t, taskgraph.Options{Workers: 1, Threads: reg})
	never := s.NewEvent()
	var unrelated atomics.Bool
	body := func(c *taskgraph.Context) error {
		bound := func(f func()) taskgraph.Event {
			return c.Task(taskgraph.Do(f)).On(ths[0]).Launch()
		}
		other := bound(func() { unrelated.Store(true) })
		mine := bound(func() {})
		if i, err := c.WaitAny(bg, never, mine); i != 1 || err != nil {
			return fmt.Errorf("got %d, %v", i, err)
		}
		deep := c.Task(taskgraph.Do(func() {})).After(bound(func() {})).Launch()
		if i, err := s.WaitAny(bg, never, c.System().Any(never, deep)); i != 1 || err != nil {
			return fmt.Errorf("got %d, %v", i, err)
		}
		// A worker waits for it, and this thread waits for the worker.
		mine = bound(func() {})
		worker := c.Spawn(taskgraph.Run(func(c *taskgraph.Context) error {
			_, err := c.WaitAny(bg, never, mine)
			return err
		}))
		if err := c.WaitUntilTasksComplete(bg, worker); err != nil {
			return err
		}
		if unrelated.Load() {
			return errors.New("the wait ran an unrelated task")
		}
		c.DontCompleteUntil(other)
		return nil
	}
	wait(t, s, s.Task(taskgraph.Run(body)).On(ths[0]).Launch())
	never.Trigger()
}

func TestWaitAnyEndsWhenTheSystemIsAbandoned(t *testing.T) {
	guard(t)
	s := taskgraph.Start(taskgraph.Options{Workers: 1, StuckAfter: time.Millisecond})
	a, b := s.NewEvent(), s.NewEvent()
	var got error
	body := s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		_, got = c.WaitAny(bg, a, b)
		return got
	})).Launch()
	after := s.Task(taskgraph.Do(func() {})).After(s.Any(a, b)).Launch()
	var stuck *taskgraph.StuckError
	require.ErrorAs(t, s.Shutdown(bg), &stuck)
	require.ErrorIs(t, got, graphevent.ErrClosed)
	require.ErrorIs(t, body.Err(), graphevent.ErrClosed)
	require.ErrorIs(t, after.Err(), graphevent.ErrClosed)
	names := map[string]bool{}
	for _, task := range stuck.Tasks {
		for _, name := range task.WaitsFor {
			names[name] = true
		}
	}
	require.True(t, names[a.String()] && names[b.String()],
		"the report says what Any waits for: %v", stuck)
}

func TestAnyAndAllAsPrerequisites(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 2})
	a, b := s.NewEvent(), s.NewEvent()
	first := s.Task(taskgraph.Do(func() {})).After(s.Any(a, b)).Launch()
	last := s.Task(taskgraph.Do(func() {})).After(s.All(a, b)).Launch()
	b.Trigger()
	wait(t, s, first)
	require.False(t, last.IsComplete())
	a.Fail(errAny)
	require.ErrorIs(t, s.WaitUntilTasksComplete(bg, last), errAny)
}

// A wait for All, and for an event that is triggered when tasks complete, runs these.
func TestWaitForAllRunsWhatItWaitsFor(t *testing.T) {
	s := startUnwatched(t, taskgraph.Options{Workers: 1})
	run(t, s, func(c *taskgraph.Context) error {
		e := s.NewEvent()
		s.TriggerEventWhenTasksComplete(e, c.Go(func() {}), c.Go(func() {}))
		return c.WaitUntilTasksComplete(bg, s.All(c.Go(func() {}), c.Go(func() {})), e)
	})
	require.Zero(t, s.Stats().Parks)
}

// TriggerEventWhenTasksComplete needs no worker: all are blocked, and whoever completes the last
// task has completed the event when that call returns.
func TestTriggerEventWhenTasksCompleteNeedsNoWorker(t *testing.T) {
	s := startUnwatched(t, taskgraph.Options{Workers: 2})
	a, b := s.NewEvent(), s.NewEvent()
	hold := func(e taskgraph.Event) taskgraph.Event {
		return s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
			c.DontCompleteUntil(e)
			return nil
		})).Launch()
	}
	tasks := []taskgraph.Event{hold(a), hold(b)}
	e, chained := s.NewEvent(), s.NewEvent()
	for _, task := range tasks {
		for task.State() != graphevent.StateExecuting {
			atomics.Gosched()
		}
	}
	s.AwaitIdle() // the bodies have returned
	s.TriggerEventWhenTasksComplete(e, tasks...)
	s.TriggerEventWhenTasksComplete(chained, e)
	release := occupy(t, s, 2)
	defer release()
	require.False(t, e.Trigger(), "it counts as triggered")
	b.Trigger()
	require.False(t, e.IsComplete())
	a.Trigger()
	require.True(t, e.IsComplete() && chained.IsComplete())
	require.NoError(t, e.Err())
}

// The only task of a system with one worker waits for the event, in each way.
func TestTriggerEventWhenTasksCompleteWithTheOnlyWorkerWaiting(t *testing.T) {
	for _, plain := range []bool{false, true} {
		s := start(t, taskgraph.Options{Workers: 1})
		e, outside := s.NewEvent(), s.NewEvent()
		in := make(chan struct{})
		only := s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
			s.TriggerEventWhenTasksComplete(e, outside, c.Go(func() {}))
			close(in)
			if plain {
				return s.WaitUntilTasksComplete(bg, e)
			}
			return c.WaitUntilTasksComplete(bg, e)
		})).Launch()
		<-in
		outside.Trigger()
		wait(t, s, only)
	}
}

func TestTriggerEventWhenTasksCompleteFailsWithTheFirst(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 1})
	a, b, e, none := s.NewEvent(), s.NewEvent(), s.NewEvent(), s.NewEvent()
	s.TriggerEventWhenTasksComplete(e, a, b)
	b.Fail(errAny)
	a.Fail(errors.New("later"))
	require.ErrorIs(t, e.Err(), errAny)
	require.EqualError(t, a.Err(), "later")
	s.TriggerEventWhenTasksComplete(none)
	require.True(t, none.IsComplete())
}

func TestWaitAnyAllocatesNothing(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 1})
	var allocs float64
	run(t, s, func(c *taskgraph.Context) error {
		never := taskgraph.Do(func() {})
		round := func() {
			e := s.NewEvent()
			loser := s.NewEvent()
			task := c.Spawn(never)
			s.TriggerEventWhenTasksComplete(e, task)
			if _, err := c.WaitAny(bg, loser, e); err != nil {
				panic(err)
			}
			loser.Trigger()
		}
		for range 100 {
			round()
		}
		allocs = testing.AllocsPerRun(200, round)
		return nil
	})
	require.Less(t, allocs, 1.0)
}
