package crew_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/taskgraph/internal/crew"
)

func TestCrewOfOne(t *testing.T) {
	var c crew.Crew
	c.Open(1)
	require.True(t, c.Left(3))
	for want := range uint64(2) {
		unit, ok := c.Take(3)
		require.True(t, ok)
		require.Equal(t, want+1, unit)
	}
	_, ok := c.Take(3)
	require.False(t, ok)
	require.False(t, c.Left(3))
	c.Launch()
	require.True(t, c.IsDone())
	require.True(t, c.Close())
	require.False(t, c.Join(), "late")
	require.False(t, c.Drop(), "the caller refers to it")
	require.True(t, c.Drop())
}

// Parts shrink with what is left, down to the least, and end where the units end.
func TestCrewParts(t *testing.T) {
	for _, least := range []uint64{1, 5, 1000} {
		var c crew.Crew
		c.Open(3)
		at, last := uint64(3), uint64(1000)
		for {
			from, to, ok := c.TakeMany(100, 4, least)
			if !ok {
				break
			}
			require.Equal(t, at, from)
			require.LessOrEqual(t, to-from, last)
			require.True(t, to-from >= least || to == 100)
			at, last = to, to-from
		}
		require.EqualValues(t, 100, at)
		c.Cut(200)
		_, _, ok := c.TakeMany(200, 4, least)
		require.False(t, ok)
	}
}

// A helper that stays joins neither the loop that it has left nor one that is over, but the next,
// where it counts as at work; then it may stay again, and is gone once it has detached.
func TestCrewStays(t *testing.T) {
	var c crew.Crew
	require.False(t, c.Open(0))
	c.Launch()
	require.True(t, c.Join())
	first := c.Number()
	require.True(t, c.Stay())
	require.True(t, c.Stays())
	require.False(t, c.Rejoin(first), "the loop that it has left")
	require.True(t, c.Stays())
	require.True(t, c.Close())
	require.False(t, c.Rejoin(first), "it is over")
	require.True(t, c.IsKept())

	require.True(t, c.Open(0))
	require.True(t, c.Rejoin(first))
	require.False(t, c.Stays())
	require.False(t, c.IsDone(), "it is at work")
	second := c.Number()
	require.NotEqual(t, first, second)
	require.True(t, c.Stay())
	require.True(t, c.IsDone())
	detached, last := c.Detach(first)
	require.False(t, detached || last, "there is a loop for it to join")
	detached, last = c.Detach(second)
	require.True(t, detached)
	require.False(t, last, "the caller refers to it")
	require.False(t, c.Stays())
	require.True(t, c.Close())
	require.True(t, c.Drop())
}

// The caller goes on when all who joined have left, and its memory is freed once.
func TestCrewOfMany(t *testing.T) {
	const units, helpers = 100, 3
	for range 200 {
		var c crew.Crew
		var seen [units]int
		var freed, woken atomics.Int32
		drop := func() {
			if c.Drop() {
				freed.Add(1)
			}
		}
		work := func() {
			for {
				u, ok := c.Take(units)
				if !ok {
					return
				}
				seen[u]++
			}
		}
		c.Open(0)
		var wg sync.WaitGroup
		wake := make(chan struct{}, helpers)
		for range helpers {
			c.Launch()
			wg.Go(func() {
				if c.Join() {
					work()
					if c.Leave() {
						woken.Add(1)
						wake <- struct{}{}
					}
				}
				drop()
			})
		}
		work()
		waits := !c.Close() && !c.Await()
		if waits {
			<-wake
		}
		require.True(t, c.IsDone())
		for _, n := range seen {
			require.Equal(t, 1, n)
		}
		drop()
		wg.Wait()
		require.EqualValues(t, 1, freed.Load())
		if !waits {
			require.Zero(t, woken.Load())
		}
	}
}
