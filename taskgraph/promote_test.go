package taskgraph_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/taskgraph"
)

// await waits for events, which succeed, without a wait that promotes them.
func await(t *testing.T, events ...taskgraph.Event) {
	t.Helper()
	for _, e := range events {
		done := make(chan error, 1)
		if e.OnComplete(func(err error) { done <- err }) {
			require.NoError(t, <-done)
		} else {
			require.NoError(t, e.Err())
		}
	}
}

// At one worker a promoted task goes before those that it was queued behind, and runs once.
func TestPromoteQueued(t *testing.T) {
	s := startUnwatched(t, taskgraph.Options{Workers: 1})
	for range 4 { // fewer tasks than what bounds starvation
		var order []int
		var events []taskgraph.Event
		run(t, s, func(c *taskgraph.Context) error {
			for i := range 5 {
				events = append(events, c.Task(taskgraph.Do(func() { order = append(order, i) })).
					Priority(taskgraph.PriorityBackgroundNormal).Launch())
			}
			assert.True(t, s.Promote(events[3], taskgraph.PriorityHigh))
			assert.False(t, s.Promote(events[3], taskgraph.PriorityHigh))
			assert.False(t, s.Promote(events[3], taskgraph.PriorityNormal))
			assert.True(t, s.Promote(events[1], taskgraph.PriorityBackgroundHigh))
			assert.True(t, s.Promote(events[1], taskgraph.PriorityNormal))
			return nil
		})
		await(t, events...)
		require.Equal(t, []int{3, 1}, order[:2])
		require.ElementsMatch(t, []int{0, 1, 2, 3, 4}, order)
		require.False(t, s.Promote(events[3], taskgraph.PriorityHigh), "it is complete")
	}
}

// A task that waits for its prerequisites is queued where it was promoted to; plain ones too.
func TestPromoteWaiting(t *testing.T) {
	s := startUnwatched(t, taskgraph.Options{Workers: 1})
	var order []int
	var events []taskgraph.Event
	run(t, s, func(c *taskgraph.Context) error {
		gate := s.NewEvent()
		for i := range 4 {
			events = append(events, c.Task(taskgraph.Do(func() {
				order = append(order,
					i)
			})).After(gate).Launch())
		}
		plain := c.Go(func() { order = append(order, 4) })
		events = append(events, plain)
		assert.True(t, s.Promote(events[2], taskgraph.PriorityHigh))
		gate.Trigger()
		assert.True(t, s.Promote(plain, taskgraph.PriorityHigh))
		return nil
	})
	await(t, events...)
	require.Equal(t, []int{2, 4}, order[:2])
	require.Len(t, order, 5)
}

// Nothing else is promoted.
func TestPromoteNothing(t *testing.T) {
	s := start(t, taskgraph.Options{})
	manual := s.NewEvent()
	require.False(t, s.Promote(manual, taskgraph.PriorityHigh))
	require.False(t, s.Promote(taskgraph.Event{}, taskgraph.PriorityHigh))
	manual.Trigger()
	run(t, s, func(c *taskgraph.Context) error {
		assert.False(t, s.Promote(c.Event(), taskgraph.PriorityHigh), "it runs")
		return nil
	})
	require.PanicsWithValue(t, "taskgraph: Promote to a priority out of range", func() {
		s.Promote(manual, 99)
	})
}

// What a wait of high priority waits for does not stand behind normal work, nor do its
// prerequisites. The waiter itself goes on when its goroutine has got a processor.
func TestPromoteByWait(t *testing.T) {
	s := startUnwatched(t, taskgraph.Options{Workers: 1})
	var order []string
	note := func(name string) taskgraph.Body {
		return taskgraph.Do(func() { order = append(order, name) })
	}
	ctx, cancel := context.WithCancel(bg) // so that the wait runs nothing itself
	defer cancel()
	var others [3]taskgraph.Event
	e := s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		pre := c.Task(note("pre")).Priority(taskgraph.PriorityBackgroundLow).Launch()
		awaited := c.Task(note("awaited")).Priority(taskgraph.PriorityBackgroundNormal).After(pre).
			Launch()
		for i := range others {
			others[i] = c.Task(note("other")).Priority(taskgraph.PriorityNormal).Launch()
		}
		err := c.WaitUntilTasksComplete(ctx, awaited)
		order = append(order, "waiter")
		return err
	})).Priority(taskgraph.PriorityHigh).Launch()
	wait(t, s, e)
	wait(t, s, others[:]...)
	require.Equal(t, []string{"pre", "awaited"}, order[:2])
}

// A told is a context that says when it is asked for its end.
type told struct {
	context.Context
	asked func()
}

func (t told) Err() error {
	t.asked()
	return t.Context.Err()
}

// A body that has no worker, on a thread of its own or inside Blocking, promotes what it waits for
// as well.
func TestPromoteByWaitWithoutWorker(t *testing.T) {
	for _, own := range []bool{true, false} {
		s := startUnwatched(t, taskgraph.Options{Workers: 1})
		var order []string
		note := func(name string) taskgraph.Body {
			return taskgraph.Do(func() { order = append(order, name) })
		}
		ctx, cancel := context.WithCancel(bg)
		defer cancel()
		begun, waits := make(chan struct{}), make(chan struct{})
		var once sync.Once
		var awaited, other taskgraph.Event
		block := func(c *taskgraph.Context) error {
			awaited = c.Task(note("awaited")).Priority(taskgraph.PriorityBackgroundNormal).Launch()
			other = c.Task(note("other")).Priority(taskgraph.PriorityNormal).Launch()
			return c.WaitUntilTasksComplete(told{ctx, func() { once.Do(func() { close(waits) }) }},
				awaited)
		}
		busy := taskgraph.Do(func() { close(begun); <-waits })
		var e taskgraph.Event
		if own {
			s.Task(busy).Launch()
			<-begun
			e = s.Task(taskgraph.Run(block)).Priority(taskgraph.PriorityHigh).OnOwnThread().Launch()
		} else {
			e = s.Task(taskgraph.Run(func(c *taskgraph.Context) (err error) {
				c.Blocking(func() {
					s.Task(busy).Launch()
					<-begun
					err = block(c)
				})
				return err
			})).Priority(taskgraph.PriorityHigh).Launch()
		}
		wait(t, s, e)
		wait(t, s, other)
		require.Equal(t, []string{"awaited", "other"}, order, own)
	}
}

// Promotions that race with the tasks that they are for: each runs once.
func TestPromoteRaces(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 4})
	priorities := []taskgraph.Priority{
		taskgraph.PriorityBackgroundNormal, taskgraph.PriorityNormal, taskgraph.PriorityHigh,
	}
	for range 500 {
		var ran [8]int
		var events []taskgraph.Event
		gate := s.NewEvent()
		for i := range ran {
			task := s.Task(taskgraph.Do(func() {
				ran[i]++
			})).Priority(taskgraph.PriorityBackgroundLow)
			if i%2 == 0 {
				task = task.After(gate)
			}
			events = append(events, task.Launch())
		}
		s.Go(func() { gate.Trigger() })
		for _, p := range priorities {
			for _, e := range events {
				s.Promote(e, p)
			}
		}
		wait(t, s, events...)
		for _, n := range ran {
			require.Equal(t, 1, n)
		}
	}
}

// The user has scrolled: what was to be done some time is needed now.
func ExampleSystem_Promote() {
	ctx := context.Background()
	sys := taskgraph.Start(taskgraph.Options{Workers: 1})
	defer sys.Shutdown(ctx)

	gate := sys.NewEvent() // so that the order shows
	var done []taskgraph.Event
	for i := range 3 {
		done = append(done, sys.Task(taskgraph.Do(func() { fmt.Println("thumbnail", i) })).
			Priority(taskgraph.PriorityBackgroundLow).After(gate).Launch())
	}
	sys.Promote(done[2], taskgraph.PriorityHigh)
	sys.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		gate.Trigger()
		return nil
	})).Launch()
	_ = sys.WaitUntilTasksComplete(ctx, done...)
	// Output:
	// thumbnail 2
	// thumbnail 0
	// thumbnail 1
}
