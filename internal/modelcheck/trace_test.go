package modelcheck_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/modelcheck"
)

var update = flag.Bool("update", false, "write the golden files anew")

// The trace shows threads as columns, what they did in the words of the source, and values.
func TestTrace(t *testing.T) {
	f := explore(modelcheck.Config{}, modelcheck.NewDepthFirst(1), 0, func(e *engine) {
		type node struct{ next *node }
		var list struct {
			head modelcheck.Pointer[node]
			size [2]modelcheck.Int32
		}
		var bell modelcheck.Uint32
		e.Thread(func() {
			list.head.Store(&node{})
			list.size[1].Add(-2)
			modelcheck.Note(func() string { return "[pushed]" })
			if modelcheck.Choose(2) == 1 {
				modelcheck.FutexWait(&bell, 0, -1)
			}
		})
		e.Thread(func() {
			old := list.head.Load()
			list.head.CompareAndSwap(old, &node{next: old})
			list.head.CompareAndSwap(old, nil)
			modelcheck.FutexWake(&bell, 1)
			bell.Or(1 << 30)
			modelcheck.Go(func() { list.head.Swap(nil) })
		})
	}).Failure
	require.Equal(t, modelcheck.KindDeadlock, f.Kind)
	path := filepath.Join("testdata", "trace.golden")
	got := "schedule " + f.Schedule + "\n" + f.Text + f.Trace
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o777))
		require.NoError(t, os.WriteFile(path, []byte(got), 0o666))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, strings.ReplaceAll(string(want), "\r\n", "\n"), got)
}
