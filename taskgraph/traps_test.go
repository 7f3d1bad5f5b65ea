package taskgraph_test

import (
	"context"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/taskgraph"
)

// Trap 3: prerequisites that complete while they are registered do not start the task early,
// nor twice.
func TestTrap03_PrerequisitesCompleteDuringSetUp(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 4})
	for range brief(2000, 300) {
		var launched, ran atomics.Int32
		task := s.Task(taskgraph.Do(func() {
			if launched.Load() == 0 {
				t.Error("ran before its launch")
			}
			ran.Add(1)
		}))
		for range 6 {
			task.After(s.Go(func() {}))
		}
		launched.Store(1)
		wait(t, s, task.Launch())
		require.EqualValues(t, 1, ran.Load())
	}
}

// Trap 5: nodes are reused the moment they are free, so that whoever touches one after the
// step that may free it meets another task.
func TestTrap05_NodesAreReusedAtOnce(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 4})
	run(t, s, func(c *taskgraph.Context) error {
		for range 5000 {
			var x, y int
			a := c.Go(func() { x = 1 })
			b := c.Task(taskgraph.Do(func() { y = x + 1 })).After(a).Launch()
			if err := c.WaitUntilTasksComplete(bg, b, a); err != nil {
				return err
			}
			if y != 2 {
				t.Error("a task saw another one's data")
			}
		}
		return nil
	})
}

// Trap 7: completing takes no worker. All are blocked, and events complete all the same.
func TestTrap07_CompletionNeedsNoWorker(t *testing.T) {
	s := startUnwatched(t, taskgraph.Options{Workers: 1})
	inner, release := s.NewEvent(), make(chan struct{})
	held := s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		c.DontCompleteUntil(inner)
		return nil
	})).Launch()
	outer := s.NewEvent()
	outer.DontCompleteUntil(held)
	outer.Trigger()
	wait(t, s, s.Go(func() {})) // the body of held is over
	in := make(chan struct{})
	blocked := s.Go(func() { close(in); <-release })
	<-in
	require.False(t, outer.IsComplete())
	inner.Trigger()
	require.True(t, held.IsComplete() && outer.IsComplete(), "completed by the one who triggered")
	wait(t, s, outer)
	close(release)
	wait(t, s, blocked)
}

// Trap 8: a task that a wait runs early leaves its queue entry behind, which must run nothing
// and must not meet the node's next task.
func TestTrap08_EntriesOfTasksRunEarly(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 2})
	var runs atomics.Int64
	const rounds, n = 300, 32
	for range rounds {
		run(t, s, func(c *taskgraph.Context) error {
			var events []taskgraph.Event
			for range n {
				events = append(events, c.Go(func() { runs.Add(1) }))
			}
			// The first is at the far end of the deque.
			for _, e := range events {
				if err := c.WaitUntilTasksComplete(bg, e); err != nil {
					return err
				}
			}
			return nil
		})
	}
	require.EqualValues(t, rounds*n, runs.Load())
}

// Trap 10: helpers of a loop that come late find it closed: the caller's data may be gone.
func TestTrap10_LateHelpersTouchNothing(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 4})
	for range 500 {
		x := make([]int, 64) // plain: a late write is a race with the reads below
		over := false
		require.NoError(t, s.RunLoop(taskgraph.Loop{N: len(x), Unbalanced: true,
			Body: func(_ *taskgraph.Participant, lo, hi int) error {
				if over {
					t.Error("a range after the end of its loop")
				}
				x[lo]++
				return nil
			}}))
		over = true
		for i := range x {
			require.Equal(t, 1, x[i])
		}
	}
}

// Trap 11: no way to end a body costs a worker.
func TestTrap11_WorkersSurviveTheirBodies(t *testing.T) {
	const workers = 3
	s := start(t, taskgraph.Options{Workers: workers})
	for range 50 {
		for _, tc := range failingBodies {
			_ = s.WaitUntilTasksComplete(bg, s.Task(tc.body).Launch())
		}
	}
	occupy(t, s, workers)() // returns when as many bodies run at a time

	// Blocked bodies cost a worker as long as they block; the others go on.
	release := occupy(t, s, 2*workers)
	wait(t, s, s.Go(func() {}))
	release()
}

// Trap 15: a waiter whose wait is over gets on at the next task boundary, not after the stream
// of small tasks that kept its worker busy.
func TestTrap15_ReadiedWaiterIsNotStarved(t *testing.T) {
	ctx, cancel := context.WithCancel(bg) // so that the wait gives the worker away
	defer cancel()
	counted := 0
	for range brief(50, 15) {
		s := taskgraph.Start(taskgraph.Options{Workers: 1})
		var over atomics.Bool
		var streamed, atTrigger, atResume atomics.Int64
		e := s.NewEvent()
		var next func(c *taskgraph.Context) error
		next = func(c *taskgraph.Context) error {
			if streamed.Add(1) == 100 {
				atTrigger.Store(100)
				e.Trigger()
			}
			if !over.Load() {
				c.Spawn(taskgraph.Run(next))
			}
			return nil
		}
		run(t, s, func(c *taskgraph.Context) error {
			c.Spawn(taskgraph.Run(next))
			defer over.Store(true)
			err := c.WaitUntilTasksComplete(ctx, e)
			atResume.Store(streamed.Load())
			return err
		})
		require.NoError(t, s.Shutdown(bg))
		if s.Stats().Spares > 0 {
			continue // the machine stood still, and a second slot took tasks as well
		}
		counted++
		require.Equal(t, atTrigger.Load(), atResume.Load(),
			"task boundaries between the end of the wait and the waiter")
	}
	require.Positive(t, counted)
}

// Trap 16: what a worker has counted is not lost to Shutdown when it parks, and a system that
// was busy in every way ends with nothing live.
func TestTrap16_CountsAreReportedBeforeParking(t *testing.T) {
	for _, w := range []int{1, 2, 4} {
		for range callerRounds(100) {
			s := taskgraph.Start(taskgraph.Options{Workers: w})
			for range 4 {
				s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
					for range 8 {
						c.DontCompleteUntil(c.Go(runtime.Gosched))
					}
					return c.WaitUntilTasksComplete(bg, c.Go(func() {}), c.Go(runtime.Gosched))
				})).Launch()
			}
			require.NoError(t, s.Shutdown(bg))
			st := s.Stats()
			require.Zero(t, st.Live)
			require.EqualValues(t, 4*11, st.Completed)
			require.EqualValues(t, 4*10, st.Launched)
		}
	}
}
