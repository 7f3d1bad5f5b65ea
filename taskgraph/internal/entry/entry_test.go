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
			require.Equal(t, e, entry.OfToken(e.Token()))
			_, isTask := e.Task()
			require.Equal(t, k == entry.Task, isTask)
			require.False(t, seen[e])
			seen[e] = true
		}
	}
}

func TestEntryOfTask(t *testing.T) {
	const n = graphevent.Node(12)
	require.Equal(t, entry.Of(entry.Task, 12), entry.OfTask(n))
	require.Equal(t, n, entry.OfTask(n).Node())
	of, isTask := entry.OfTask(n).Task()
	require.True(t, isTask)
	require.Equal(t, n, of)
}

// Stretches at both ends of the indices, and entries of every kind beside and inside them.
func TestEntryInAStretch(t *testing.T) {
	const n = 1 << 10
	indices := []uint32{0, 1, n - 1, n, n + 1, entry.Limit - n - 1, entry.Limit - n,
		entry.Limit - 1}
	for k := entry.Task; k <= entry.Acquirer; k++ {
		for _, from := range []uint32{0, n, entry.Limit - n} {
			first := entry.Of(k, from)
			for of := entry.Task; of <= entry.Acquirer; of++ {
				for _, i := range indices {
					at, ok := entry.Of(of, i).In(first, n)
					require.Equal(t, of == k && i >= from && i < from+n, ok, "%v %d in %v %d", of,
						i, k, from)
					if ok {
						require.Equal(t, i-from, at)
						require.Equal(t, entry.Of(of, i), first.Plus(at))
					}
				}
			}
		}
	}
}

func TestKindsHaveNames(t *testing.T) {
	for k := entry.Task; k <= entry.Acquirer; k++ {
		require.NotEmpty(t, k.String())
	}
}

func TestCallsAreBundlesAndParcels(t *testing.T) {
	for k := entry.Task; k <= entry.Acquirer; k++ {
		require.Equal(t, k == entry.Bundle || k == entry.Parcel, k.IsCalls())
	}
}
