package abandon_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/graphevent"
	_ "github.com/heddle-go/heddle/internal/dev/short"
	"github.com/heddle-go/heddle/taskgraph/internal/abandon"
	"github.com/heddle-go/heddle/taskgraph/internal/waits"
)

// A world has events in each state, and one goroutine.
type world struct {
	store              *graphevent.Store
	abandoned, stopped abandon.Flag
	ending             abandon.Ending
	lists              [64]waits.List
	still              bool
	ready              []graphevent.Node
	forced             []graphevent.Event
}

func (w *world) Ready(n graphevent.Node) {
	if !w.ending.Late(n) {
		w.ready = append(w.ready, n)
	}
}
func (w *world) Completed(graphevent.Node) {}
func (w *world) Finished(int)              {}

func newWorld() *world {
	w := &world{}
	w.store = graphevent.NewStore(graphevent.Options{Scheduler: w})
	w.ending = abandon.Ending{
		Abandoned: &w.abandoned, Stopped: &w.stopped, Store: w.store, By: w,
		Waits:  func(n graphevent.Node) *waits.List { return &w.lists[n] },
		Spares: func(graphevent.Event) bool { return false },
		Still:  func() bool { return w.still },
		Refuse: func(n graphevent.Node) { w.store.EndBody(n, graphevent.ErrClosed, nil, w) },
		Forces: func(e graphevent.Event) func() {
			return func() { w.forced = append(w.forced, e) }
		},
	}
	return w
}

func (w *world) executing(t *testing.T) graphevent.Event {
	e := w.store.Start(w.store.Acquire(nil), 0)
	require.True(t, w.store.Claim(e.Node(), nil))
	return e
}

// What others wait for ends, and what waits for it follows; a body goes on.
func TestEndSources(t *testing.T) {
	w := newWorld()
	manual, body := w.store.NewEvent(), w.executing(t)
	spared := w.store.NewEvent()
	w.ending.Spares = func(e graphevent.Event) bool { return e == spared }
	held := w.store.Hold(w.store.Acquire(nil), 0)
	waiting := w.store.Hold(w.store.Acquire(nil), 0)
	require.True(t, w.store.After(waiting.Node(), 0, manual))
	w.store.Launch(waiting, 1, nil, w)
	again := w.executing(t)
	w.store.HoldOpen(again.Node(), 0, body)
	require.False(t, w.store.Again(again.Node(), nil, w))
	ends := 0
	w.lists[body.Node()].Set(&waits.Wait{Events: []graphevent.Event{manual}, End: func() {
		ends++
	}})

	require.False(t, w.abandoned.Load())
	w.ending.Abandon()
	w.ending.EndSources()
	require.True(t, w.abandoned.Load())
	for _, e := range []graphevent.Event{manual, held, waiting} {
		require.ErrorIs(t, e.Err(), graphevent.ErrClosed)
	}
	require.Equal(t, 1, ends)
	require.False(t, body.IsComplete())
	require.False(t, spared.IsComplete())
	require.False(t, again.IsComplete(), "the body holds it open")
	require.True(t, w.store.EndBody(body.Node(), nil, nil, w))
	require.ErrorIs(t, again.Err(), graphevent.ErrClosed)
}

// Disown ends a task that waits to run again as soon as nothing holds it open.
func TestDisown(t *testing.T) {
	w := newWorld()
	again, body := w.executing(t), w.executing(t)
	w.store.HoldOpen(again.Node(), 0, body)
	require.False(t, w.store.Again(again.Node(), nil, w))
	w.ending.Abandon()
	w.ending.Disown(again)
	require.False(t, again.IsComplete(), "the body holds it open")
	require.True(t, w.store.EndBody(body.Node(), nil, nil, w))
	require.ErrorIs(t, again.Err(), graphevent.ErrClosed)
	require.Empty(t, w.ready)
}

// What is executing is completed only when no body goes on; a circle of prerequisites and what is
// ready, in any case.
func TestForce(t *testing.T) {
	w := newWorld()
	ready := w.store.Start(w.store.Acquire(nil), 0)
	executing, other := w.executing(t), w.executing(t)
	w.store.HoldOpen(executing.Node(), 0, other)
	w.store.HoldOpen(other.Node(), 0, executing)
	require.False(t, w.store.EndBody(executing.Node(), nil, nil, w))
	require.False(t, w.store.EndBody(other.Node(), nil, nil, w))
	a, b := w.store.Hold(w.store.Acquire(nil), 0), w.store.Hold(w.store.Acquire(nil), 0)
	require.True(t, w.store.After(a.Node(), 0, b))
	require.True(t, w.store.After(b.Node(), 0, a))
	w.store.Launch(a, 1, nil, w)
	w.store.Launch(b, 1, nil, w)

	w.ending.Abandon()
	w.ending.Force()
	for _, e := range []graphevent.Event{ready, a, b} {
		require.ErrorIs(t, e.Err(), graphevent.ErrClosed)
	}
	require.False(t, executing.IsComplete())
	w.still = true
	w.ending.Force()
	require.ErrorIs(t, executing.Err(), graphevent.ErrClosed)
	require.True(t, other.IsComplete())
	require.NotEmpty(t, w.forced)
}

// What is ready at the stop, or becomes so later, is completed.
func TestStop(t *testing.T) {
	w := newWorld()
	gate := w.store.NewEvent()
	before := w.store.Start(w.store.Acquire(nil), 0)
	after := w.store.Hold(w.store.Acquire(nil), 0)
	require.True(t, w.store.After(after.Node(), 0, gate))
	w.store.Launch(after, 1, nil, w)
	require.False(t, w.ending.Late(before.Node()))
	require.False(t, before.IsComplete(), "somebody takes it")
	w.ending.Stop()
	w.ending.RefuseReady()
	require.True(t, w.stopped.Load())
	require.ErrorIs(t, before.Err(), graphevent.ErrClosed)
	gate.Trigger()
	require.ErrorIs(t, after.Err(), graphevent.ErrClosed)
	require.Empty(t, w.ready)
}
