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

// The parent completes after its nested tasks, and theirs, although all bodies return at once.
func TestNestParentWaits(t *testing.T) {
	for _, workers := range []int{1, 4} {
		s := start(t, taskgraph.Options{Workers: workers})
		gate := make(chan struct{})
		var ran atomics.Int32
		parent := s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
			for range 20 {
				c.Nest(taskgraph.Run(func(c *taskgraph.Context) error {
					c.Nest(taskgraph.Do(func() { <-gate; ran.Add(1) }))
					ran.Add(1)
					return nil
				}))
			}
			return nil
		})).Launch()
		wait(t, s, s.Go(func() {})) // after the body of the parent, with one worker
		require.False(t, parent.IsComplete())
		close(gate)
		wait(t, s, parent)
		require.EqualValues(t, 40, ran.Load())
	}
}

// The failure of a nested task is that of the parent, unless the parent's body fails itself.
func TestNestFailure(t *testing.T) {
	s := start(t, taskgraph.Options{})
	inner, own := errors.New("inner"), errors.New("own")
	var nested taskgraph.Event
	deep := func(err error) taskgraph.Body {
		return taskgraph.Run(func(c *taskgraph.Context) error {
			nested = c.Nest(taskgraph.Run(func(c *taskgraph.Context) error {
				c.Nest(taskgraph.Try(func() error { return inner }))
				return nil
			}))
			return err
		})
	}
	require.ErrorIs(t, s.WaitUntilTasksComplete(bg, s.Task(deep(nil)).Launch()), inner)
	e := s.Task(deep(own)).Launch()
	require.ErrorIs(t, s.WaitUntilTasksComplete(bg, e), own)
	require.ErrorIs(t, nested.Err(), inner)
}

// A wait for the parent runs the nested tasks that have not started: with one worker, no other
// runner is needed.
func TestNestIsFoundByWaits(t *testing.T) {
	s := startUnwatched(t, taskgraph.Options{Workers: 1})
	run(t, s, func(c *taskgraph.Context) error {
		before := s.Stats().Parks
		for range 100 {
			var ran atomics.Int32
			parent := c.Spawn(taskgraph.Run(func(c *taskgraph.Context) error {
				for range 6 {
					c.Nest(taskgraph.Run(func(c *taskgraph.Context) error {
						c.Nest(taskgraph.Do(func() { ran.Add(1) }))
						return nil
					}))
				}
				return nil
			}))
			if err := c.WaitUntilTasksComplete(bg, parent); err != nil {
				return err
			}
			assert.EqualValues(t, 6, ran.Load())
		}
		assert.Equal(t, before, s.Stats().Parks)
		return nil
	})
}

func TestNestMisuse(t *testing.T) {
	s := start(t, taskgraph.Options{})
	run(t, s, func(c *taskgraph.Context) error {
		c.Fork(func(c *taskgraph.Context, _ *taskgraph.Args) {
			assert.PanicsWithValue(t, "taskgraph: Nest inside a forked call", func() {
				c.Nest(taskgraph.Do(func() {}))
			})
		}, taskgraph.Args{}).Wait()
		return nil
	})
}

func TestNestAllocations(t *testing.T) {
	s := startUnwatched(t, taskgraph.Options{Workers: 1})
	leaf := taskgraph.Do(func() {})
	parent := taskgraph.Run(func(c *taskgraph.Context) error {
		for range 6 {
			c.Nest(leaf)
		}
		return nil
	})
	run(t, s, func(c *taskgraph.Context) error {
		launch := func() {
			if err := c.WaitUntilTasksComplete(bg, c.Spawn(parent)); err != nil {
				t.Error(err)
			}
		}
		for range 10 {
			launch()
		}
		assert.Less(t, testing.AllocsPerRun(50, launch), 1.0)
		return nil
	})
}

// Whoever depends on the level depends on all that loads it.
func ExampleContext_Nest() {
	ctx := context.Background()
	sys := taskgraph.Start(taskgraph.Options{})
	defer sys.Shutdown(ctx)

	var loaded [3]bool
	level := sys.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		for i := range loaded {
			c.Nest(taskgraph.Do(func() { loaded[i] = true }))
		}
		return nil
	})).Launch()
	play := sys.Task(taskgraph.Do(func() { fmt.Println("play", loaded) })).After(level).Launch()
	_ = sys.WaitUntilTasksComplete(ctx, play)
	// Output: play [true true true]
}

// A wait has no limit but memory.
func TestWaitForVeryManyEvents(t *testing.T) {
	if testing.Short() {
		t.Skip("millions of events")
	}
	s := start(t, taskgraph.Options{Workers: 1})
	door := s.NewEvent()
	all := make([]taskgraph.Event, graphevent.MaxEdges+5)
	all[0], all[len(all)-1] = door, door
	waits := s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		return c.WaitUntilTasksComplete(bg, all...)
	})).Launch()
	s.Task(taskgraph.Do(func() { door.Trigger() })).Launch()
	require.NoError(t, s.WaitUntilTasksComplete(bg, all...))
	wait(t, s, waits)
}
