package loopcost

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// As long as nothing is known pieces grow fourfold, and then follow what the last one took.
func TestPiecesFindOutWhatAUnitCosts(t *testing.T) {
	const units = 100_000
	now, did := int64(1000), uint64(0)
	p := Begin(now, units, 0)
	ran := func(n uint64, took int64) (float64, bool) {
		t.Helper()
		require.Equal(t, n, p.Next(units-did))
		now, did = now+took, did+n
		return p.Ran(n, now)
	}
	seen, ok := ran(98, 98)
	require.True(t, ok)
	require.Equal(t, 1., seen)
	require.False(t, p.Tell(), "too short")
	_, ok = ran(392, 0)
	require.False(t, ok, "the clock has not moved")
	seen, ok = ran(1568, 3136)
	require.True(t, ok)
	require.Equal(t, 2., seen)
	require.True(t, p.Tell())
	seen, _ = ran(longPiece/2, 2000) // they have become cheaper
	require.Equal(t, .2, seen)
	require.EqualValues(t, shortPiece*5, p.Next(shortPiece*6))
	require.EqualValues(t, shortPiece*6, p.Next(shortPiece*48), "an eighth of what is left")
	require.EqualValues(t, longPiece*5, p.Next(1e6))
	require.EqualValues(t, 7, p.Next(7), "no more than there are")
}

// A unit that is known to take long is a piece by itself.
func TestPiecesOfLongUnits(t *testing.T) {
	p := Begin(0, 50, 1e6)
	require.EqualValues(t, 1, p.Next(50))
	seen, ok := p.Ran(1, 2e6)
	require.True(t, ok)
	require.Equal(t, 2e6, seen)
	require.EqualValues(t, 1, p.Next(49))
}
