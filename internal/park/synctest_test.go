package park_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/park"
)

// TestBubble needs every wait of the mode Go to be durably blocking, and every timer to obey
// the bubble's clock.
func TestBubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := park.New(park.Go)
		start := time.Now()
		require.False(t, p.ParkTimeout(24*time.Hour))
		require.Equal(t, 24*time.Hour, time.Since(start))

		woken := false
		go func() {
			p.Park()
			woken = true
		}()
		time.Sleep(time.Hour)
		synctest.Wait()
		require.False(t, woken)
		require.True(t, p.Unpark())
		synctest.Wait()
		require.True(t, woken)
	})
}
