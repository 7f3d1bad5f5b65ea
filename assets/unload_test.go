package assets

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/assets/internal/turn"
	"github.com/heddle-go/heddle/taskgraph"
)

// TestUnloadFindsAReleasedTree: Unload names a member of a circle that nobody has released by
// itself, and is looked at when the release of the whole tree, by another member, has come already:
// what the circle depended on goes too (K4).
func TestUnloadFindsAReleasedTree(t *testing.T) {
	bg := context.Background()
	sys := taskgraph.Start(taskgraph.Options{Workers: 1})
	registry, err := NewMemory()
	require.NoError(t, err)
	m := New(sys, Options{Registry: registry,
		Loader: knower{"a": {"b", "c"}, "b": {"a"}}})
	byHand := true
	m.turn = turn.New(m.note, func() {
		if !byHand {
			m.turn.Drain()
		}
	})
	h := m.Acquire("a")
	m.turn.Drain()
	require.Equal(t, Ready, h.State())
	require.EqualValues(t, 3, m.Stats().Resources)
	m.Unload("b")
	m.ReleaseTree(h)
	m.turn.Drain()
	require.Zero(t, m.Stats().Resources)
	byHand = false
	require.NoError(t, m.Close(bg))
	require.NoError(t, sys.Shutdown(bg))
}
