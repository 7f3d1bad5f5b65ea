package silence_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	_ "github.com/heddle-go/heddle/internal/dev/short"
	"github.com/heddle-go/heddle/taskgraph/internal/silence"
)

// ticks returns after how many ticks of one kind there is enough, twice in a row.
func ticks(t *testing.T, keptOut, mayCompute bool) int {
	var e silence.Evidence
	count := func() int {
		for n := 1; ; n++ {
			if e.Add(keptOut, mayCompute) {
				return n
			}
		}
	}
	n := count()
	require.Equal(t, n, count(), "it begins anew")
	return n
}

func TestTicks(t *testing.T) {
	require.Equal(t, silence.Blocked, ticks(t, false, false))
	require.Equal(t, silence.Blocked, ticks(t, true, false), "and is kept out besides")
	require.Equal(t, silence.KeptOut, ticks(t, true, true))
	require.Equal(t, silence.Hidden, ticks(t, false, true))
}

// Of several kinds each counts its part.
func TestEvidenceAddsUp(t *testing.T) {
	var e silence.Evidence
	require.False(t, e.Add(false, false))
	for range 4 {
		require.False(t, e.Add(true, true))
	}
	for range 9 {
		require.False(t, e.Add(false, true))
	}
	require.True(t, e.Add(false, true))
}
