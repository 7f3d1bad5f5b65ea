package taskgraph_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/dev/hang"
	"github.com/heddle-go/heddle/taskgraph"
	"github.com/heddle-go/heddle/taskgraph/trace"
)

// forkedIn is the Context that the last forkedCall had.
var forkedIn *taskgraph.Context

func forkedCall(c *taskgraph.Context, _ *taskgraph.Args) { forkedIn = c }

// TestTraceOfForks: a forked call that the body does not run itself is recorded, as made by it.
func TestTraceOfForks(t *testing.T) {
	elsewhere := 0
	for seed := range uint64(40) {
		rec := trace.New(trace.Options{Exact: true})
		sys := taskgraph.Start(taskgraph.Options{Workers: 2, Trace: rec,
			Deterministic: &taskgraph.Deterministic{Seed: seed}})
		want := 0
		e := sys.Task(taskgraph.Run(func(c *taskgraph.Context) error {
			j := c.Fork(forkedCall, taskgraph.Args{})
			if err := c.Wait(c.Go(func() {})); err != nil {
				return err
			}
			j.Wait()
			if forkedIn != c {
				want = 1
			}
			return nil
		})).Name("t0").Launch()
		require.NoError(t, sys.WaitUntilTasksComplete(context.Background(), e))
		require.NoError(t, sys.Shutdown(context.Background()))
		s := rec.Snapshot()
		of, got := judge(t, s), 0
		for id, task := range s.Tasks {
			if strings.HasSuffix(task.Name, ".forkedCall") {
				got++
				require.Equal(t, byName(t, s)["t0"], task.Parent)
				require.Equal(t, 1, of[id].begins)
				require.Equal(t, 1, of[id].ends)
			}
		}
		require.Equal(t, want, got, "seed %d", seed)
		elsewhere += want
	}
	require.Positive(t, elsewhere)
}

// TestTraceWithoutLanes: when there are as many lanes as a recorder has, everything goes on, and is
// not recorded.
func TestTraceWithoutLanes(t *testing.T) {
	hang.Watch(t)
	rec := trace.New(trace.Options{Records: 1})
	for rec.Log().Take(uint8(trace.LaneSpare), nil) != nil {
	}
	ctx := context.Background()
	sys := taskgraph.Start(taskgraph.Options{Workers: 2, Trace: rec})
	g := sys.NewGroup()
	g.Go(sys, calledByGroup)
	launch := func(c *taskgraph.Context) error {
		g.Go(c, calledByGroup)
		c.Mark(rec.Label("mark"), 1)
		e := c.Task(taskgraph.Do(func() {})).After(c.Go(func() {})).Launch()
		c.Blocking(func() {})
		if err := c.ParallelFor(100, 1, func(int, int) {}); err != nil {
			return err
		}
		j := c.Fork(func(*taskgraph.Context, *taskgraph.Args) {}, taskgraph.Args{})
		j.Wait()
		return c.Wait(e)
	}
	e := sys.Task(taskgraph.Run(launch)).Launch()
	own := sys.Task(taskgraph.Run(launch)).OnOwnThread().After(e).Launch()
	require.NoError(t, sys.WaitUntilTasksComplete(ctx, e, own))
	require.NoError(t, sys.Run(ctx, taskgraph.Run(launch)))
	var b taskgraph.GraphBuilder
	b.Task(taskgraph.Do(func() {})).After(b.Task(taskgraph.Do(func() {})))
	graph, err := b.Build()
	require.NoError(t, err)
	require.NoError(t, sys.RunGraph(ctx, graph))
	require.NoError(t, g.Wait(ctx))
	require.NoError(t, sys.Shutdown(ctx))
	for _, l := range rec.Snapshot().Lanes {
		require.Empty(t, l.Events)
	}
}
