package taskgraph_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/taskgraph"
)

// TestGraphsAreFreeWhenTheyAreTakenBack: whoever finds that a graph does not run any more finds
// that it is of no system; the race detector sees if that is not so for a moment.
func TestGraphsAreFreeWhenTheyAreTakenBack(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 1})
	var b taskgraph.GraphBuilder
	b.Task(taskgraph.Do(func() {}))
	g := builtGraph(t, &b)
	for range 20 {
		require.True(t, s.TakeBack(g))
	}
}
