package history_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/stress/history"
)

// Calls that get equal times overlap, so a coarse clock makes one heap of them that explains
// anything, and takes for ever to judge.
func TestTheClockTellsCallsApart(t *testing.T) {
	const calls = 100_000
	r := history.NewRecorder(1, calls)
	log := r.Log(0)
	times := map[int64]bool{}
	for range calls {
		log.Begin(0, 0)
		log.End(0, history.OK)
	}
	for _, c := range r.Calls() {
		require.LessOrEqual(t, c.Begin, c.End)
		times[c.Begin] = true
	}
	require.Greater(t, len(times), 1000)
}
