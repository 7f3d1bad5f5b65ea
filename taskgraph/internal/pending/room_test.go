package pending

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A place serves what is added after the thing in it is done, and nothing else is left of that.
func TestPlacesAreUsedAgain(t *testing.T) {
	var s Set[Ticket]
	var first Ticket
	require.True(t, s.Add(&first, &first))
	for range 100 {
		var other, next Ticket
		require.True(t, s.Add(&other, &other))
		require.NotEqual(t, first.slot, other.slot)
		require.True(t, s.End(&other))
		require.Equal(t, 2, s.Len(), "it is not done")
		s.Done(&other)
		require.Equal(t, 1, s.Len())
		require.True(t, s.Add(&next, &next))
		require.Equal(t, other.slot, next.slot)
		require.True(t, s.End(&next))
		s.Done(&next)
	}
	for x := range s.All {
		require.Same(t, &first, x)
	}
}
