package taskgraph_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/namedthread"
	"github.com/heddle-go/heddle/taskgraph"
	"github.com/heddle-go/heddle/taskgraph/trace"
)

// A body on a named thread has not begun before it was launched, whatever that thread did before.
func TestBodiesOfThreadsBeginWhenTheyDo(t *testing.T) {
	reg := namedthread.NewRegistry()
	th, err := reg.Start("render", namedthread.Options{})
	require.NoError(t, err)
	rec := trace.New(trace.Options{})
	sys := taskgraph.Start(taskgraph.Options{Workers: 1, Threads: reg, Trace: rec})
	label := rec.Label("launched")
	for i := range 10 {
		rec.Mark(label, uint64(i))
		e := sys.Task(taskgraph.Do(func() {})).On(th).Launch()
		require.NoError(t, sys.WaitUntilTasksComplete(context.Background(), e))
	}
	require.NoError(t, sys.Shutdown(context.Background()))
	th.Quit()
	<-th.Done()

	var marks, begins []trace.Event
	s := rec.Snapshot()
	for _, l := range s.Lanes {
		for _, e := range l.Events {
			switch {
			case e.Kind == trace.Mark:
				marks = append(marks, e)
			case e.Kind == trace.Begin && l.Kind == trace.LaneThread:
				begins = append(begins, e)
			}
		}
	}
	require.Len(t, marks, 10)
	require.Len(t, begins, 10)
	for i := range begins {
		require.LessOrEqual(t, marks[i].At, begins[i].At, "task %d", i)
	}
}
