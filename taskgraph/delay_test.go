package taskgraph_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/sleepevent"
	"github.com/heddle-go/heddle/taskgraph"
)

// bubble runs f in a bubble of testing/synctest with a system of its own, which it shuts down.
func bubble(t *testing.T, f func(t *testing.T, s *taskgraph.System)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := taskgraph.Start(taskgraph.Options{Workers: 2, Park: sleepevent.ParkGo})
		f(t, s)
		require.NoError(t, s.Shutdown(bg))
	})
}

func TestDelay(t *testing.T) {
	bubble(t, func(t *testing.T, s *taskgraph.System) {
		began := time.Now()
		short, long := s.AfterDelay(time.Second), s.AfterDelay(time.Hour)
		require.True(t, s.AfterDelay(0).IsComplete())
		require.True(t, s.AfterDelay(-1).IsComplete())
		var at time.Duration
		e := s.Task(taskgraph.Do(func() { at = time.Since(began) })).After(short).Launch()
		wait(t, s, e)
		require.Equal(t, time.Second, at)
		require.False(t, long.IsComplete())
		wait(t, s, long)
		require.Equal(t, time.Hour, time.Since(began))
	})
}

// Shutdown waits for a delayed task, far longer than StuckAfter, and not for a delay that no task
// waits for.
func TestDelayAndShutdown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := taskgraph.Start(taskgraph.Options{Park: sleepevent.ParkGo})
		began := time.Now()
		ran := false
		s.Task(taskgraph.Do(func() { ran = true })).After(s.AfterDelay(time.Hour)).Launch()
		idle := s.AfterDelay(24 * time.Hour)
		require.NoError(t, s.Shutdown(bg))
		require.True(t, ran)
		require.Equal(t, time.Hour, time.Since(began))
		require.ErrorIs(t, idle.Err(), graphevent.ErrClosed)
		require.ErrorIs(t, s.AfterDelay(time.Second).Err(), graphevent.ErrClosed)
		require.ErrorIs(t, s.Every(bg, time.Second, taskgraph.Do(func() {})).Err(),
			graphevent.ErrClosed)
	})
	// What is stuck is found when the delays are over.
	synctest.Test(t, func(t *testing.T) {
		s := taskgraph.Start(taskgraph.Options{Park: sleepevent.ParkGo})
		never := s.NewEvent()
		s.Task(taskgraph.Do(func() {})).After(s.AfterDelay(time.Hour), never).Launch()
		var stuck *taskgraph.StuckError
		require.ErrorAs(t, s.Shutdown(bg), &stuck)
	})
	// The context of the shutdown ends it all.
	synctest.Test(t, func(t *testing.T) {
		s := taskgraph.Start(taskgraph.Options{Park: sleepevent.ParkGo})
		e := s.Task(taskgraph.Do(func() {})).After(s.AfterDelay(time.Hour)).Launch()
		ctx, cancel := context.WithTimeout(bg, time.Minute)
		defer cancel()
		require.ErrorIs(t, s.Shutdown(ctx), context.DeadlineExceeded)
		require.ErrorIs(t, e.Err(), graphevent.ErrClosed)
	})
}

// The ticks do not drift, and those that pass while the body runs are left out.
func TestEvery(t *testing.T) {
	bubble(t, func(t *testing.T, s *taskgraph.System) {
		began := time.Now()
		ctx, cancel := context.WithCancel(bg)
		var at []time.Duration
		e := s.Every(ctx, 10*time.Millisecond, taskgraph.Run(func(c *taskgraph.Context) error {
			at = append(at, time.Since(began))
			switch len(at) {
			case 1, 2:
				time.Sleep(3 * time.Millisecond)
			case 3:
				time.Sleep(25 * time.Millisecond)
			case 6:
				cancel()
			}
			return nil
		}))
		require.ErrorIs(t, s.WaitUntilTasksComplete(bg, e), graphevent.ErrCanceled)
		ms := time.Millisecond
		require.Equal(t, []time.Duration{10 * ms, 20 * ms, 30 * ms, 60 * ms, 70 * ms, 80 * ms}, at)
		require.Equal(t, 80*ms, time.Since(began), "the end of ctx does not wait for a tick")
	})
}

// The end of the context ends it at once, also long before the first tick.
func TestEveryEndsWithItsContext(t *testing.T) {
	bubble(t, func(t *testing.T, s *taskgraph.System) {
		began := time.Now()
		ctx, cancel := context.WithTimeout(bg, time.Second)
		defer cancel()
		e := s.Every(ctx, time.Hour, taskgraph.Do(func() { t.Error("ran") }))
		require.ErrorIs(t, s.WaitUntilTasksComplete(bg, e), context.DeadlineExceeded)
		require.Equal(t, time.Second, time.Since(began))
		e = s.Every(ctx, time.Hour, taskgraph.Do(func() { t.Error("ran") }))
		require.ErrorIs(t, s.WaitUntilTasksComplete(bg, e), graphevent.ErrCanceled)
		require.Equal(t, time.Second, time.Since(began))
	})
}

// A failure ends it; so does a shutdown, which does not wait for the next tick.
func TestEveryEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := taskgraph.Start(taskgraph.Options{Park: sleepevent.ParkGo})
		no := errors.New("no")
		n := 0
		e := s.Every(bg, time.Second, taskgraph.Try(func() error {
			if n++; n == 3 {
				return no
			}
			return nil
		}))
		require.ErrorIs(t, s.WaitUntilTasksComplete(bg, e), no)
		require.Equal(t, 3, n)

		began := time.Now()
		e = s.Every(bg, time.Hour, taskgraph.Do(func() { n++ }))
		time.Sleep(90 * time.Minute)
		require.NoError(t, s.Shutdown(bg))
		require.NoError(t, e.Err())
		require.Equal(t, 4, n)
		require.Equal(t, 90*time.Minute, time.Since(began))
	})
}

func TestEveryMisuse(t *testing.T) {
	s := start(t, taskgraph.Options{})
	nop := taskgraph.Do(func() {})
	require.PanicsWithValue(t, "taskgraph: Every with a period that is not positive", func() {
		s.Every(bg, 0, nop)
	})
	require.PanicsWithValue(t, "taskgraph: Every with a zero Body", func() {
		s.Every(bg, 1, taskgraph.Body{})
	})
	require.PanicsWithValue(t, "taskgraph: Every with a nil context", func() {
		var none context.Context
		s.Every(none, 1, nop)
	})
}

// Delays that end while the system shuts down, with real time.
func TestDelayRacesWithShutdown(t *testing.T) {
	guard(t)
	for i := 0; i < 50; i += brief(1, 4) {
		s := taskgraph.Start(taskgraph.Options{Workers: 2})
		s.Every(bg, time.Duration(i+1)*time.Microsecond, taskgraph.Do(func() {}))
		for range 10 {
			s.Task(taskgraph.Do(func() {})).
				After(s.AfterDelay(time.Duration(i) * time.Microsecond)).Launch()
			s.AfterDelay(time.Duration(10*i) * time.Microsecond)
		}
		assert.NoError(t, s.Shutdown(bg))
	}
}

func ExampleSystem_AfterDelay() {
	ctx := context.Background()
	sys := taskgraph.Start(taskgraph.Options{})

	fmt.Println("now")
	sys.Task(taskgraph.Do(func() {
		fmt.Println("later")
	})).After(sys.AfterDelay(time.Millisecond)).Launch()
	_ = sys.Shutdown(ctx) // waits for the delayed task
	// Output:
	// now
	// later
}

func ExampleSystem_Every() {
	sys := taskgraph.Start(taskgraph.Options{})
	defer sys.Shutdown(context.Background())

	ctx, cancel := context.WithCancel(context.Background())
	n := 0
	ticker := sys.Every(ctx, time.Millisecond, taskgraph.Do(func() {
		if n++; n == 3 {
			cancel()
		}
	}))
	err := sys.WaitUntilTasksComplete(context.Background(), ticker)
	fmt.Println(n, errors.Is(err, context.Canceled))
	// Output: 3 true
}
