package graphevent_test

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/graphevent"
)

// TestStranger: a store takes no event of another one for its own, though the node is the same.
func TestStranger(t *testing.T) {
	s, other := newSched(), newSched()
	mine := s.hold(graphevent.Pinned, nil)
	theirs := other.hold(0, nil)
	require.Equal(t, mine.Node(), theirs.Node())
	require.Equal(t, mine.Generation(), theirs.Generation())
	for name, call := range map[string]func(e graphevent.Event) any{
		"Launch": func(e graphevent.Event) any {
			return s.store.Launch(e, 0, nil, s) != graphevent.LaunchNotHeld
		},
		"TryClaim": func(e graphevent.Event) any { return s.store.TryClaim(e) },
		"Held":     func(e graphevent.Event) any { return s.store.Held(e) },
		"IsPinned": func(e graphevent.Event) any { return s.store.IsPinned(e) },
		"Abandon":  func(e graphevent.Event) any { return s.store.Abandon(e, errBoom, s) },
		"Disown":   func(e graphevent.Event) any { return s.store.Disown(e, errBoom, s) },
	} {
		t.Run(name, func(t *testing.T) {
			require.PanicsWithValue(t, "graphevent: an event of another store", func() {
				call(theirs)
			})
			require.Equal(t, false, call(graphevent.Event{}), "the zero Event is complete")
			require.Equal(t, graphevent.StateHeld, mine.State())
		})
	}
	require.False(t, s.store.Inspect(theirs, func() { t.Error("looked at") }))
	s.launch(mine)
	other.launch(theirs)
	s.drain()
	other.drain()
	s.requireNothingLeft(t)
	other.requireNothingLeft(t)
}

// TestRefused: what cannot be meant is refused at the call, in the package's name, and changes
// nothing.
func TestRefused(t *testing.T) {
	s := newSched()
	gate := s.store.NewEvent()
	waits := s.task(nil, gate)
	held := s.hold(0, nil)
	var noContext context.Context
	many := make([]graphevent.Event, graphevent.MaxEdges+1)
	for want, call := range map[string]func(){
		"graphevent: Notify with a nil function": func() {
			s.store.Notify(nil, nil, gate)
		},
		"graphevent: Notify of more than 2^22-1 events": func() {
			s.store.Notify(nil, func() {}, many...)
		},
		"graphevent: All of more than 2^22-1 events": func() { s.store.All(many...) },
		"graphevent: OnComplete with a nil function": func() { gate.OnComplete(nil) },
		"graphevent: Inspect with a nil function": func() {
			s.store.Inspect(waits, nil)
		},
		"graphevent: Incomplete with a nil function": func() {
			s.store.Incomplete(nil)
		},
		"graphevent: Failures with a nil function": func() {
			s.store.Failures(nil)
		},
		"graphevent: Abandon with a nil error": func() {
			s.store.Abandon(waits, nil, s)
		},
		"graphevent: Disown with a nil error": func() {
			s.store.Disown(waits, nil, s)
		},
		"graphevent: unknown Flags": func() {
			s.store.SetFlags(held.Node(), 1)
		},
		"graphevent: more than 2^22-1 prerequisites": func() {
			s.store.Launch(held, math.MaxUint32, nil, s)
		},
		"graphevent: Wait with a nil context": func() {
			_ = gate.Wait(noContext)
		},
		"graphevent: Fail with a nil error":                        func() { gate.Fail(nil) },
		"graphevent: Any of no events":                             func() { s.store.Any() },
		"graphevent: Trigger of an event that is not a manual one": func() { waits.Trigger() },
	} {
		require.PanicsWithValue(t, want, call)
	}
	require.PanicsWithValue(t, "graphevent: Inspect with a nil function",
		func() { s.store.Inspect(graphevent.Event{}, nil) }, "whatever the event")
	n := s.store.Acquire(nil)
	require.PanicsWithValue(t, "graphevent: unknown Flags", func() { s.store.Start(n, 1<<24) })
	require.PanicsWithValue(t, "graphevent: unknown Flags", func() {
		s.store.Hold(n, math.MaxUint32)
	})
	s.store.Discard(n, nil)
	s.store.Flush(nil)
	require.Equal(t, "State(?)", graphevent.State(200).String())

	s.launch(held)
	gate.Trigger()
	s.drain()
	require.True(t, waits.IsComplete() && held.IsComplete())
	s.requireNothingLeft(t)
}

// TestInspectThatPanics: a task that somebody looked at, and failed at it, still becomes ready.
func TestInspectThatPanics(t *testing.T) {
	s := newSched()
	gate := s.store.NewEvent()
	e := s.task(nil, gate)
	require.PanicsWithValue(t, "no", func() { s.store.Inspect(e, func() { panic("no") }) })
	gate.Trigger()
	s.drain()
	require.True(t, e.IsComplete())
	s.requireNothingLeft(t)
}

// TestEventOfAnyNumber: a number that is no generation does not become one.
func TestEventOfAnyNumber(t *testing.T) {
	s := graphevent.NewStore(graphevent.Options{})
	e := s.NewEvent()
	require.Equal(t, e, s.EventOf(e.Generation(), e.Node()))
	for _, gen := range []uint64{0, graphevent.LastGen, e.Generation() + 1<<32, e.Generation() +
		1<<63, math.MaxUint64} {
		require.True(t, s.EventOf(gen, e.Node()).IsComplete(), "generation %d", gen)
		require.True(t, s.EventOf(gen, 0).IsComplete(), "generation %d", gen)
	}
	e.Trigger()
	require.True(t, s.EventOf(e.Generation(), e.Node()).IsComplete())
}
