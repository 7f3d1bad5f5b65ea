package flight

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A key names one thing of one kind, whatever the numbers are, and nothing is named by 0.
func TestKeys(t *testing.T) {
	most := uint32(1<<lowBits - 1)
	seen := map[Key]bool{0: true}
	for _, i := range []uint32{0, 1, most} {
		for _, n := range []uint32{0, 1, 1<<32 - 1} {
			task := TaskKey(n, i)
			run, number, ok := task.Task()
			require.True(t, ok)
			require.Equal(t, []uint32{n, i}, []uint32{run, number})
			node := NodeKey(uint64(n), i)
			_, _, ok = node.Task()
			require.False(t, ok)
			require.False(t, seen[task] || seen[node] || task == node)
			seen[task], seen[node] = true, true
		}
		label := LabelKey(uint64(i))
		_, _, ok := label.Task()
		require.False(t, ok)
		require.False(t, seen[label])
		seen[label] = true
	}
}
