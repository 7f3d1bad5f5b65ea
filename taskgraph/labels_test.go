package taskgraph_test

import (
	"bytes"
	"context"
	"errors"
	"runtime"
	"runtime/pprof"
	rtrace "runtime/trace"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/taskgraph"
)

// labelsHere returns the labels of the calling goroutine as stacks show them, or "".
func labelsHere(t *testing.T) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, pprof.Lookup("goroutine").WriteTo(&b, 1))
	for stack := range strings.SplitSeq(b.String(), "\n\n") {
		if strings.Contains(stack, "taskgraph_test.labelsHere") {
			for line := range strings.Lines(stack) {
				if rest, ok := strings.CutPrefix(line, "# labels: "); ok {
					return strings.TrimSpace(rest)
				}
			}
			return ""
		}
	}
	t.Fatal("no stack of labelsHere")
	return ""
}

func namedInLabels() {}

func TestLabels(t *testing.T) {
	s := startUnwatched(t, taskgraph.Options{Workers: 1, Labels: true})
	var in, after, nested, graph, call, fork, other string
	look := func(to *string) taskgraph.Body {
		return taskgraph.Do(func() { *to = labelsHere(t) })
	}
	e := s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		in = labelsHere(t)
		inner := c.Task(look(&nested)).Name("inner").Priority(taskgraph.PriorityHigh).Launch()
		err := c.Wait(inner)
		j := c.Fork(func(*taskgraph.Context, *taskgraph.Args) { fork = labelsHere(t) },
			taskgraph.Args{})
		j.Wait()
		after = labelsHere(t)
		return err
	})).Name("outer").Launch()
	require.NoError(t, s.WaitUntilTasksComplete(t.Context(), e))
	require.Equal(t, `{"graph":"", "priority":"normal", "task":"outer"}`, in)
	require.Equal(t, `{"graph":"", "priority":"high", "task":"inner"}`, nested)
	require.Equal(t, in, after, "a wait leaves the labels of what it ran")
	require.Equal(t, in, fork, "a forked call that its own body runs is part of it")

	var b taskgraph.GraphBuilder
	b.Task(look(&graph)).Name("piece")
	g, err := b.Build()
	require.NoError(t, err)
	require.NoError(t, s.RunGraph(t.Context(), g))
	require.Equal(t, `{"graph":"a graph", "priority":"normal", "task":"piece"}`, graph)

	group := s.NewGroup()
	group.Go(s, func() { call = labelsHere(t) })
	require.NoError(t, group.Wait(t.Context()))
	require.Contains(t, call, "TestLabels")

	plain := s.Go(func() { other = labelsHere(t) })
	require.NoError(t, s.WaitUntilTasksComplete(t.Context(), plain))
	require.Contains(t, other, `"task":"taskgraph_test.TestLabels.`)
	require.Empty(t, labelsHere(t), "the goroutine of the test has labels")
}

// TestLabelsOfHelpers looks at who helps with a loop. A loop may end before anybody does, so it is
// tried again.
func TestLabelsOfHelpers(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 2, Labels: true})
	var helper, caller atomics.Pointer[string]
	body := func(p *taskgraph.Participant, _, _ int) error {
		seen := &caller
		if p.Index() > 0 {
			seen = &helper
		}
		if seen.Load() == nil {
			labels := labelsHere(t)
			seen.Store(&labels)
		}
		return nil
	}
	for helper.Load() == nil {
		require.NoError(t, s.Run(t.Context(), taskgraph.RunLoop(&taskgraph.Loop{
			N: 1 << 14, Grain: 1, Body: body,
		})))
	}
	const name = `"task":"taskgraph_test.TestLabelsOfHelpers.func`
	require.Contains(t, *helper.Load(), name)
	require.Contains(t, *caller.Load(), name)
}

// TestLabelsEnd has bodies that end in other ways than by a return.
func TestLabelsEnd(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 1, Labels: true})
	e := s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		before := labelsHere(t)
		err := c.Wait(c.Task(taskgraph.Do(func() { panic("no") })).Name("leaves").Launch())
		require.Error(t, err)
		require.Equal(t, before, labelsHere(t))
		return nil
	})).Name("stays").Launch()
	require.NoError(t, s.WaitUntilTasksComplete(t.Context(), e))
	e = s.Task(taskgraph.Do(runtime.Goexit)).Name("leaves").Launch()
	require.ErrorIs(t, s.WaitUntilTasksComplete(t.Context(), e), graphevent.ErrGoexit)
	var free string
	require.NoError(t, s.Run(t.Context(), taskgraph.Do(func() { free = labelsHere(t) })))
	require.NotContains(t, free, "leaves")
	require.Empty(t, labelsHere(t))
}

// TestRegions reads what Go's execution tracer has written, without parsing it: the names are in
// it.
func TestRegions(t *testing.T) {
	if rtrace.IsEnabled() {
		t.Skip("the tests are being traced")
	}
	s := start(t, taskgraph.Options{Workers: 2, Labels: true})
	var b taskgraph.GraphBuilder
	b.Task(taskgraph.Do(namedInLabels)).Name("a region of the graph")
	b.Task(taskgraph.Do(namedInLabels))
	g, err := b.Build()
	require.NoError(t, err)
	var trace bytes.Buffer
	require.NoError(t, rtrace.Start(&trace))
	run := s.Name(s.LaunchGraph(g), "the run")
	err = errors.Join(s.WaitUntilTasksComplete(t.Context(), run), s.RunGraph(t.Context(), g))
	rtrace.Stop()
	require.NoError(t, err)
	for _, name := range []string{"a region of the graph", "taskgraph_test.namedInLabels"} {
		require.Contains(t, trace.String(), name)
	}
	require.Contains(t, trace.String(), "a graph")
}

// TestMostLabels gives every task a name of its own.
func TestMostLabels(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 1, Labels: true})
	var ran atomics.Int32
	for i := range 5000 {
		s.Task(taskgraph.Do(func() { ran.Add(1) })).Name(strings.Repeat("x", i%100) +
			string(rune('a'+i%26))).Launch()
	}
	require.NoError(t, s.Shutdown(context.Background()))
	require.EqualValues(t, 5000, ran.Load())
}

func BenchmarkLabels(b *testing.B) {
	for name, on := range map[string]bool{"off": false, "on": true} {
		b.Run(name, func(b *testing.B) {
			s := start(b, taskgraph.Options{Workers: 1, Labels: on})
			b.ReportAllocs()
			e := s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
				for b.Loop() {
					if err := c.Wait(c.Go(namedInLabels)); err != nil {
						return err
					}
				}
				return nil
			})).Launch()
			require.NoError(b, s.WaitUntilTasksComplete(b.Context(), e))
		})
	}
}
