package taskgraph_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/taskgraph"
)

// The tasks of a graph that a body waits for run on top of that body: its worker changes hands only
// if the last of them run elsewhere.
func TestWaitRunsTheAwaitedGraph(t *testing.T) {
	s := startUnwatched(t, taskgraph.Options{Workers: 1})
	d := newDAG(t, wavefront(20))
	for range 20 {
		run(t, s, func(c *taskgraph.Context) error {
			d.run++
			return c.Wait(c.LaunchGraph(d.g))
		})
		d.check(t)
	}
	require.Zero(t, s.Stats().Parks)
}

// Bodies of a graph that is run by a wait may wait for further graphs.
func TestWaitRunsGraphsInGraphs(t *testing.T) {
	for _, w := range []int{1, 2, 4} {
		s := start(t, taskgraph.Options{Workers: w})
		inner := []*dag{newDAG(t, wavefront(5)), newDAG(t, wavefront(6)), newDAG(t, wavefront(7))}
		var b taskgraph.GraphBuilder
		for _, d := range inner {
			b.Task(taskgraph.Run(func(c *taskgraph.Context) error {
				for range 10 {
					d.run++
					if err := c.Wait(c.LaunchGraph(d.g)); err != nil {
						return err
					}
				}
				return nil
			}))
		}
		outer, err := b.Build()
		require.NoError(t, err)
		for range 10 {
			run(t, s, func(c *taskgraph.Context) error {
				return c.Wait(c.LaunchGraph(outer))
			})
		}
		for _, d := range inner {
			require.EqualValues(t, 100, d.run)
			d.check(t)
		}
	}
}

// What else is queued stays queued: a task of no graph, one of a graph that nobody waits for.
func TestWaitForAGraphRunsNothingElse(t *testing.T) {
	s := startUnwatched(t, taskgraph.Options{Workers: 1})
	var b taskgraph.GraphBuilder
	var unrelated atomics.Bool
	for range 3 {
		b.Task(taskgraph.Do(func() { unrelated.Store(true) }))
	}
	other, err := b.Build()
	require.NoError(t, err)
	d := newDAG(t, wavefront(3))
	run(t, s, func(c *taskgraph.Context) error {
		before := c.Go(func() { unrelated.Store(true) })
		e := c.LaunchGraph(other)
		d.run++
		mine := c.LaunchGraph(d.g)
		after := c.Go(func() { unrelated.Store(true) })
		err := c.Wait(mine)
		assert.False(t, unrelated.Load())
		c.DontCompleteUntil(before, e, after)
		return err
	})
	d.check(t)
	require.True(t, unrelated.Load())
	require.Zero(t, s.Stats().Parks)
}

// A task of the graph that fails on top of the body that waits fails the wait, not the body.
func TestWaitRunsAGraphThatFails(t *testing.T) {
	boom := errors.New("boom")
	for _, w := range []int{1, 3} {
		s := start(t, taskgraph.Options{Workers: w})
		var b taskgraph.GraphBuilder
		ran := make([]atomics.Int32, 20)
		for i := range ran {
			b.Task(taskgraph.Try(func() error {
				ran[i].Add(1)
				switch i % 5 {
				case 1:
					panic(boom)
				case 2:
					return boom
				}
				return nil
			}))
		}
		g, err := b.Build()
		require.NoError(t, err)
		for round := range int32(30) {
			run(t, s, func(c *taskgraph.Context) error {
				err := c.Wait(c.LaunchGraph(g))
				assert.ErrorIs(t, err, boom)
				var p *graphevent.PanicError
				assert.ErrorAs(t, err, &p)
				return nil
			})
			for i := range ran {
				require.Equal(t, round+1, ran[i].Load(), i)
			}
		}
	}
}

// A wait for many events looks for graphs among the last few only, and is none the worse for it.
func TestWaitForManyGraphs(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 2})
	var ds []*dag
	for range 30 {
		ds = append(ds, newDAG(t, wavefront(4)))
	}
	for range 20 {
		run(t, s, func(c *taskgraph.Context) error {
			var events []taskgraph.Event
			for _, d := range ds {
				d.run++
				events = append(events, c.LaunchGraph(d.g), c.Go(func() {}))
			}
			return c.Wait(events...)
		})
	}
	for _, d := range ds {
		d.check(t)
	}
}
