package main

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	_ "github.com/heddle-go/heddle/internal/dev/short"
	"github.com/heddle-go/heddle/stress/watch"
	"github.com/heddle-go/heddle/taskgraph"
	"github.com/heddle-go/heddle/taskgraph/trace"
	"github.com/heddle-go/heddle/taskgraph/trace/profile"
)

func TestMain(m *testing.M) { watch.Main(m) }

// played plays a form of a scene.
func played(t *testing.T, o taskgraph.Options, run func(context.Context, *stage) error,
	x *stage) (*trace.Snapshot, *profile.Report) {
	t.Helper()
	rec := trace.New(trace.Options{Records: 1 << 18})
	o.Trace, o.Foreground = rec, -1
	x.sys = taskgraph.Start(o)
	require.NoError(t, run(t.Context(), x))
	require.NoError(t, x.sys.Shutdown(context.Background()))
	s := rec.Snapshot()
	return s, profile.Of(s, profile.Options{})
}

// counted plays a form of a scene in steps in place of time: each record of a lane takes one, and a
// unit of work is a mark. So the profile is the same in each run.
func counted(t *testing.T, mended bool, run func(context.Context, *stage) error) *profile.Report {
	t.Helper()
	x := &stage{mended: mended, work: func(c *taskgraph.Context, units int) {
		for range units {
			c.Mark(0, 0)
		}
	}}
	_, r := played(t, taskgraph.Options{Workers: 2,
		Deterministic: &taskgraph.Deterministic{Schedule: []byte{}}}, run, x)
	require.Zero(t, r.Missing.Lost)
	return r
}

// named returns the tasks whose names begin so.
func named(r *profile.Report, prefix string) (tasks []profile.TaskUse) {
	for _, u := range r.Tasks {
		if strings.HasPrefix(u.Name, prefix) {
			tasks = append(tasks, u)
		}
	}
	return tasks
}

// The long task is the critical path, though it is ready at the beginning, and in the slow form it
// begins when all others have.
func TestLongTask(t *testing.T) {
	for _, mended := range []bool{false, true} {
		r := counted(t, mended, longTask)
		require.Equal(t, "bake", r.Path[len(r.Path)-1].Name)
		require.Greater(t, r.Path[len(r.Path)-1].Share, 0.5)
		bakes, others := named(r, "bake"), named(r, "tile")
		require.Len(t, bakes, 1)
		require.Len(t, others, tiles)
		before := 0
		for _, u := range others {
			if u.Began < bakes[0].Began {
				before++
			}
		}
		if mended {
			require.LessOrEqual(t, before, 2, "those that had begun when it was launched")
		} else {
			require.Equal(t, tiles, before)
			require.Greater(t, bakes[0].Began-bakes[0].Ready, 20*tiles*time.Nanosecond)
		}
		require.Contains(t, saysLongTask(r, mended),
			fmt.Sprintf("when %d of the 12 tiles had begun.", before))
	}
}

// In the slow form the path goes from the long load to a parse of something else. In the mended one
// it does not, and is shorter with the same work.
func TestFalseDependency(t *testing.T) {
	crosses := func(r *profile.Report) bool {
		for i, step := range r.Path[1:] {
			before, after := r.Path[i].Name, step.Name
			if strings.HasPrefix(before, "load ") && strings.HasPrefix(after, "parse ") &&
				before[len("load "):] != after[len("parse "):] {
				return true
			}
		}
		return false
	}
	slow, mended := counted(t, false, falseDependency), counted(t, true, falseDependency)
	require.True(t, crosses(slow), "%v", slow.Path)
	require.False(t, crosses(mended), "%v", mended.Path)
	require.Contains(t, saysFalseDependency(slow, false), " does not read what load 0 has loaded,")
	require.Contains(t, saysFalseDependency(mended, true), "no task on it waits for a part that")
	require.Greater(t, slow.Span, mended.Span+10)
	require.InDelta(t, float64(slow.Work), float64(mended.Work), 50)
}

// In the slow form a task takes about as long as it takes to begin one, and there are as many as
// pixels.
func TestFineTasks(t *testing.T) {
	slow, mended := counted(t, false, fineTasks), counted(t, true, fineTasks)
	require.Equal(t, pixels+1, bodies(slow))
	for _, n := range slow.Names {
		if n.Count == pixels {
			require.LessOrEqual(t, n.P50, 2*max(slow.Costs.Switch, 1))
		}
	}
	require.Less(t, bodies(mended), 10, "the task and helpers of its loop")
	require.Contains(t, saysFineTasks(slow, false), "shaded by 8001 bodies, half of which")
	require.Regexp(t, `shaded by \d bodies: a loop has no task`, saysFineTasks(mended, true))
}

func bodies(r *profile.Report) (n int) {
	for _, l := range r.Lanes {
		n += l.Bodies
	}
	return n
}

// In the slow form each step begins on a worker that sleeps when it is launched. In the mended one
// the goroutine that keeps the beat is there to run it.
func TestLateWake(t *testing.T) {
	for _, mended := range []bool{false, true} {
		x := &stage{mended: mended, work: func(*taskgraph.Context, int) {}, beat: 0}
		x.idle = func() { // until all workers sleep
			for x.sys.Stats().Active > 0 {
				time.Sleep(time.Millisecond)
			}
		}
		s, r := played(t, taskgraph.Options{Workers: 2}, lateWake, x)
		require.Len(t, named(r, "step"), beats)
		require.Equal(t, beats, late(r).Count)
		require.Equal(t, mended,
			strings.HasSuffix(saysLateWake(r, mended), "each step and ran it."))
		if mended {
			continue
		}
		require.Equal(t, beats, asleep(s, r), "%+v", r.Tasks)
		require.Positive(t, r.Idle.NotWoken+r.Idle.Waking, "the profile says so")
	}
}

// asleep counts the tasks that began on a lane that slept when they were ready.
func asleep(s *trace.Snapshot, r *profile.Report) (n int) {
	for _, u := range named(r, "step") {
		slept := false
		for _, e := range s.Lanes[u.Lane].Events {
			switch {
			case e.At > u.Began:
			case e.Kind == trace.Park:
				slept = true
			case e.Kind == trace.ParkEnd:
				slept = e.At > u.Ready
			}
		}
		if slept {
			n++
		}
	}
	return n
}

// In the slow form what bodies wait for counts as work, and no draw begins while two fetches
// wait. In the mended one it counts as blocked, and draws are what the fetches wait for.
func TestBlockedBody(t *testing.T) {
	for _, mended := range []bool{false, true} {
		var drawn sync.WaitGroup
		x := &stage{mended: mended, rest: func() {}}
		x.work = func(_ *taskgraph.Context, units int) {}
		if mended {
			drawn.Add(draws)
			x.rest = drawn.Wait
			x.work = func(_ *taskgraph.Context, units int) {
				if units == 40 {
					drawn.Done()
				}
			}
		}
		s, r := played(t, taskgraph.Options{Workers: 2}, blockedBody, x)
		blocked := 0
		for _, l := range s.Lanes {
			for _, e := range l.Events {
				if e.Kind == trace.Blocked {
					blocked++
				}
			}
		}
		if mended {
			require.Equal(t, fetches, blocked)
			require.Positive(t, r.Blocked)
			require.Greater(t, r.Blocked, r.Work)
			require.Contains(t, saysBlockedBody(r, mended), "so other workers stood in")
		} else {
			require.Zero(t, blocked)
			require.Zero(t, r.Blocked)
			require.Contains(t, saysBlockedBody(r, mended), "as work of the fetches")
		}
	}
}
