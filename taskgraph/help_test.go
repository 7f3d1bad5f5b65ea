package taskgraph

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
)

// A wait takes part in the run of a graph from the launch on, also while the task that begins the
// run is in somebody else's hands.
func TestWaitsTakePartInRunsToCome(t *testing.T) {
	s := Start(Options{Workers: 1})
	defer func() { require.NoError(t, s.Shutdown(context.Background())) }()
	var b GraphBuilder
	b.Task(Do(func() {}))
	g, err := b.Build()
	require.NoError(t, err)
	var last Event
	for range 3 {
		before := s.NewEvent()
		run := s.LaunchGraph(g, before)
		require.True(t, s.awaitsRun([]Event{before, run}))
		require.False(t, s.awaitsRun([]Event{before, last}),
			"a run that is over, or an event that is none")
		before.Trigger()
		require.NoError(t, s.WaitUntilTasksComplete(context.Background(), run))
		last = run
	}
}
