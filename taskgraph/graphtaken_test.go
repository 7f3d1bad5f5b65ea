package taskgraph_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/namedthread"
	"github.com/heddle-go/heddle/taskgraph"
)

// A graph whose run a shutdown gave up runs on another system, and what is left of the old run, in
// a thread's queue or held open, does nothing to it.
func TestGraphOfAnAbandonedRunIsFree(t *testing.T) {
	guard(t)
	reg := namedthread.NewRegistry()
	th, err := reg.Start("asleep", namedthread.Options{})
	require.NoError(t, err)
	awake := make(chan struct{})
	require.NoError(t, th.Post(namedthread.QueueMain, namedthread.PriorityHigh,
		namedthread.Func(func() { <-awake }), 0))
	elsewhere := taskgraph.Start(taskgraph.Options{Workers: 1, Threads: reg})
	foreign := elsewhere.NewEvent()
	var plain, bound, open, last atomics.Int32
	var b taskgraph.GraphBuilder
	a := b.Task(taskgraph.Do(func() { plain.Add(1) }))
	on := b.Task(taskgraph.Do(func() { bound.Add(1) })).On(th).After(a).Name("bound")
	held := b.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		if open.Add(1) == 1 {
			c.DontCompleteUntil(foreign)
		}
		return nil
	})).After(a).Name("held")
	b.Task(taskgraph.Do(func() { last.Add(1) })).After(on, held, a)
	g, err := b.Build()
	require.NoError(t, err)

	s := taskgraph.Start(taskgraph.Options{Workers: 2, Threads: reg,
		StuckAfter: 5 * time.Millisecond})
	e := s.LaunchGraph(g)
	err = s.Shutdown(bg)
	require.ErrorContains(t, err,
		"graph 1.1 waits for 3 of its 4 tasks and something of another system")
	require.ErrorIs(t, e.Err(), graphevent.ErrClosed)
	require.Zero(t, last.Load())

	e = elsewhere.LaunchGraph(g)
	close(awake) // runs what the second run posts, and passes over what the first has
	wait(t, elsewhere, e)
	foreign.Trigger()
	wait(t, elsewhere, elsewhere.LaunchGraph(g))
	require.EqualValues(t, []int32{3, 2, 3, 2},
		[]int32{plain.Load(), bound.Load(), open.Load(), last.Load()})
	require.NoError(t, elsewhere.Shutdown(bg))
	th.Quit()
	<-th.Done()
	require.NoError(t, th.Err())
}

// Somebody may be active at the moment of taking back who will find nothing, such as a worker that
// was asleep: the graph is free once nobody is.
func TestGraphIsTakenBackWhenNobodyIsActive(t *testing.T) {
	foreign := graphevent.NewStore(graphevent.Options{}).NewEvent()
	var b taskgraph.GraphBuilder
	b.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		c.DontCompleteUntil(foreign)
		return nil
	}))
	g, err := b.Build()
	require.NoError(t, err)
	s := taskgraph.Start(taskgraph.Options{Workers: 1, StuckAfter: 5 * time.Millisecond})
	e := s.LaunchGraph(g)
	for e.State() != graphevent.StateExecuting {
		runtime.Gosched()
	}
	s.AwaitIdle()
	waited, free := s.GiveUpWhileActive(g, e)
	require.True(t, waited)
	require.True(t, free)
	var stuck *taskgraph.StuckError
	require.ErrorAs(t, s.Shutdown(bg), &stuck)
	require.ErrorIs(t, e.Err(), graphevent.ErrClosed)
}
