package taskgraph_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/taskgraph"
	"github.com/heddle-go/heddle/taskgraph/trace"
)

// A recorder knows each launch of a retained task by its name, however many other names there were
// since the first one, and on whatever system it is launched.
func TestRetainedNamesAreRecorded(t *testing.T) {
	kept := taskgraph.Retain(taskgraph.Do(func() {})).Name("kept")
	for range 2 {
		rec := trace.New(trace.Options{})
		sys := taskgraph.Start(taskgraph.Options{Workers: 1, Trace: rec})
		launch := func() {
			e := kept.Launch(sys)
			require.NoError(t, sys.WaitUntilTasksComplete(context.Background(), e))
		}
		launch()
		for i := range 5000 {
			sys.Task(taskgraph.Do(func() {})).Name(fmt.Sprint("other ", i)).Launch()
			if i%100 == 0 {
				launch()
			}
		}
		launch()
		require.NoError(t, sys.Shutdown(context.Background()))
		names := map[string]int{}
		for _, task := range rec.Snapshot().Tasks {
			names[task.Name]++
		}
		require.Greater(t, names["kept"], 10, "in the last 4,000 tasks")
	}
}
