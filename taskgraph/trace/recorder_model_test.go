//go:build modelcheck

package trace_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/stress/modelcheck"
	"github.com/heddle-go/heddle/taskgraph/trace"
)

// TestModelRecorder: marks that several goroutines make at the same time are all recorded: each has
// a lane for its own while it writes.
func TestModelRecorder(t *testing.T) {
	tally := modelcheck.Check(t, modelcheck.Options{Explorers: modelcheck.DepthFirstUpTo(2, 0)},
		func(m *modelcheck.Model) {
			var rec *trace.Recorder
			var l trace.Label
			m.SetUp(func() {
				rec = trace.New(trace.Options{Records: 1 << 10, Exact: true})
				l = rec.Label("mark")
			})
			for range 2 {
				m.Thread(func() { rec.Mark(l, 0) })
			}
			m.After(func() {
				marks := 0
				for _, lane := range rec.Snapshot().Lanes {
					for _, e := range lane.Events {
						if e.Kind == trace.Mark {
							marks++
						}
					}
				}
				m.Assert(marks == 2, "%d marks of 2 are in the snapshot", marks)
			})
		})
	require.Equal(t, 2, tally.Bound)
}
