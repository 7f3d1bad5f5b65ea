package taskgraph_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/taskgraph"
)

// A loop as a body is the loop, wherever bodies go.
func TestLoopIsABody(t *testing.T) {
	for _, o := range []taskgraph.Options{{Workers: 1}, {Workers: 4},
		{Workers: 2, Deterministic: &taskgraph.Deterministic{Seed: 7}}} {
		s := start(t, o)
		var sum atomics.Int64
		plain := taskgraph.ParallelFor(100, 3, func(lo, hi int) { sum.Add(int64(hi - lo)) })
		loop := taskgraph.Loop{N: 1, Unbalanced: true,
			Body: func(_ *taskgraph.Participant, lo, hi int) error {
				sum.Add(1000 * int64(hi-lo))
				return nil
			}}
		both := []taskgraph.Body{plain, taskgraph.RunLoop(&loop)}
		for _, b := range both {
			wait(t, s, s.Task(b).Launch())
		}
		require.EqualValues(t, 1100, sum.Load())
		run(t, s, func(c *taskgraph.Context) error {
			for _, b := range both {
				c.Nest(b)
			}
			return c.Wait(c.Spawn(plain))
		})
		require.EqualValues(t, 2300, sum.Load())
		for _, b := range both {
			again := taskgraph.Retain(b)
			wait(t, s, again.Launch(s))
			wait(t, s, again.Launch(s))
		}
		require.EqualValues(t, 4500, sum.Load())
	}
}

// What comes before a loop in a graph says over how much it runs.
func TestLoopOfAGraphIsReadWhenItRuns(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 2})
	var sum atomics.Int64
	loop := taskgraph.Loop{Body: func(_ *taskgraph.Participant, lo, hi int) error {
		sum.Add(int64(hi - lo))
		return nil
	}}
	n := 0
	var b taskgraph.GraphBuilder
	set := b.Task(taskgraph.Do(func() { n += 1000; loop.N = n }))
	b.Task(taskgraph.RunLoop(&loop)).After(set)
	g, err := b.Build()
	require.NoError(t, err)
	for range 3 {
		wait(t, s, s.LaunchGraph(g))
	}
	require.EqualValues(t, 6000, sum.Load())
	body := taskgraph.Run(func(c *taskgraph.Context) error { return c.Wait(c.LaunchGraph(g)) })
	launch := func() { wait(t, s, s.Task(body).Launch()) }
	require.LessOrEqual(t, testing.AllocsPerRun(20, launch), 2.0,
		"what the wait outside takes, and nothing for the graph")
}

func TestLoopIsABodyThatFails(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 2})
	e := s.Task(taskgraph.RunLoop(&taskgraph.Loop{N: 9,
		Body: func(*taskgraph.Participant, int, int) error { return errBoom }})).Launch()
	after := s.Task(taskgraph.ParallelFor(9, 0,
		func(int, int) { t.Error("a loop after a failure") })).After(e).Launch()
	require.ErrorIs(t, s.WaitUntilTasksComplete(bg, e), errBoom)
	require.ErrorIs(t, s.WaitUntilTasksComplete(bg, after), graphevent.ErrSkipped)

	ctx, cancel := context.WithCancel(bg)
	e = s.Task(taskgraph.ParallelFor(1000, 1, func(int, int) { cancel() })).Context(ctx).Launch()
	require.ErrorIs(t, s.WaitUntilTasksComplete(bg, e), graphevent.ErrCanceled)

	var panicked *graphevent.PanicError
	require.ErrorAs(t, s.WaitUntilTasksComplete(bg,
		s.Task(taskgraph.RunLoop(&taskgraph.Loop{N: 1})).Launch()), &panicked)
	require.Equal(t, "taskgraph: a loop without a body", panicked.Value)
}

// A participant runs loops inside the loop, be it the caller from outside, a body or a helper.
func TestLoopInALoopByItsParticipant(t *testing.T) {
	for _, o := range []taskgraph.Options{{Workers: 1}, {Workers: 3},
		{Workers: 2, Deterministic: &taskgraph.Deterministic{Seed: 5}}} {
		s := start(t, o)
		var sum atomics.Int64
		outer := taskgraph.Loop{N: 20, Unbalanced: true,
			Body: func(p *taskgraph.Participant, lo, _ int) error {
				return p.ParallelFor(lo, 1, func(lo, hi int) { sum.Add(int64(hi - lo)) })
			}}
		require.NoError(t, s.RunLoop(outer))
		wait(t, s, s.Task(taskgraph.RunLoop(&outer)).Launch())
		require.EqualValues(t, 2*190, sum.Load())
		outer.Body = func(p *taskgraph.Participant, _, _ int) error {
			return p.ParallelFor(1, 0, func(int, int) { panic(errBoom) })
		}
		require.ErrorIs(t, s.RunLoop(outer), errBoom)
	}
}

func TestLoopIsABodyMisuse(t *testing.T) {
	f := func(int, int) {}
	require.PanicsWithValue(t, "taskgraph: RunLoop of a nil Loop", func() {
		taskgraph.RunLoop(nil)
	})
	require.PanicsWithValue(t, "taskgraph: ParallelFor over a negative number of elements", func() {
		taskgraph.ParallelFor(-1, 0, f)
	})
	require.PanicsWithValue(t, "taskgraph: ParallelFor with a negative grain", func() {
		taskgraph.ParallelFor(1, -1, f)
	})
	require.PanicsWithValue(t, "taskgraph: ParallelFor without a body", func() {
		taskgraph.ParallelFor(1, 0, nil)
	})
}
