package taskgraph_test

import (
	"errors"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/taskgraph"
)

// A wait from outside for a graph has another goroutine run tasks in its place, on a slot that is no worker's; so what they do
// to their goroutine the waiting one does not feel.
func TestWaitFromOutsideTakesPartInAGraph(t *testing.T) {
	if runtime.GOMAXPROCS(0) < 2 {
		t.Skip("with one P waits do not stay awake")
	}
	s := start(t, taskgraph.Options{Workers: 2})
	failure := errors.New("a failure")
	var ran, exits atomics.Int64
	var b taskgraph.GraphBuilder
	bodies := []taskgraph.Body{
		taskgraph.Do(func() { ran.Add(1) }),
		taskgraph.Do(func() { exits.Add(1); runtime.Goexit() }),
		taskgraph.Do(func() { panic("a panic") }),
		taskgraph.Try(func() error { return failure }),
	}
	for i := range 64 {
		b.Task(bodies[i%len(bodies)])
	}
	failing, err := b.Build()
	require.NoError(t, err)
	var fine taskgraph.GraphBuilder
	first := fine.Task(taskgraph.Do(func() { ran.Add(1) }))
	for range 63 {
		fine.Task(taskgraph.Do(func() { ran.Add(1) })).After(first)
	}
	good, err := fine.Build()
	require.NoError(t, err)
	for round := 0; !s.HasAside(); round++ {
		require.Less(t, round, 100_000, "nobody takes part")
		wait(t, s, s.LaunchGraph(good))
	}
	for range callerRounds(300) {
		ran.Store(0)
		exits.Store(0)
		err := s.WaitUntilTasksComplete(bg, s.LaunchGraph(failing))
		var panicked *graphevent.PanicError
		require.True(t, errors.Is(err, failure) || errors.As(err, &panicked) || errors.Is(err, graphevent.ErrGoexit), "%v", err)
		wait(t, s, s.LaunchGraph(good))
		require.GreaterOrEqual(t, ran.Load(), int64(64))
	}
}

// Several from outside, with graphs of their own, while bodies launch others.
func TestWaitsFromOutsideForManyGraphs(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 2})
	var ran atomics.Int64
	build := func() *taskgraph.Graph {
		var b taskgraph.GraphBuilder
		var last taskgraph.GraphTask
		for i := range 20 {
			task := b.Task(taskgraph.Do(func() { ran.Add(1) }))
			if i%3 == 1 {
				task.After(last)
			}
			last = task
		}
		g, err := b.Build()
		require.NoError(t, err)
		return g
	}
	rounds := callerRounds(500)
	done := make(chan error, 8)
	for i := range cap(done) {
		g := build()
		go func() {
			var err error
			for range rounds {
				if i%2 == 0 {
					err = errors.Join(err, s.WaitUntilTasksComplete(bg, s.LaunchGraph(g)))
				} else {
					err = errors.Join(err, s.Run(bg, taskgraph.Run(func(c *taskgraph.Context) error { return c.Wait(c.LaunchGraph(g)) })))
				}
			}
			done <- err
		}()
	}
	for range cap(done) {
		require.NoError(t, <-done)
	}
	require.EqualValues(t, 20*rounds*cap(done), ran.Load())
}

// A task that runs at once after what makes it ready is not kept behind the next thing that a caller helps with, which may wait
// for it unseen.
func TestInlineTasksOfACaller(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 2})
	for range callerRounds(400) {
		require.NoError(t, s.Run(bg, taskgraph.Run(func(c *taskgraph.Context) error {
			before := c.Task(noop())
			inline := c.Task(noop()).Inline().After(before.Event()).Launch()
			waits := c.Task(taskgraph.Do(func() { _ = s.WaitUntilTasksComplete(bg, inline) })).After(before.Event())
			c.DontCompleteUntil(waits.Event())
			waits.Launch()
			before.Launch()
			return nil
		})))
	}
}
