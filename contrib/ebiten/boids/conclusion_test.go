package boids_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/contrib/ebiten/boids"
)

// The conclusion says whether Heddle was ahead, level or behind; with one way there is none.
func TestConclusion(t *testing.T) {
	heddle := boids.Played{Name: "heddle", Step: 10, Missed: 1}
	require.Equal(t, "Heddle's median step was 2.00 times as fast as one thread. It missed 1 beat, "+
		"that way 12.\nHeddle's median step was slower than goroutines: it took 1.25 times as "+
		"long. It missed 1 beat, that way 0.\n", boids.Conclusion([]boids.Played{
		{Name: "serial", Step: 20, Missed: 12}, {Name: "goroutines", Step: 8}, heddle}))
	require.Equal(t, "Heddle's median step was level with goroutines (1.00 times as fast). It "+
		"missed 1 beat, that way 2.\n",
		boids.Conclusion([]boids.Played{heddle, {Name: "goroutines", Step: 10, Missed: 2}}))
	require.Empty(t, boids.Conclusion([]boids.Played{heddle}))
	require.Empty(t, boids.Conclusion([]boids.Played{{Name: "serial", Step: 1}}))
}
