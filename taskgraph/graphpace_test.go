package taskgraph_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/taskgraph"
)

// fan returns a graph of one task, then the given ones.
func fan(t *testing.T, bodies ...func()) *taskgraph.Graph {
	var b taskgraph.GraphBuilder
	first := b.Task(taskgraph.Do(func() {}))
	for _, f := range bodies {
		b.Task(taskgraph.Do(f)).After(first)
	}
	g, err := b.Build()
	require.NoError(t, err)
	return g
}

// The tasks of a run that goes alone are out of reach of thieves, but not when one of them blocks
// until another has run.
func TestGraphAloneBlocks(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 2})
	for _, inside := range []bool{false, true} {
		var meet [2]chan struct{}
		g := fan(t,
			func() { meet[0] <- struct{}{}; <-meet[1] },
			func() { <-meet[0]; meet[1] <- struct{}{} })
		for range brief(20, 5) {
			meet = [2]chan struct{}{make(chan struct{}), make(chan struct{})}
			taskgraph.SetAlone(g)
			if inside {
				run(t, s, func(c *taskgraph.Context) error { return s.RunGraph(c, g) })
			} else {
				require.NoError(t, s.RunGraph(bg, g))
			}
		}
	}
}

// Runs of a graph are as complete alone as shared, and in trials.
func TestGraphTrials(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 2})
	if !taskgraph.Spins(s) {
		t.Skip("nobody steals here while another one works")
	}
	const tasks, trials = 30, 10
	runs := uint32(brief(3000, 600))
	var ran [tasks]atomics.Uint32
	var bodies []func()
	for i := range tasks {
		bodies = append(bodies, func() { ran[i].Add(1) })
	}
	var g *taskgraph.Graph
	inTrial := 0
	bodies = append(bodies, func() {
		if taskgraph.InTrial(g) {
			inTrial++
		}
	})
	g = fan(t, bodies...)
	for n := range runs {
		if n%(runs/trials) == runs/trials/2 {
			taskgraph.BeginTrial(g)
		}
		require.NoError(t, s.RunGraph(bg, g))
		for i := range ran {
			require.Equal(t, n+1, ran[i].Load())
		}
	}
	require.GreaterOrEqual(t, inTrial, trials, "one that takes long is over after a run")
}
