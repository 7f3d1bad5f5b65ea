package figures

import (
	"math"
	"slices"
	"time"
)

// Round rounds to three decimals.
func Round(x float64) float64 { return math.Round(x*1e3) / 1e3 }

// MS returns a time in milliseconds, rounded.
func MS(d time.Duration) float64 { return Round(float64(d) / 1e6) }

// Ratio returns a / b, rounded, or 0 if b is 0.
func Ratio(a, b time.Duration) float64 {
	if b == 0 {
		return 0
	}
	return Round(float64(a) / float64(b))
}

// Quantiles returns, for each share of the times, the time that is longer than these are; or 0 if
// there are no times.
func Quantiles(times []time.Duration, shares ...float64) []time.Duration {
	sorted := slices.Sorted(slices.Values(times))
	values := make([]time.Duration, len(shares))
	if len(sorted) > 0 {
		for i, share := range shares {
			values[i] = sorted[min(int(share*float64(len(sorted))), len(sorted)-1)]
		}
	}
	return values
}
