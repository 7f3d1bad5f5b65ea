package osthread

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCut(t *testing.T) {
	require.Equal(t, "abc", cut("abc", 0), "no limit")
	require.Equal(t, "abc", cut("abc", 3))
	require.Equal(t, "ab", cut("abc", 2))
	require.Equal(t, "a", cut("aü", 2), "inside a character")
	require.Equal(t, "aü", cut("aüb", 3))
	require.Equal(t, "", cut("\x80\x80\x80", 2), "no character starts")
}

// What a platform lacks is an error that says so, on each platform.
func TestUnsupported(t *testing.T) {
	err := unsupported("SetName")
	require.ErrorIs(t, err, errors.ErrUnsupported)
	require.ErrorContains(t, err, "osthread: SetName: ")
}
