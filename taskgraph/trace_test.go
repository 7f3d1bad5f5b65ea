package taskgraph_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/taskgraph"
	"github.com/heddle-go/heddle/taskgraph/trace"
)

func TestTraceSlice(t *testing.T) {
	rec := trace.New(trace.Options{Exact: true})
	sys := taskgraph.Start(taskgraph.Options{Workers: 2, Trace: rec})
	a := sys.Task(taskgraph.Do(func() {})).Name("a").Launch()
	b := sys.Task(taskgraph.Do(func() {})).Name("b").After(a).Launch()
	require.NoError(t, sys.WaitUntilTasksComplete(context.Background(), b))
	var gb taskgraph.GraphBuilder
	x := gb.Task(taskgraph.Do(func() {}))
	y := gb.Task(taskgraph.Do(func() {})).After(x)
	gb.Task(taskgraph.Do(func() {})).After(x)
	gb.Task(taskgraph.Run(func(c *taskgraph.Context) error { return nil })).After(y)
	g, err := gb.Build()
	require.NoError(t, err)
	require.NoError(t, sys.RunGraph(context.Background(), g))
	require.NoError(t, sys.Shutdown(context.Background()))
	s := rec.Snapshot()
	for _, l := range s.Lanes {
		fmt.Println(l.Name, l.Kind, l.Lost)
		for _, e := range l.Events {
			fmt.Println("  ", e.At, e.Kind, e.Task, e.Other, e.Arg)
		}
	}
	for id, t := range s.Tasks {
		fmt.Println(id, t)
	}
}
