package taskgraph_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/taskgraph"
)

// branch launches a task with three cases, a task after each, and one behind them that runs always.
// It returns the three and the numbers of those that ran.
func branch(t *testing.T, s *taskgraph.System,
	choose func(c *taskgraph.Context) error) ([]taskgraph.Event, []int) {
	t.Helper()
	task := s.Task(taskgraph.Run(choose))
	cases := task.Cases(3)
	var ran [3]atomics.Bool
	after := make([]taskgraph.Event, 3)
	for i, e := range cases {
		after[i] = s.Task(taskgraph.Do(func() { ran[i].Store(true) })).After(e).Launch()
	}
	join := s.Task(taskgraph.Do(func() {})).After(after...).Always().Launch()
	require.False(t, cases[0].IsComplete())
	task.Launch()
	wait(t, s, join)
	var numbers []int
	for i := range ran {
		if ran[i].Load() {
			numbers = append(numbers, i)
		}
		require.True(t, cases[i].IsComplete())
	}
	return after, numbers
}

// What is not chosen is skipped, and that is no failure that Shutdown returns.
func TestChoose(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 2})
	after, ran := branch(t, s, func(c *taskgraph.Context) error { c.Choose(1); return nil })
	require.Equal(t, []int{1}, ran)
	require.NoError(t, after[1].Err())
	require.ErrorIs(t, after[0].Err(), graphevent.ErrSkipped)
	require.ErrorIs(t, after[0].Err(), taskgraph.ErrNotChosen)

	_, ran = branch(t, s, func(c *taskgraph.Context) error { c.Choose(0, 2); return nil })
	require.Equal(t, []int{0, 2}, ran)
	_, ran = branch(t, s, func(c *taskgraph.Context) error { c.Choose(); return nil })
	require.Empty(t, ran)
	_, ran = branch(t, s, func(c *taskgraph.Context) error { return nil })
	require.Empty(t, ran)
	// In a later round.
	round := 0
	_, ran = branch(t, s, func(c *taskgraph.Context) error {
		if round++; round < 3 {
			c.Again()
		} else {
			c.Choose(2)
		}
		return nil
	})
	require.Equal(t, []int{2}, ran)
}

// A task that fails, is skipped or is cancelled goes on nowhere.
func TestChooseFailure(t *testing.T) {
	s := start(t, taskgraph.Options{})
	no := errors.New("no")
	after, ran := branch(t, s, func(c *taskgraph.Context) error { c.Choose(1); return no })
	require.Empty(t, ran)
	require.ErrorIs(t, after[1].Err(), no)
	require.ErrorIs(t, after[0].Err(), graphevent.ErrSkipped)
	after, ran = branch(t, s, func(c *taskgraph.Context) error { panic(no) })
	require.Empty(t, ran)
	require.ErrorIs(t, after[2].Err(), no)
	// Nested work is part of the task.
	after, ran = branch(t, s, func(c *taskgraph.Context) error {
		c.Choose(1)
		c.Nest(taskgraph.Try(func() error { return no }))
		return nil
	})
	require.Empty(t, ran)
	require.ErrorIs(t, after[1].Err(), no)

	ctx, cancel := context.WithCancel(bg)
	cancel()
	task := s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		c.Choose(0)
		return nil
	})).Context(ctx)
	cases := task.Cases(1)
	task.Launch()
	require.ErrorIs(t, s.WaitUntilTasksComplete(bg, cases[0]), graphevent.ErrCanceled)

	closed := taskgraph.Start(taskgraph.Options{})
	require.NoError(t, closed.Shutdown(bg))
	cases = closed.Task(taskgraph.Do(func() {})).Cases(2)
	require.ErrorIs(t, cases[1].Err(), graphevent.ErrClosed)
}

func TestChooseMisuse(t *testing.T) {
	s := start(t, taskgraph.Options{})
	run(t, s, func(c *taskgraph.Context) error {
		assert.PanicsWithValue(t, "taskgraph: Choose in a task without Cases", func() {
			c.Choose(0)
		})
		return nil
	})
	task := s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		assert.PanicsWithValue(t, "taskgraph: Choose of a case that there is not", func() {
			c.Choose(2)
		})
		assert.PanicsWithValue(t, "taskgraph: Choose of a case that there is not", func() {
			c.Choose(-1)
		})
		c.Choose(0)
		assert.PanicsWithValue(t, "taskgraph: Choose for the second time", func() { c.Choose(1) })
		return nil
	}))
	require.PanicsWithValue(t, "taskgraph: Cases of less than one", func() { task.Cases(0) })
	task.Cases(2)
	require.PanicsWithValue(t, "taskgraph: Cases for the second time", func() { task.Cases(2) })
	wait(t, s, task.Launch())
	require.PanicsWithValue(t, "taskgraph: Cases of a task that was launched before", func() {
		task.Cases(1)
	})
}

// The check decides whether the cached file is used or a new one is made.
func ExampleContext_Choose() {
	ctx := context.Background()
	sys := taskgraph.Start(taskgraph.Options{})
	defer sys.Shutdown(ctx)

	fresh := false
	check := sys.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		if fresh {
			c.Choose(0)
		} else {
			c.Choose(1)
		}
		return nil
	}))
	cases := check.Cases(2)
	load := sys.Task(taskgraph.Do(func() { fmt.Println("load") })).After(cases[0]).Launch()
	build := sys.Task(taskgraph.Do(func() { fmt.Println("build") })).After(cases[1]).Launch()
	use := sys.Task(taskgraph.Do(func() { fmt.Println("use") })).After(load,
		build).Always().Launch()
	check.Launch()
	fmt.Println(sys.WaitUntilTasksComplete(ctx, use))
	// Output:
	// build
	// use
	// <nil>
}
