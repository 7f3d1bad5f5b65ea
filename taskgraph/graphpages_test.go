package taskgraph_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/taskgraph"
)

// A run for which there is no room any more is refused, and takes nothing from a smaller one: that
// gets the last page.
func TestGraphsUseTheLastPage(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 1})
	var ran atomics.Int32
	graph := func(pages int) *taskgraph.Graph {
		var b taskgraph.GraphBuilder
		for range (pages-1)*taskgraph.GraphPage + 1 {
			b.Task(taskgraph.Do(func() { ran.Add(1) }))
		}
		g, err := b.Build()
		require.NoError(t, err)
		return g
	}
	two, one := graph(2), graph(1)
	s.LeavePages(1)
	for range 2 {
		err := s.WaitUntilTasksComplete(bg, s.LaunchGraph(two))
		require.ErrorContains(t, err, "more than 2^28 tasks in graphs that run")
	}
	require.Zero(t, ran.Load())
	for range 2 { // the second run has the page of the first
		wait(t, s, s.LaunchGraph(one))
	}
	require.EqualValues(t, 2, ran.Load())
}
