//go:build !modelcheck

package atomics_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/atomics"
)

// What only threads of a model may call panics in an ordinary build instead of waiting for ever,
// and words cannot be delayed.
func TestOutsideAModel(t *testing.T) {
	var w atomics.Uint32
	require.False(t, atomics.Modeled())
	require.PanicsWithValue(t, "atomics: FutexWait outside a model", func() {
		atomics.FutexWait(&w, 0, -1)
	})
	require.PanicsWithValue(t, "atomics: FutexWake outside a model", func() {
		atomics.FutexWake(&w)
	})
	require.False(t, atomics.Chaos(1, 1))
}
