package taskgraph

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// One sleep that patience would have spared, the time that its end took to be noticed included, restores all of it; a
// longer one changes nothing, and success doubles what is left.
func TestPatienceOfOutsiders(t *testing.T) {
	for _, took := range []int64{1, fullPatience, fullPatience + wakeTakes} {
		var p outsiders
		p.lost.Store(fullPatience * 15 / 16)
		p.slept(took)
		require.Zero(t, p.lost.Load(), took)
	}
	var p outsiders
	p.lost.Store(fullPatience * 3 / 4)
	p.slept(fullPatience + wakeTakes + 1)
	require.EqualValues(t, fullPatience*3/4, p.lost.Load())
	p.lengthen()
	require.EqualValues(t, fullPatience/2, p.lost.Load())
	p.lengthen()
	require.Zero(t, p.lost.Load())
	p.lengthen()
	require.Zero(t, p.lost.Load())
}
