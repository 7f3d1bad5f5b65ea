package taskgraph_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/namedthread"
	"github.com/heddle-go/heddle/taskgraph"
)

// What no program means is refused where it is written, not where it would be run.
func TestRefusals(t *testing.T) {
	var one, other taskgraph.GraphBuilder
	a, b := one.Task(taskgraph.Do(func() {})), other.Task(taskgraph.Do(func() {}))
	for says, f := range map[string]func(){
		"taskgraph: After of a task of another graph": func() { a.After(b) },
		"taskgraph: Priority out of range":            func() { a.Priority(200) },
		"taskgraph: On a nil thread":                  func() { a.On(nil) },
		"taskgraph: a GraphTask that no GraphBuilder made": func() {
			taskgraph.GraphTask{}.After(a)
		},
		"taskgraph: Options.MaxFailures is negative": func() {
			taskgraph.Start(taskgraph.Options{MaxFailures: -1})
		},
		"taskgraph: Options.StuckAfter is negative": func() {
			taskgraph.Start(taskgraph.Options{StuckAfter: -1})
		},
		"taskgraph: Options.SlowAfter is negative": func() {
			taskgraph.Start(taskgraph.Options{SlowAfter: -1})
		},
		"taskgraph: Options.Idle is none of its constants": func() {
			taskgraph.Start(taskgraph.Options{Idle: 100})
		},
		"taskgraph: task with a zero Body": func() { other.Task(taskgraph.Body{}) },
	} {
		require.PanicsWithValue(t, says, f)
	}
	s := start(t, taskgraph.Options{})
	run(t, s, func(c *taskgraph.Context) error {
		nothing := func(*taskgraph.Context, *taskgraph.Args) {}
		assert.PanicsWithValue(t, "taskgraph: Fork of a nil function", func() {
			c.Fork(nil, taskgraph.Args{})
		})
		assert.PanicsWithValue(t, "taskgraph: Fork of a nil function", func() {
			taskgraph.ForkOf[int](c, nil, 1)
		})
		assert.PanicsWithValue(t, "taskgraph: DontCompleteUntil of a task on itself", func() {
			c.DontCompleteUntil(c.Event())
		})
		first := c.Fork(nothing, taskgraph.Args{})
		inner, outer := c.Fork(nothing, taskgraph.Args{}), c.Fork(nothing, taskgraph.Args{})
		outer.Wait()
		inner.Wait()
		first.Wait()
		return nil
	})
	g, err := graphOf(func(b *taskgraph.GraphBuilder) {
		b.Task(taskgraph.Run(func(c *taskgraph.Context) error {
			assert.PanicsWithValue(t, "taskgraph: Again in a task of a graph", func() { c.Again() })
			return nil
		}))
	})
	require.NoError(t, err)
	require.NoError(t, s.RunGraph(bg, g))
}

// graphOf builds a graph.
func graphOf(fill func(b *taskgraph.GraphBuilder)) (*taskgraph.Graph, error) {
	var b taskgraph.GraphBuilder
	fill(&b)
	return b.Build()
}

// Calls that a round forked and did not wait for have ended before the next round begins.
func TestAgainAfterForksThatNobodyWaitedFor(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 2})
	var ran atomics.Int32
	rounds := int32(0)
	run(t, s, func(c *taskgraph.Context) error {
		assert.Equal(t, 3*rounds, ran.Load())
		for range 3 {
			c.Fork(func(*taskgraph.Context, *taskgraph.Args) { ran.Add(1) }, taskgraph.Args{})
		}
		if rounds++; rounds < 5 {
			c.Again()
		}
		return nil
	})
	require.EqualValues(t, 15, ran.Load())
}

// Tasks of a graph, on workers and bound to a thread, end their forked calls, and stay open for
// what DontCompleteUntil was given: what comes after them begins later than both.
func TestGraphTasksWithForksAndHolds(t *testing.T) {
	reg := new(namedthread.Registry)
	th, err := reg.Start("bound", namedthread.Options{})
	require.NoError(t, err)
	s := start(t, taskgraph.Options{Workers: 2, Threads: reg})
	defer th.Quit()
	for name, on := range map[string]*namedthread.Thread{"worker": nil, "thread": th} {
		var forked, held atomics.Int32
		g, err := graphOf(func(b *taskgraph.GraphBuilder) {
			body := taskgraph.Run(func(c *taskgraph.Context) error {
				c.Fork(func(*taskgraph.Context, *taskgraph.Args) { forked.Add(1) },
					taskgraph.Args{})
				c.DontCompleteUntil(c.Go(func() { held.Add(1) }))
				return nil
			})
			first := b.Task(body)
			if on != nil {
				first.On(on)
			}
			b.Task(taskgraph.Do(func() {
				assert.EqualValues(t, 1, forked.Swap(0), name)
				assert.EqualValues(t, 1, held.Swap(0), name)
			})).After(first)
		})
		require.NoError(t, err)
		for range 20 {
			require.NoError(t, s.RunGraph(bg, g))
		}
	}
}

// A body of one system that calls another is a stranger there, and its calls come to their end.
func TestBodiesCallOtherSystems(t *testing.T) {
	one, other := start(t, taskgraph.Options{Workers: 2}), start(t, taskgraph.Options{Workers: 2})
	run(t, one, func(c *taskgraph.Context) error {
		var called atomics.Int32
		assert.NoError(t, other.Broadcast(c, func(int, *namedthread.Thread) { called.Add(1) }))
		assert.EqualValues(t, 2, called.Load())
		return other.SleepUntil(c, time.Now().Add(time.Millisecond))
	})
	ended, cancel := context.WithCancel(bg)
	cancel()
	require.ErrorIs(t, one.Broadcast(ended, func(int, *namedthread.Thread) {
		t.Error("it was over before it began")
	}), context.Canceled)
}

// Errors that name things name a few.
func TestErrorsThatNameThings(t *testing.T) {
	cause := errors.New("enough")
	var who []string
	for i := range 11 {
		who = append(who, fmt.Sprint("w", i))
	}
	err := &taskgraph.BroadcastError{Missing: who, Running: who[:1], Cause: cause}
	require.Regexp(t, `^taskgraph: broadcast without w0, w1, .*w7 and 3 more still running on w0: enough$`,
		err.Error())
	require.ErrorIs(t, err, cause)
	require.Equal(t, "taskgraph: cycle: a waits for itself",
		(&taskgraph.CycleError{Path: []string{"a"}}).Error())
}

// A task without a name goes by what its body calls.
func TestReportsNameBodies(t *testing.T) {
	s := start(t, taskgraph.Options{})
	held := s.NewEvent()
	var events []taskgraph.Event
	site := func(lo, hi int) {}
	for _, b := range []taskgraph.Body{
		taskgraph.Do(aBodyByItself), taskgraph.ParallelFor(3, 1, site),
		taskgraph.RunLoop(&taskgraph.Loop{N: 2, Body: aLoopByItself}),
		taskgraph.RunJob(aNamedJob{}),
	} {
		events = append(events, s.Task(b).After(held).Launch())
	}
	text := s.Stuck().String()
	for _, name := range []string{"aBodyByItself", "aLoopByItself", "TestReportsNameBodies.func",
		"aNamedJob"} {
		require.Contains(t, text, name)
	}
	held.Trigger()
	wait(t, s, events...)
}

func aBodyByItself() {}

func aLoopByItself(*taskgraph.Participant, int, int) error { return nil }

type aNamedJob struct{}

func (aNamedJob) Run(*taskgraph.Context) error { return nil }
