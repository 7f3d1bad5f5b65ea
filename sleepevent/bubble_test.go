package sleepevent_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/sleepevent"
)

// TestBubble: with ParkGo a pool lives inside a synctest bubble: its sleepers let the clock
// advance.
func TestBubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPool(3, sleepevent.Options{Park: sleepevent.ParkGo})
		synctest.Wait() // returns only if all sleep durably
		require.Equal(t, 3, p.g.IdleCount())

		start := time.Now()
		ran := 0
		for range 10 {
			time.Sleep(time.Hour)
			p.submit(func() { ran++ })
			synctest.Wait()
		}
		require.Equal(t, 10, ran)
		require.Equal(t, 10*time.Hour, time.Since(start))

		s := sleepevent.NewSignal(sleepevent.Options{Park: sleepevent.ParkGo})
		require.False(t, s.WaitTimeout(time.Hour))
		require.Equal(t, 11*time.Hour, time.Since(start))
		p.close()
	})
}
