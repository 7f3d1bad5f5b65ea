package cacheline_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/cacheline"
)

// What does not pay is tried after 1, 3, 7 looks without a pause and so on up to the most, and what
// pays each time, at once.
func TestCourtesy(t *testing.T) {
	var c cacheline.Courtesy
	looks := func() (n int) { // without a pause, before the next one
		for !c.Due() {
			n++
		}
		return n
	}
	require.Zero(t, looks())
	for _, want := range []int{1, 3, 7, 10, 10} {
		c.Learn(false, 10)
		require.Equal(t, want, looks())
	}
	for range 3 {
		c.Learn(true, 10)
		require.Zero(t, looks())
	}
	c.Learn(false, 10)
	require.Equal(t, 1, looks())
}
