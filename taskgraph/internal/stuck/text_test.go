package stuck_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/taskgraph/internal/stuck"
)

// report returns what a survey says that has found these nodes.
func report(idle bool, nodes ...stuck.Node) *stuck.Report {
	s := stuck.NewSurvey(graphevent.NewStore(graphevent.Options{}))
	s.Nodes, s.Idle = nodes, idle
	return s.Report()
}

// A line says what a task waits for, or what becomes of it if it waits for nothing.
func TestText(t *testing.T) {
	r := report(false,
		stuck.Node{Name: "queued", State: "ready", Alive: true},
		stuck.Node{Name: "kept", State: "ready", Why: "its thread has quit"},
		stuck.Node{Name: "about to", State: "waiting", Alive: true},
		stuck.Node{Name: "running", State: "executing", Alive: true, Runs: true},
		stuck.Node{Name: "slow", State: "executing", Alive: true, Runs: true, Age: 2 * time.Second},
		stuck.Node{Name: "one", State: "waiting", Out: []int32{1}},
		stuck.Node{Name: "two", State: "waiting", Out: []int32{1, 5}},
		stuck.Node{Name: "either", State: "waiting", Out: []int32{1, 5}, Any: true},
		stuck.Node{Name: "else", State: "waiting", Else: []string{"a slot"}},
		stuck.Node{Name: "else and two", State: "waiting", Else: []string{"a slot", "a lock"},
			Out: []int32{1, 5}},
		stuck.Node{Name: "else held", State: "waiting", Else: []string{"a slot"}, Any: true,
			Out: []int32{5}},
	)
	require.Equal(t, `taskgraph: 11 incomplete, of which 7 are stuck
  else waits for a slot
  kept is ready: its thread has quit
  either waits for one of kept (its thread has quit) and one
  else and two waits for a slot and a lock and kept (its thread has quit) and one
  one waits for kept: its thread has quit
  two waits for kept (its thread has quit) and one
  else held waits for a slot, held by one
  running runs
  slow has been running for 2s
  about to may be about to begin
  queued is queued`, r.String())
}

// A report that a user has made has names without the places of the tasks.
func TestReportOfNames(t *testing.T) {
	r := &stuck.Report{Idle: true, Stuck: 1, Tasks: []stuck.Task{
		{Name: "a", State: "waiting", WaitsFor: []string{"b", "c"}}}}
	require.Equal(t, "taskgraph: idle with 1 incomplete\n  a waits for b and c", r.String())
	require.Contains(t, r.DOT(), "\tn0 -> x0_1;\n\tx0_1 [shape=plaintext, label=\"c\"];\n")
}
