package graphevent_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/graphevent"
)

// A scheduler that only counts.
type countReady struct{ ready, completed int }

func (c *countReady) Ready(graphevent.Node)     { c.ready++ }
func (c *countReady) Completed(graphevent.Node) { c.completed++ }
func (c *countReady) Finished(int)              {}

// A task that is inspected does not become ready before that is over, and then it does.
func TestInspectHoldsATaskThatWaits(t *testing.T) {
	var sched countReady
	s := graphevent.NewStore(graphevent.Options{Scheduler: &sched})
	pre := s.NewEvent()
	n := s.Acquire(nil)
	e := s.Hold(n, 0)
	require.False(t, s.Inspect(e, func() { t.Error("called for one that is built") }))
	require.True(t, s.After(n, 0, pre))
	require.Equal(t, graphevent.LaunchWaiting, s.Launch(e, 1, nil, &sched))
	require.True(t, s.Inspect(e, func() {
		pre.Trigger()
		require.Zero(t, sched.ready)
		require.Equal(t, graphevent.StateWaiting, e.State())
	}))
	require.Equal(t, 1, sched.ready)
	require.False(t, s.Inspect(e, func() { t.Error("called for one that is ready") }))
	require.True(t, s.Claim(n, nil))
	require.False(t, s.Inspect(e, func() { t.Error("called for one that runs") }))
	require.Equal(t, 1, s.Reasons(e))
	require.False(t, s.IsManual(e))
	require.True(t, s.EndBody(n, nil, nil, &sched))
	require.False(t, s.Inspect(e, func() { t.Error("called for one that is complete") }))
	require.True(t, s.IsManual(s.NewEvent()))
	require.False(t, s.IsManual(graphevent.Event{}))
	require.False(t, s.Inspect(graphevent.Event{}, func() { t.Error("called for no event") }))
	require.Zero(t, s.Reasons(graphevent.Event{}))
}

// One that is skipped while it is inspected completes afterwards.
func TestInspectHoldsOffASkip(t *testing.T) {
	var sched countReady
	s := graphevent.NewStore(graphevent.Options{Scheduler: &sched})
	pre := s.NewEvent()
	n := s.Acquire(nil)
	e := s.Hold(n, 0)
	require.True(t, s.After(n, 0, pre))
	require.Equal(t, graphevent.LaunchWaiting, s.Launch(e, 1, nil, &sched))
	require.True(t, s.Inspect(e, func() {
		pre.Fail(graphevent.ErrClosed)
		require.False(t, e.IsComplete())
	}))
	require.True(t, e.IsComplete())
	require.ErrorIs(t, e.Err(), graphevent.ErrSkipped)
	require.Equal(t, 1, sched.completed)
}
