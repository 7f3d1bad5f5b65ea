package flight

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A tick is what part of the time it is, but for a counter that has not moved, or moved back.
func TestScale(t *testing.T) {
	c := clock{ticks: 100, now: 1000}
	require.Equal(t, 2., c.perTick(150, 1100))
	require.Equal(t, 1., c.perTick(100, 1100))
	require.Equal(t, 1., c.perTick(99, 1100))
	require.Equal(t, 7., c.perTick(101, 1007))
	require.Equal(t, 1., c.scale(), "without a counter a tick is a nanosecond")
}
