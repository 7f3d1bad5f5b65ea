//go:build linux && go1.26 && !go1.27 && !heddle_nolinkname && !modelcheck

package park_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/park"
)

// Where the hand-off is to be had, nothing may silently fall back to less.
func TestDefaultParkerHandsItsPOn(t *testing.T) {
	require.True(t, park.HandsOff)
}
