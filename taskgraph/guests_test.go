package taskgraph_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/dev/hang"
	"github.com/heddle-go/heddle/taskgraph"
	"github.com/heddle-go/heddle/taskgraph/trace"
)

// TestGuestsLeave: a wait on a named thread for something of another system is known there until it
// is over, and no longer.
func TestGuestsLeave(t *testing.T) {
	hang.Watch(t)
	reg, ths := threads(t, "Game")
	one := start(t, taskgraph.Options{Workers: 1, Threads: reg})
	two := start(t, taskgraph.Options{Workers: 1, Threads: reg})
	for range 3 {
		e := two.NewEvent()
		waits := one.Task(taskgraph.Run(func(c *taskgraph.Context) error {
			return c.Wait(e)
		})).On(ths[0]).Launch()
		hang.Await(func() bool { return two.GuestWaits() == 1 })
		e.Trigger()
		wait(t, one, waits)
		require.Zero(t, two.GuestWaits())
		require.Zero(t, one.GuestWaits())
	}
}

// TestBoundInlineOnAThread: a named thread runs there and then what it launches beyond the bound.
func TestBoundInlineOnAThread(t *testing.T) {
	reg, th := attached(t, "Game")
	s := start(t, taskgraph.Options{Workers: 1, Threads: reg, MaxTasks: 1,
		WhenFull: taskgraph.FullInline})
	gate := s.NewEvent()
	waits := s.Task(taskgraph.Do(func() {})).After(gate).Launch()
	ran := 0
	e := s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		require.Equal(t, th, c.Thread())
		ran++
		return nil
	})).Launch()
	require.True(t, e.IsComplete())
	require.NoError(t, e.Err())
	require.Equal(t, 1, ran)
	gate.Trigger()
	wait(t, s, waits)
}

// TestTraceOfWaits: a wait of a body is on record, and for what.
func TestTraceOfWaits(t *testing.T) {
	rec := trace.New(trace.Options{})
	s := startUnwatched(t, taskgraph.Options{Workers: 1, Trace: rec})
	e := s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		return c.Wait(c.Task(taskgraph.Do(func() {})).Name("t2").Launch())
	})).Name("t1").Launch()
	wait(t, s, e)
	snapshot := rec.Snapshot()
	judge(t, snapshot)
	names := byName(t, snapshot)
	var kinds []trace.Kind
	for _, l := range snapshot.Lanes {
		for _, x := range l.Events {
			if x.Task != names["t1"] {
				continue
			}
			switch x.Kind {
			case trace.Wait:
				require.Equal(t, names["t2"], x.Other)
				kinds = append(kinds, x.Kind)
			case trace.Begin, trace.WaitEnd, trace.End:
				kinds = append(kinds, x.Kind)
			}
		}
	}
	require.Equal(t, []trace.Kind{trace.Begin, trace.Wait, trace.WaitEnd, trace.End}, kinds)
}

// TestThreadsSeeWhatARunAwaits: a named thread that waits for a body runs what a task needs that
// the body runs in its place.
func TestThreadsSeeWhatARunAwaits(t *testing.T) {
	hang.Watch(t)
	reg, ths := threads(t, "Game")
	s := start(t, taskgraph.Options{Workers: 1, Threads: reg})
	gate := s.NewEvent()
	outer := s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		return s.Run(c, taskgraph.Run(func(c *taskgraph.Context) error {
			return c.Wait(c.Task(taskgraph.Do(func() {})).On(ths[0]).After(gate).Launch())
		}))
	})).Launch()
	onThread(t, s, ths[0], func(c *taskgraph.Context) error {
		gate.Trigger()
		return c.Wait(outer)
	})
}
