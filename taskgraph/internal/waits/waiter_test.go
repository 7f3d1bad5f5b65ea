package waits_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/park"
	"github.com/heddle-go/heddle/taskgraph/internal/waits"
)

// A waiter that is given back is used again by who parks in its mode, and is listed all the time.
func TestWaiters(t *testing.T) {
	var all waits.Waiters
	listed := func() (found []*waits.Waiter) {
		all.All(func(w *waits.Waiter) bool {
			found = append(found, w)
			return true
		})
		return found
	}
	require.Empty(t, listed())
	modes := []park.Mode{park.OS, park.Go, park.TwoPhase}
	var made []*waits.Waiter
	for _, mode := range modes {
		w := all.Add(mode, park.New(mode), nil)
		made = append([]*waits.Waiter{w}, made...)
		require.Equal(t, made, listed())
		for _, mode := range modes {
			_, ok := all.Idle(mode)
			require.False(t, ok, "it is used")
		}
		w.Free()
		other := park.OS
		if mode == park.OS {
			other = park.Go
		}
		_, ok := all.Idle(other)
		require.False(t, ok, "it is of another mode")
		again, ok := all.Idle(mode)
		require.True(t, ok)
		require.Same(t, w, again)
	}
	looked := 0
	all.All(func(w *waits.Waiter) bool {
		require.Same(t, made[0], w)
		looked++
		return false
	})
	require.Equal(t, 1, looked, "who has seen enough gets no more")
}

// A Wake ends one Sleep, also one that comes later.
func TestWaiterSleeps(t *testing.T) {
	var all waits.Waiters
	p := park.New(park.Go)
	w := all.Add(park.Go, p, func() { p.Unpark() })
	w.Wake()
	w.Sleep()
	require.False(t, p.TryPark(), "the wake is used up")
	woke := false // plain: -race looks at the order that a wake makes
	go func() {
		woke = true
		w.Wake()
	}()
	w.Sleep()
	require.True(t, woke)
}
