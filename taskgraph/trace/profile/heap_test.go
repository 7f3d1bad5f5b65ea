package profile

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// A heap gives what is before all that it has, whatever is put into it and taken out.
func TestHeap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := heap[int]{before: func(a, b int) bool { return a < b }}
		var have []int // in order
		for _, x := range rapid.SliceOf(rapid.IntRange(-5, 20)).Draw(t, "in, or out if negative") {
			if x < 0 && len(have) > 0 {
				require.Equal(t, have[0], h.pop())
				have = have[1:]
				continue
			}
			h.push(x)
			at, _ := slices.BinarySearch(have, x)
			have = slices.Insert(have, at, x)
		}
		for _, x := range have {
			require.Equal(t, x, h.pop())
		}
	})
}
