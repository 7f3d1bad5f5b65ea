package sleepevent_test

import (
	"math"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/sleepevent"
)

func TestSignal(t *testing.T) {
	eachPark(t, func(t *testing.T, o sleepevent.Options) {
		watch(t)
		s := sleepevent.NewSignal(o)
		require.False(t, s.WaitTimeout(0))
		require.False(t, s.WaitTimeout(time.Millisecond))
		require.False(t, s.Reset())

		require.False(t, s.Trigger(), "nobody waits")
		s.Trigger()
		s.Wait()
		require.False(t, s.WaitTimeout(0), "two triggers were one, and the wait reset it")

		s.Trigger()
		require.True(t, s.Reset())
		require.False(t, s.Reset())

		for _, d := range []time.Duration{time.Hour, math.MaxInt64, 1, 0, -1, math.MinInt64} {
			s.Trigger()
			require.True(t, s.WaitTimeout(d), "what is set needs no time")
		}
		require.False(t, s.WaitTimeout(-1))
		require.False(t, s.WaitTimeout(math.MinInt64))

		got := make(chan bool)
		for _, d := range []time.Duration{time.Hour, math.MaxInt64} {
			go func() { got <- s.WaitTimeout(d) }()
			s.Trigger()
			require.True(t, <-got)
		}
	})
}

func TestSignalZeroValue(t *testing.T) {
	watch(t)
	var s sleepevent.Signal
	data := 0
	go func() {
		data = 1
		s.Trigger()
	}()
	s.Wait()
	require.Equal(t, 1, data)
	require.PanicsWithValue(t, "sleepevent: unknown Options.Park",
		func() { sleepevent.NewSignal(sleepevent.Options{Park: 77}) })
}

// TestSignalTakesAll: with any number of triggers, a waiter that takes what it finds after
// each wait has taken everything when the last one is in.
func TestSignalTakesAll(t *testing.T) {
	eachPark(t, func(t *testing.T, o sleepevent.Options) {
		watch(t)
		const sources = 3
		n := scale(10_000)
		s := sleepevent.NewSignal(o)
		var published atomics.Int64
		var wg sync.WaitGroup
		for range sources {
			wg.Go(func() {
				for range n {
					published.Add(1)
					s.Trigger()
				}
			})
		}
		for i, seen := 0, 0; seen < sources*n; i++ {
			if i%2 == 0 {
				s.Wait()
			} else if !s.WaitTimeout(time.Duration(i%50) * time.Microsecond) {
				continue
			}
			seen += int(published.Swap(0))
		}
		wg.Wait()
	})
}
