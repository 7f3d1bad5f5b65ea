package graphevent_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/graphevent"
)

// A node that waits for as many edges as there can be is not taken for one that is held.
func TestMostEdgesAreNoSetUpLock(t *testing.T) {
	q := newAgainSched()
	s := graphevent.NewStore(graphevent.Options{Scheduler: q})
	n := s.Acquire(nil)
	e := s.Hold(n, 0)
	before := s.NewEvent()
	require.True(t, s.After(n, 0, before))
	require.True(t, s.Held(e))
	require.Equal(t, graphevent.LaunchWaiting, s.Launch(e, 1, nil, q))
	s.SetCount(e, graphevent.MaxEdges)
	require.False(t, s.Held(e))
	require.Equal(t, graphevent.StateWaiting, e.State())
	require.Equal(t, graphevent.LaunchNotHeld, s.Launch(e, 0, nil, q))
	s.SetCount(e, 1)
	before.Trigger()
	require.Equal(t, n, <-q.ready)
	require.True(t, s.Claim(n, nil))
	require.True(t, s.EndBody(n, nil, nil, q))
}

// A node that runs again and again takes the edges of its first round, and no others.
func TestAgainTakesNoNewEdges(t *testing.T) {
	q := newAgainSched()
	s := graphevent.NewStore(graphevent.Options{Scheduler: q})
	n := s.Acquire(nil)
	s.Start(n, 0)
	var spare uint32
	made := 0
	for round := range 5 {
		require.True(t, s.Claim(n, nil))
		holds := make([]graphevent.Event, 9)
		for i := range holds {
			if holds[i] = s.NewEvent(); round == 0 {
				s.HoldOpen(n, uint32(i), holds[i])
			} else {
				s.HoldAgain(n, uint32(i), holds[i], &spare)
			}
		}
		require.False(t, s.Again(n, nil, q))
		for _, h := range holds {
			h.Trigger()
		}
		require.Equal(t, n, <-q.ready)
		if now, _ := s.SlabEdges(); round == 0 {
			made = now
		} else {
			require.Equal(t, made, now, "round %d", round)
		}
	}
	require.True(t, s.Claim(n, nil))
	require.True(t, s.EndBody(n, nil, nil, q))
	_, free := s.SlabEdges()
	require.Equal(t, made, free)
}

// What is complete already holds nothing open, whether its edge is new, inline or used again; and
// if it failed, the node fails.
func TestAgainHoldsThatAreComplete(t *testing.T) {
	no := errors.New("no")
	for _, failing := range []bool{false, true} {
		q := newAgainSched()
		s := graphevent.NewStore(graphevent.Options{Scheduler: q})
		n := s.Acquire(nil)
		e := s.Start(n, 0)
		require.True(t, s.Claim(n, nil))
		const many = 9
		holds := make([]graphevent.Event, many)
		for i := range holds {
			holds[i] = s.NewEvent()
			s.HoldOpen(n, uint32(i), holds[i])
		}
		require.False(t, s.Again(n, nil, q))
		for _, h := range holds {
			h.Trigger()
		}
		require.Equal(t, n, <-q.ready)

		var spare uint32
		require.True(t, s.Claim(n, nil))
		for i := range many {
			done := s.NewEvent()
			if failing && i == many-1 {
				done.Fail(no)
			} else {
				done.Trigger()
			}
			s.HoldAgain(n, uint32(i), done, &spare)
		}
		if failing {
			require.False(t, s.Again(n, nil, q))
			require.ErrorIs(t, e.Err(), no)
			continue
		}
		require.True(t, s.Again(n, nil, q), "nothing holds it open")
		require.True(t, s.Claim(n, nil))
		require.True(t, s.EndBody(n, nil, nil, q))
		require.NoError(t, e.Err())
	}
}

// What counts is how much holds a node open at a time, not in its life; and one too many changes
// nothing.
func TestHoldsAreCountedAtATime(t *testing.T) {
	q := newAgainSched()
	s := graphevent.NewStore(graphevent.Options{Scheduler: q})
	n := s.Acquire(nil)
	e := s.Start(n, 0)
	require.True(t, s.Claim(n, nil))
	late, one := s.NewEvent(), s.NewEvent()
	s.HoldOpen(n, graphevent.MaxEdges+3, one)
	require.Equal(t, 2, s.Reasons(e))
	s.SetCount(e, graphevent.MaxEdges)
	require.PanicsWithValue(t, "graphevent: more than 2^22-1 events hold one event open", func() {
		s.HoldOpen(n, graphevent.MaxEdges+4, late)
	})
	require.Equal(t, graphevent.MaxEdges, s.Reasons(e))
	s.SetCount(e, 2)
	one.Trigger()
	require.True(t, s.EndBody(n, nil, nil, q))
	require.NoError(t, e.Err())
	late.Trigger()
}

// A body that delays its completion more often than there can be reasons is told so, and has
// changed nothing.
func TestDelaysAreCounted(t *testing.T) {
	q := newAgainSched()
	s := graphevent.NewStore(graphevent.Options{Scheduler: q})
	n := s.Acquire(nil)
	e := s.Start(n, 0)
	require.True(t, s.Claim(n, nil))
	s.SetCount(e, graphevent.MaxEdges)
	require.PanicsWithValue(t, "graphevent: more than 2^22-1 events hold one event open", func() {
		s.Delay(n)
	})
	require.Equal(t, graphevent.MaxEdges, s.Reasons(e))
	s.SetCount(e, 1)
	s.Delay(n)
	require.False(t, s.EndBody(n, nil, nil, q))
	require.True(t, s.EndBody(n, nil, nil, q))
}

// A store that is full says so in the package's name, each time, and goes on with what it has.
func TestFullStore(t *testing.T) {
	s := graphevent.NewStore(graphevent.Options{Releaser: discard{}})
	e := s.NewEvent()
	require.True(t, e.AddSubsequent(1))
	for {
		if _, free := s.Nodes(); free == 0 {
			break
		}
		s.NewEvent()
	}
	s.Exhaust()
	s.ExhaustEdges()
	for range 3 {
		require.PanicsWithValue(t, "graphevent: more than 2^28 incomplete events", func() {
			s.NewEvent()
		})
		require.PanicsWithValue(t, "graphevent: more than 2^28 edges beyond those in the nodes",
			func() { e.AddSubsequent(2) })
	}
	nodes, edges := s.Fresh()
	require.Equal(t, [2]uint32{1 << 28, 1 << 28}, [2]uint32{nodes, edges})
	require.True(t, e.Trigger())
	again := s.NewEvent()
	require.Equal(t, e.Node(), again.Node())
	require.True(t, again.AddSubsequent(3), "with the edge that was given back")
}

// TestAllOfAsManyAsThereMayBe: the limit itself is no error.
func TestAllOfAsManyAsThereMayBe(t *testing.T) {
	s := graphevent.NewStore(graphevent.Options{})
	require.True(t, s.All(make([]graphevent.Event, graphevent.MaxEdges)...).IsComplete())
}

// TestFirstEdgesTakeNoMemoryOfTheirOwn: four lie in the node.
func TestFirstEdgesTakeNoMemoryOfTheirOwn(t *testing.T) {
	s := graphevent.NewStore(graphevent.Options{})
	events := []graphevent.Event{s.NewEvent(), s.NewEvent(), s.NewEvent(), s.NewEvent()}
	all := s.All(events...)
	made, _ := s.SlabEdges()
	require.Zero(t, made)
	for _, e := range events {
		e.Trigger()
	}
	require.True(t, all.IsComplete())
}

// TestCompleteEventsOfAnotherStoreTakeNothing: what waits for one that is complete takes no node
// there.
func TestCompleteEventsOfAnotherStoreTakeNothing(t *testing.T) {
	s, other := graphevent.NewStore(graphevent.Options{}), graphevent.NewStore(graphevent.Options{})
	done := other.NewEvent()
	done.Trigger()
	kept := func() int {
		made, free := other.Nodes()
		return made - free
	}
	before := kept()
	for range 10 {
		require.True(t, s.All(done).IsComplete())
		e := s.NewEvent()
		e.DontCompleteUntil(done)
		e.Trigger()
		require.True(t, e.IsComplete())
	}
	require.Equal(t, before, kept())
}

// TestHoldAgainOfItself: an event that held itself open would be open for ever.
func TestHoldAgainOfItself(t *testing.T) {
	q := newAgainSched()
	s := graphevent.NewStore(graphevent.Options{Scheduler: q})
	n := s.Acquire(nil)
	e := s.Start(n, 0)
	require.True(t, s.Claim(n, nil))
	var spare uint32
	require.Panics(t, func() { s.HoldAgain(n, 0, e, &spare) })
	require.Equal(t, 1, s.Reasons(e))
	require.True(t, s.EndBody(n, nil, nil, q))
}
