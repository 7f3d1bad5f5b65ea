package taskgraph_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/taskgraph"
)

// A run that a shutdown gives up on in deterministic mode ends, whatever of it is queued then.
func TestDeterministicAbandonedGraphEnds(t *testing.T) {
	for seed := range uint64(brief(500, 100)) {
		var b taskgraph.GraphBuilder
		first := b.Task(taskgraph.Do(func() {}))
		second := b.Task(taskgraph.Do(func() {})).After(first)
		b.Task(taskgraph.Do(func() {})).After(first, second)
		g, err := b.Build()
		require.NoError(t, err)
		s := taskgraph.Start(taskgraph.Options{Workers: 2,
			Deterministic: &taskgraph.Deterministic{Seed: seed}})
		e := s.LaunchGraph(g)
		ctx, cancel := context.WithCancel(bg)
		cancel()
		_ = s.Shutdown(ctx)
		require.True(t, e.IsComplete(), "seed %d", seed)
	}
}

// What the end of a task makes ready after the workers have ended is skipped, and the run ends.
func TestGraphGoesOnAfterTheWorkersEnded(t *testing.T) {
	guard(t)
	for _, prio := range allPriorities {
		reg, ths := threads(t, "x")
		s := taskgraph.Start(taskgraph.Options{Workers: 2, Threads: reg})
		gate, in := make(chan struct{}), make(chan struct{})
		var b taskgraph.GraphBuilder
		first := b.Task(taskgraph.Do(func() { close(in); <-gate })).On(ths[0])
		second := b.Task(taskgraph.Do(func() { t.Error("ran") })).After(first)
		b.Task(taskgraph.Do(func() { t.Error("ran") })).After(first, second).Priority(prio)
		g, err := b.Build()
		require.NoError(t, err)
		e := s.LaunchGraph(g)
		<-in
		giveUp(t, s)
		close(gate)
		require.ErrorIs(t, e.Wait(bg), graphevent.ErrClosed)
	}
}

// A task of Every succeeds at a shutdown that gives up as at any other, wherever it is then.
func TestEverySucceedsWhenGivenUp(t *testing.T) {
	guard(t)
	for _, waits := range []bool{false, true} {
		s := taskgraph.Start(taskgraph.Options{Workers: 1})
		gate, in := make(chan struct{}), make(chan struct{})
		never := s.NewEvent()
		busy := s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
			close(in)
			if waits {
				return c.Wait(never)
			}
			<-gate
			return nil
		})).Launch()
		<-in
		e := s.Every(bg, time.Hour, taskgraph.Do(func() { t.Error("ran") }))
		giveUp(t, s)
		close(gate)
		_ = busy.Wait(bg)
		require.NoError(t, e.Wait(bg))
	}
	for seed := range uint64(brief(200, 40)) {
		s := seeded(seed)
		e := s.Every(bg, time.Hour, taskgraph.Do(func() { t.Error("ran") }))
		ctx, cancel := context.WithCancel(bg)
		cancel()
		_ = s.Shutdown(ctx)
		require.True(t, e.IsComplete(), "seed %d", seed)
		require.NoError(t, e.Err(), "seed %d", seed)
	}
}
