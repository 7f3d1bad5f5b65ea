package taskgraph_test

import (
	"errors"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/taskgraph"
)

// Several from outside, with graphs of their own, while bodies launch others.
func TestWaitsFromOutsideForManyGraphs(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 2})
	var ran atomics.Int64
	build := func() *taskgraph.Graph {
		var b taskgraph.GraphBuilder
		var last taskgraph.GraphTask
		for i := range 20 {
			task := b.Task(taskgraph.Do(func() { ran.Add(1) }))
			if i%3 == 1 {
				task.After(last)
			}
			last = task
		}
		g, err := b.Build()
		require.NoError(t, err)
		return g
	}
	rounds := callerRounds(500)
	done := make(chan error, 8)
	for i := range cap(done) {
		g := build()
		go func() {
			var err error
			for range rounds {
				if i%2 == 0 {
					err = errors.Join(err, s.WaitUntilTasksComplete(bg, s.LaunchGraph(g)))
				} else {
					err = errors.Join(err, s.Run(bg,
						taskgraph.Run(func(c *taskgraph.Context) error {
							return c.Wait(c.LaunchGraph(g))
						})))
				}
			}
			done <- err
		}()
	}
	for range cap(done) {
		require.NoError(t, <-done)
	}
	require.EqualValues(t, 20*rounds*cap(done), ran.Load())
}

// Who waits from outside goes on when its task is over, however much the workers have to do: not
// when the runtime preempts one of them, which is many tasks later.
func TestOutsidersGoOnBetweenTasks(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: runtime.GOMAXPROCS(0)})
	var ran atomics.Int64
	var over atomics.Bool
	endless := taskgraph.Run(func(c *taskgraph.Context) error {
		busy(20 * time.Microsecond)
		ran.Add(1)
		if !over.Load() {
			c.Again()
		}
		return nil
	})
	for range runtime.GOMAXPROCS(0) {
		s.Task(endless).Launch()
	}
	var between []int64
	for range brief(40, 12) {
		var at int64
		wait(t, s, s.Go(func() { at = ran.Load() }))
		between = append(between, ran.Load()-at)
	}
	over.Store(true)
	slices.Sort(between)
	require.Less(t, between[len(between)/4], int64(100),
		"tasks that ran between the end of one and that of the wait for it")
}
