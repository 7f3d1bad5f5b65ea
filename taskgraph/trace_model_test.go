//go:build modelcheck

package taskgraph_test

import (
	"testing"

	"github.com/heddle-go/heddle/stress/modelcheck"
	"github.com/heddle-go/heddle/taskgraph"
	"github.com/heddle-go/heddle/taskgraph/trace"
)

// TestModelTraceOfLaunches: what goroutines from outside launch at the same time is recorded, one
// launch as well as the other: whoever writes to a lane has it to himself.
func TestModelTraceOfLaunches(t *testing.T) {
	within(t, 1, func(m *modelcheck.Model) {
		var rec *trace.Recorder
		var s *taskgraph.System
		var never taskgraph.Event
		m.SetUp(func() {
			rec = trace.New(trace.Options{Exact: true})
			s = taskgraph.Start(taskgraph.Options{Workers: 1, Trace: rec,
				Idle: taskgraph.IdleSleep})
			never = s.NewEvent()
		})
		for range 2 {
			m.Thread(func() { s.Task(taskgraph.Do(func() {})).After(never).Launch() })
		}
		m.After(func() {
			launches := 0
			for _, l := range rec.Snapshot().Lanes {
				for _, e := range l.Events {
					if e.Kind == trace.Launch {
						launches++
					}
				}
			}
			m.Assert(launches == 2, "%d launches of 2 are in the snapshot", launches)
		})
	})
}
