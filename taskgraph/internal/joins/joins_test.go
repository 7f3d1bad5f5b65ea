package joins_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	_ "github.com/heddle-go/heddle/internal/dev/short"
	"github.com/heddle-go/heddle/taskgraph/internal/joins"
)

// Whoever popped the entry of a call that nobody has taken runs it, and the body is told if it
// waits.
func TestJoinTaken(t *testing.T) {
	for _, waits := range []bool{false, true} {
		var j joins.Join
		for range 2 { // the place is used again
			require.False(t, j.IsTaken())
			run, free := j.Take()
			require.True(t, run)
			require.False(t, free)
			require.True(t, j.IsTaken())
			require.False(t, j.IsEarly())
			require.False(t, j.TakeEarly(), "it is taken")
			require.False(t, j.IsDone())
			if waits {
				require.False(t, j.Await())
			}
			require.Equal(t, waits, j.Done())
			require.True(t, j.IsDone())
			require.True(t, j.Await(), "it is done")
			j.Reset()
		}
	}
}

// A call that the body has taken early leaves its entry behind: whoever comes last, the body or the
// popper, frees the place.
func TestJoinTakenEarly(t *testing.T) {
	var j joins.Join
	for _, popped := range []bool{false, true, false} {
		require.True(t, j.TakeEarly())
		require.True(t, j.IsTaken())
		require.True(t, j.IsEarly())
		require.False(t, j.TakeEarly(), "it is taken")
		if !popped {
			require.False(t, j.Leave(), "the entry is still queued")
		}
		run, free := j.Take()
		require.False(t, run)
		require.Equal(t, !popped, free)
		if popped {
			require.True(t, j.Leave())
		}
		j.Reset()
		require.False(t, j.IsTaken())
		require.False(t, j.IsEarly())
	}
}
