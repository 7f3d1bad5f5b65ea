package taskgraph_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/dev/hang"
	"github.com/heddle-go/heddle/taskgraph"
	"github.com/heddle-go/heddle/taskgraph/internal/goroutine"
)

// graphOfOne returns a graph with one task.
func graphOfOne(t *testing.T, body taskgraph.Body) *taskgraph.Graph {
	t.Helper()
	g, err := graphOf(func(b *taskgraph.GraphBuilder) { b.Task(body) })
	require.NoError(t, err)
	return g
}

// TestWaitTakesPartInLoops: who waits for a run of a graph takes part in the loops of its tasks,
// on its own goroutine. Each call of the loop waits for the other one, so two have to take part.
func TestWaitTakesPartInLoops(t *testing.T) {
	needsTwoPs(t)
	for _, isolate := range []bool{false, true} {
		hang.Watch(t)
		s := start(t, taskgraph.Options{Workers: 2, IsolateWaits: isolate})
		var began, helper atomics.Uint64
		g := graphOfOne(t, taskgraph.RunLoop(&taskgraph.Loop{N: 2, Unbalanced: true,
			Body: func(p *taskgraph.Participant, _, _ int) error {
				began.Add(1)
				for began.Load() < 2 {
					atomics.Pause(10)
				}
				if p.Index() > 0 {
					helper.Store(goroutine.ID())
				}
				return nil
			}}))
		run(t, s, func(c *taskgraph.Context) error {
			waiter := goroutine.ID()
			for helper.Load() != waiter && !isolate || began.Load() == 0 {
				began.Store(0)
				if err := c.WaitUntilTasksComplete(c, c.LaunchGraph(g)); err != nil {
					return err
				}
				require.EqualValues(t, 2, began.Load())
				require.False(t, isolate && helper.Load() == waiter, "on top of the waiter")
			}
			return nil
		})
	}
}

// TestWaitLeavesOtherLoops: who waits for a run takes no part in a loop of another one, which may
// take any time, even if that is all there is to do when the wait begins.
func TestWaitLeavesOtherLoops(t *testing.T) {
	hang.Watch(t)
	s := start(t, taskgraph.Options{Workers: 3})
	var began, shared, waits, over atomics.Bool // of the awaited run and the other one
	until := func(flag *atomics.Bool) {
		for !flag.Load() {
			runtime.Gosched()
		}
	}
	var helpers atomics.Int64
	var waiter atomics.Uint64
	awaited := graphOfOne(t, taskgraph.Do(func() {
		began.Store(true)
		until(&over)
	}))
	body := taskgraph.RunLoop(&taskgraph.Loop{N: 2, Unbalanced: true,
		Body: func(p *taskgraph.Participant, _, _ int) error {
			shared.Store(true)
			until(&waits)
			if p.Index() > 0 {
				helpers.Add(1)
				if goroutine.ID() == waiter.Load() {
					t.Error("a helper of another run's loop runs on top of the wait")
				}
			} else {
				time.Sleep(time.Millisecond) // so that there is something left for a helper
			}
			return nil
		}})
	loop, err := graphOf(func(b *taskgraph.GraphBuilder) {
		b.Task(taskgraph.Do(func() { over.Store(true) })).After(b.Task(body))
	})
	require.NoError(t, err)
	for round := 0; round < brief(5, 1) || helpers.Load() == 0; round++ {
		for _, flag := range []*atomics.Bool{&began, &shared, &waits, &over} {
			flag.Store(false)
		}
		wait := s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
			run := c.LaunchGraph(awaited)
			until(&began) // else it would run here
			until(&shared)
			waiter.Store(goroutine.ID())
			defer waiter.Store(0) // after the wait this goroutine may do as it likes
			waits.Store(true)
			return c.WaitUntilTasksComplete(c, run)
		})).Launch()
		require.NoError(t, s.WaitUntilTasksComplete(bg, wait, s.LaunchGraph(loop)))
	}
}
