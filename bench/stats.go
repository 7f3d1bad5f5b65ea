package main

import (
	"math"
	"slices"
)

// median returns the middle of the values, the mean of the middle two if their number is
// even, and NaN if there are none.
func median(values []float64) float64 {
	n := len(values)
	if n == 0 {
		return math.NaN()
	}
	s := slices.Sorted(slices.Values(values))
	if n%2 == 1 {
		return s[n/2]
	}
	return (s[n/2-1] + s[n/2]) / 2
}

// quantile returns the smallest of the samples that at least the fraction q of them does not
// exceed, and NaN if there are none.
func quantile(samples []int64, q float64) float64 {
	n := len(samples)
	if n == 0 {
		return math.NaN()
	}
	s := slices.Sorted(slices.Values(samples))
	i := int(math.Ceil(q*float64(n))) - 1
	return float64(s[min(max(i, 0), n-1)])
}

// ratios divides round by round.
func ratios(values, reference []float64) []float64 {
	var all []float64
	for i := range min(len(values), len(reference)) {
		if reference[i] != 0 {
			all = append(all, values[i]/reference[i])
		}
	}
	return all
}
