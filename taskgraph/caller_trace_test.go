package taskgraph_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/taskgraph"
	"github.com/heddle-go/heddle/taskgraph/trace"
)

func ranInPlace() {}

// A recorder sees what a body runs in place with Run as a task of its own, which that body has
// launched, like what Run runs outside of bodies.
func TestRunInPlaceIsRecorded(t *testing.T) {
	rec := trace.New(trace.Options{Exact: true})
	s := start(t, taskgraph.Options{Workers: 1, Trace: rec})
	require.NoError(t, s.Run(bg, taskgraph.Run(func(c *taskgraph.Context) error {
		for range 3 {
			if err := s.Run(c, taskgraph.Do(ranInPlace)); err != nil {
				return err
			}
		}
		return nil
	})))
	require.NoError(t, s.Run(bg, taskgraph.Do(ranInPlace)))
	inside, outside := 0, 0
	for _, task := range rec.Snapshot().Tasks {
		switch {
		case !strings.HasSuffix(task.Name, "ranInPlace"):
		case task.Parent != 0:
			inside++
		default:
			outside++
		}
	}
	require.Equal(t, []int{3, 1}, []int{inside, outside})
}
