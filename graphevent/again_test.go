package graphevent_test

import (
	"errors"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/atomics"
)

// againSched collects what becomes ready and counts what completes.
type againSched struct {
	ready     chan graphevent.Node
	completed atomics.Int64
}

func newAgainSched() *againSched {
	return &againSched{ready: make(chan graphevent.Node, 16)}
}
func (q *againSched) Ready(n graphevent.Node)   { q.ready <- n }
func (q *againSched) Completed(graphevent.Node) {}
func (q *againSched) Finished(count int)        { q.completed.Add(int64(count)) }

// The entry of a round that was run early is the entry of the next one: there are never two.
func TestAgainTombstoneIsTheEntry(t *testing.T) {
	q := newAgainSched()
	s := graphevent.NewStore(graphevent.Options{Scheduler: q})
	n := s.Acquire(nil)
	e := s.Start(n, 0)
	require.True(t, s.TryClaim(e)) // the entry stays behind
	require.False(t, s.Again(n, nil, q))
	require.Equal(t, graphevent.StateReady, e.State())
	require.True(t, s.Claim(n, nil)) // it is popped
	hold := s.NewEvent()
	s.HoldOpen(n, 0, hold)
	require.False(t, s.Again(n, nil, q))
	require.Equal(t, graphevent.StateWaiting, e.State())
	require.False(t, s.TryClaim(e))
	require.Equal(t, []graphevent.Event{hold}, s.Prerequisites(e, nil))
	hold.Trigger()
	require.Equal(t, n, <-q.ready)

	require.True(t, s.TryClaim(e)) // again early, and popped before the round is over
	require.False(t, s.Claim(n, nil))
	require.True(t, s.Again(n, nil, q))
	require.True(t, s.Claim(n, nil))
	require.True(t, s.EndBody(n, nil, nil, q))
	require.True(t, e.IsComplete())
	require.NoError(t, e.Err())
	require.Equal(t, n, s.Acquire(nil), "the node is free")
}

// A failure of what holds the node open ends the rounds, before Again or after.
func TestAgainFailedHold(t *testing.T) {
	no := errors.New("no")
	for _, early := range []bool{true, false} {
		q := newAgainSched()
		s := graphevent.NewStore(graphevent.Options{Scheduler: q})
		n := s.Acquire(nil)
		e := s.Start(n, 0)
		require.True(t, s.Claim(n, nil))
		hold := s.NewEvent()
		if early {
			hold.Fail(no)
		}
		s.HoldOpen(n, 0, hold)
		require.False(t, s.Again(n, nil, q))
		if !early {
			hold.Fail(no)
		}
		require.ErrorIs(t, e.Err(), no)
		require.EqualValues(t, 1, q.completed.Load())
	}
}

// Disown ends a node that waits to run again, and nothing else.
func TestAgainDisown(t *testing.T) {
	q := newAgainSched()
	s := graphevent.NewStore(graphevent.Options{Scheduler: q})
	n := s.Acquire(nil)
	e := s.Start(n, 0)
	require.False(t, s.Disown(e, graphevent.ErrClosed, q))
	require.True(t, s.Claim(n, nil))
	require.False(t, s.Disown(e, graphevent.ErrClosed, q))
	hold := s.NewEvent()
	require.False(t, s.Disown(hold, graphevent.ErrClosed, q))
	s.HoldOpen(n, 0, hold)
	require.False(t, s.Again(n, nil, q))
	require.True(t, s.Disown(e, graphevent.ErrClosed, q))
	require.False(t, s.Disown(e, graphevent.ErrClosed, q))
	require.False(t, e.IsComplete())
	hold.Trigger()
	require.ErrorIs(t, e.Err(), graphevent.ErrClosed)
	require.EqualValues(t, 1, q.completed.Load())
}

// The edges of earlier rounds are used again.
func TestAgainReusesEdges(t *testing.T) {
	q := newAgainSched()
	s := graphevent.NewStore(graphevent.Options{Scheduler: q})
	n := s.Acquire(nil)
	e := s.Start(n, 0)
	holds := make([]graphevent.Event, 9)
	var spare uint32
	round := func(first bool) {
		require.True(t, s.Claim(n, nil))
		for i := range holds {
			holds[i] = s.NewEvent()
			if first {
				s.HoldOpen(n, uint32(i), holds[i])
			} else {
				s.HoldAgain(n, uint32(i), holds[i], &spare)
			}
		}
		require.False(t, s.Again(n, nil, q))
		require.ElementsMatch(t, holds, s.Prerequisites(e, nil))
		for _, h := range holds {
			h.Trigger()
		}
		require.Equal(t, n, <-q.ready)
	}
	round(true)
	round(false)
	require.Less(t, testing.AllocsPerRun(1, func() {
		for range 5000 {
			require.True(t, s.Claim(n, nil))
			for i := range holds {
				holds[i] = s.NewEvent()
				s.HoldAgain(n, uint32(i), holds[i], &spare)
			}
			s.Again(n, nil, q)
			for _, h := range holds {
				h.Trigger()
			}
			<-q.ready
		}
	}), 100.0)
	round(false)
	require.True(t, s.Claim(n, nil))
	require.True(t, s.EndBody(n, nil, nil, q))
}

// DuelAgain: the pop of an entry that was left behind meets the step that makes the node ready.
// Whatever comes first, exactly one entry is there afterwards.
func TestDuelAgain(t *testing.T) {
	q := newAgainSched()
	s := graphevent.NewStore(graphevent.Options{Scheduler: q})
	rounds := 20_000
	if testing.Short() {
		rounds = 2_000
	}
	for range rounds {
		n := s.Acquire(nil)
		e := s.Start(n, 0)
		require.True(t, s.TryClaim(e))
		hold := s.NewEvent()
		s.HoldOpen(n, 0, hold)
		require.False(t, s.Again(n, nil, q))
		var both sync.WaitGroup
		claimed := false
		both.Add(2)
		atomics.Go(func() { defer both.Done(); hold.Trigger() })
		atomics.Go(func() { defer both.Done(); claimed = s.Claim(n, nil) })
		both.Wait()
		select {
		case m := <-q.ready:
			require.Equal(t, n, m)
			require.False(t, claimed)
			require.True(t, s.Claim(n, nil))
		default:
			require.True(t, claimed)
		}
		require.True(t, s.EndBody(n, nil, nil, q))
		require.True(t, e.IsComplete())
	}
}
