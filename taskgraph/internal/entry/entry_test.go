package entry_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/taskgraph/internal/entry"
)

func TestEntryKeepsKindAndIndex(t *testing.T) {
	seen := map[entry.Entry]bool{}
	for k := entry.Task; k <= entry.Acquirer; k++ {
		for _, i := range []uint32{0, 1, 1 << 27, entry.Limit - 1} {
			e := entry.Of(k, i)
			require.Equal(t, k, e.Kind())
			require.Equal(t, i, e.Index())
			require.False(t, seen[e])
			seen[e] = true
		}
	}
}

func TestEntryOfTask(t *testing.T) {
	const n = graphevent.Node(12)
	require.Equal(t, entry.Of(entry.Task, 12), entry.OfTask(n))
	require.Equal(t, n, entry.OfTask(n).Node())
}

func TestCallsAreBundlesAndParcels(t *testing.T) {
	for k := entry.Task; k <= entry.Acquirer; k++ {
		require.Equal(t, k == entry.Bundle || k == entry.Parcel, k.IsCalls())
	}
}
