//go:build linux && gc && !go1.28 && !heddle_nolinkname && !modelcheck

package park_test

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/park"
)

// Where the hand-off is to be had, nothing may silently fall back to less. The build tag above
// admits the releases of Go that CI runs.
func TestDefaultParkerHandsItsPOn(t *testing.T) {
	require.True(t, park.HandsOff(), runtime.Version())
}

func TestLookUp(t *testing.T) {
	t.Parallel()
	names := []string{"runtime.entersyscallblock", "runtime.nosuchfunction", "runtime.exitsyscall",
		"runtime"}
	found := park.LookUp(names...)
	require.Len(t, found, len(names))
	for i, pc := range found {
		if i%2 == 1 {
			require.Zero(t, pc, names[i])
			continue
		}
		f := runtime.FuncForPC(pc)
		require.Equal(t, names[i], f.Name())
		require.Equal(t, pc, f.Entry(), "where it begins, not somewhere inside")
	}
}
