package park_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/park"
	"github.com/heddle-go/heddle/internal/turns"
)

// turn returns a scheduler and a Parker whose waits give its turn away.
func turn(seed uint64) (*turns.Scheduler, *park.Parker) {
	s := turns.New(turns.Options{Seed: seed, OnStuck: func() error { return nil }})
	p := park.New(park.Go)
	p.TakeTurns(s)
	return s, p
}

// An Unpark that ends a wait is a choice: the one that waited goes on first, or the waker does.
func TestTurnsUnparkLetsOthersRun(t *testing.T) {
	orders := map[string]bool{}
	for seed := range uint64(100) {
		s, p := turn(seed)
		order := ""
		s.Go(false, func() string { return "waits" }, func() {
			p.Park()
			order += "w"
		})
		s.Block(10) // by then it waits
		require.True(t, p.Unpark())
		order += "m"
		s.Quiesce()
		orders[order] = true
	}
	require.Equal(t, map[string]bool{"mw": true, "wm": true}, orders)
}

// A permit that was left before costs no turn, and there is one at most.
func TestTurnsPermit(t *testing.T) {
	s, p := turn(1)
	require.False(t, p.Unpark())
	require.False(t, p.Unpark())
	p.Park()
	require.False(t, p.TryPark())
	require.EqualValues(t, 0, s.Now())
	s.Quiesce()
}

// A time limit is one of the virtual clock, and a permit that comes before it is taken.
func TestTurnsTimeLimit(t *testing.T) {
	for seed := range uint64(20) {
		s, p := turn(seed)
		require.False(t, p.ParkTimeout(1000))
		require.EqualValues(t, 1000, s.Now())
		require.False(t, p.ParkTimeout(0))
		require.EqualValues(t, 1000, s.Now())
		s.Go(false, func() string { return "wakes" }, func() {
			s.Block(10)
			p.Unpark()
		})
		require.True(t, p.ParkTimeout(1000))
		require.EqualValues(t, 1010, s.Now())
		require.False(t, p.TryPark())
		require.False(t, p.Unpark()) // nobody waits any more
		require.True(t, p.TryPark())
		s.Quiesce()
	}
}
