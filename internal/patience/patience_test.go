package patience_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/patience"
)

// looks counts the looks without a pause before the next one with one.
func looks(p *patience.Patience) (n int) {
	for !p.Pays() {
		n++
	}
	return n
}

func TestPatience(t *testing.T) {
	var p patience.Patience
	require.Zero(t, looks(&p), "a new one pauses")
	p.Learn(true, 7)
	require.Zero(t, looks(&p))
	for _, want := range []int{1, 3, 7, 7} {
		p.Learn(false, 7)
		require.Equal(t, want, looks(&p))
	}
	p.Learn(true, 7)
	require.Zero(t, looks(&p), "one that pays is enough")
	p.Learn(false, 7)
	require.Equal(t, 1, looks(&p))
}
