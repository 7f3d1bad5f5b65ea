package figures

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestRounding(t *testing.T) {
	require.Equal(t, 1.235, Round(1.2346))
	require.Equal(t, 1.5, MS(1500*time.Microsecond))
	require.Equal(t, 0.001, MS(1400*time.Nanosecond))
	require.Equal(t, 0.667, Ratio(2, 3))
	require.Zero(t, Ratio(2, 0))
}

func TestQuantiles(t *testing.T) {
	var times []time.Duration
	for i := range 100 {
		times = append(times, time.Duration(100-i))
	}
	require.Equal(t, []time.Duration{1, 51, 100, 100}, Quantiles(times, 0, 0.5, 0.99, 1))
	require.Equal(t, []time.Duration{0, 0}, Quantiles(nil, 0.5, 1))
	require.Equal(t, time.Duration(100), times[0], "the times stay in their order")
}
