package taskgraph_test

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/namedthread"
	"github.com/heddle-go/heddle/taskgraph"
)

// attached makes the goroutine of the test a named thread until the test ends.
func attached(t testing.TB, name string) (*namedthread.Registry, *namedthread.Thread) {
	t.Helper()
	reg := namedthread.NewRegistry()
	th, err := reg.Attach(name, namedthread.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, th.Detach()) })
	return reg, th
}

// pump runs what is left in the queue of th, and returns how many pieces that was.
func pump(t testing.TB, th *namedthread.Thread) int {
	t.Helper()
	n, err := th.PumpUntilIdle(namedthread.QueueMain)
	require.NoError(t, err)
	return n
}

// builtGraph returns the graph of b.
func builtGraph(t testing.TB, b *taskgraph.GraphBuilder) *taskgraph.Graph {
	t.Helper()
	g, err := b.Build()
	require.NoError(t, err)
	return g
}

// here returns a body that fails anywhere but on th, and else calls f.
func here(th *namedthread.Thread, f func()) taskgraph.Body {
	return taskgraph.Run(func(c *taskgraph.Context) error {
		if c.Thread() != th {
			return errors.New("ran elsewhere")
		}
		f()
		return nil
	})
}

// update, draw, swap: the first frame anybody writes. The main thread launches it and waits, with a
// task of it bound to itself; other work of the thread keeps its place.
func TestAttachedThreadWaitsForItsGraph(t *testing.T) {
	reg, th := attached(t, "Game")
	for _, workers := range []int{1, 2} {
		s := start(t, taskgraph.Options{Workers: workers, Threads: reg})
		var order []string
		note := func(x string) func() { return func() { order = append(order, x) } }
		var b taskgraph.GraphBuilder
		poll := b.Task(here(th, note("poll"))).On(th)
		update := b.Task(taskgraph.Do(note("update"))).After(poll)
		draw := b.Task(here(th, note("draw"))).On(th).After(update)
		b.Task(taskgraph.Do(note("end"))).After(draw)
		g := builtGraph(t, &b)
		for i := range brief(300, 80) {
			order = order[:0]
			other := s.Task(here(th, note("other"))).On(th).Launch()
			if i%2 == 0 {
				wait(t, s, s.LaunchGraph(g))
			} else {
				require.NoError(t, s.RunGraph(bg, g))
			}
			require.Equal(t, []string{"poll", "update", "draw", "end"}, order)
			require.False(t, other.IsComplete())
			require.Equal(t, 1, pump(t, th))
			require.True(t, other.IsComplete())
		}
	}
}

// A body on the thread waits for the run, by its Context and without.
func TestBodyOnThreadWaitsForItsGraph(t *testing.T) {
	reg, ths := threads(t, "Game")
	th := ths[0]
	for _, workers := range []int{1, 2} {
		s := start(t, taskgraph.Options{Workers: workers, Threads: reg})
		ran := 0
		var b taskgraph.GraphBuilder
		first := b.Task(here(th, func() { ran++ })).On(th)
		b.Task(here(th,
			func() { ran++ })).On(th).After(b.Task(taskgraph.Do(func() {})).After(first))
		g := builtGraph(t, &b)
		ways := []func(c *taskgraph.Context) error{
			func(c *taskgraph.Context) error { return c.Wait(c.LaunchGraph(g)) },
			func(c *taskgraph.Context) error {
				return s.WaitUntilTasksComplete(bg, s.LaunchGraph(g))
			},
			func(c *taskgraph.Context) error { return s.RunGraph(c, g) },
			func(c *taskgraph.Context) error { return s.RunGraph(bg, g) },
			func(c *taskgraph.Context) error {
				_, err := c.WaitAny(bg, c.LaunchGraph(g))
				return err
			},
			func(c *taskgraph.Context) error { // behind a body elsewhere that waits for it
				return c.Wait(c.Task(taskgraph.Run(func(c *taskgraph.Context) error {
					return c.Wait(c.LaunchGraph(g))
				})).Launch())
			},
		}
		for _, way := range ways {
			for range callerRounds(100) {
				ran = 0
				wait(t, s, s.Task(taskgraph.Run(way)).On(th).Launch())
				require.Equal(t, 2, ran)
			}
		}
	}
}

// The wait is for a task behind the run, and the run begins and its task becomes ready while the
// thread sleeps in the wait.
func TestThreadThatWaitsIsWokenForItsGraph(t *testing.T) {
	reg, th := attached(t, "Game")
	s := start(t, taskgraph.Options{Workers: 2, Threads: reg})
	for range 300 {
		ran := false
		gate, second := s.NewEvent(), s.NewEvent()
		var b taskgraph.GraphBuilder
		held := b.Task(taskgraph.Run(func(c *taskgraph.Context) error {
			c.DontCompleteUntil(second)
			return nil
		}))
		b.Task(here(th, func() { ran = true })).On(th).After(held)
		after := s.Task(taskgraph.Do(func() {})).After(s.LaunchGraph(builtGraph(t, &b),
			gate)).Launch()
		s.Go(func() {
			gate.Trigger()
			runtime.Gosched()
			second.Trigger()
		})
		wait(t, s, after)
		require.True(t, ran)
		require.Zero(t, pump(t, th))
	}
}

// What is run in a wait comes high before normal, each in the order in which it became ready,
// whatever lies between.
func TestThreadRunsItsGraphInOrder(t *testing.T) {
	reg, th := attached(t, "Game")
	s := start(t, taskgraph.Options{Workers: 1, Threads: reg})
	var order, want []int
	var b taskgraph.GraphBuilder
	first := b.Task(taskgraph.Do(func() {}))
	last := first
	for i := range 40 {
		task := b.Task(here(th, func() { order = append(order, i) })).On(th)
		if i%4 == 3 {
			task.Priority(taskgraph.PriorityHigh)
		}
		gate := b.Task(taskgraph.Run(func(c *taskgraph.Context) error {
			c.Task(taskgraph.Do(func() {})).On(th).Launch()
			return nil
		})).After(last)
		task.After(gate)
		last = gate
	}
	var posted atomics.Bool
	b.Task(taskgraph.Do(func() { posted.Store(true) })).After(last)
	g := builtGraph(t, &b)
	for _, rest := range []int{3, 0} {
		for i := range 40 {
			if (i%4 == 3) == (rest == 3) {
				want = append(want, i)
			}
		}
	}
	for range 20 {
		order = order[:0]
		posted.Store(false)
		e := s.LaunchGraph(g)
		for !posted.Load() {
			runtime.Gosched()
		}
		wait(t, s, e)
		require.Equal(t, want, order)
		require.Equal(t, 40, pump(t, th))
	}
}

// A run inside of a task of a run, each with tasks for the thread, and runs of others that are not
// awaited.
func TestNestedGraphsOnThread(t *testing.T) {
	reg, th := attached(t, "Game")
	s := start(t, taskgraph.Options{Workers: 2, Threads: reg})
	const depth = 5
	ran, others := 0, 0
	var inner *taskgraph.Graph
	for d := range depth {
		var b taskgraph.GraphBuilder
		before := inner
		nest := b.Task(taskgraph.Run(func(c *taskgraph.Context) error {
			if before == nil {
				return nil
			}
			return c.Wait(c.LaunchGraph(before))
		}))
		if d%2 == 1 {
			nest.On(th)
		}
		b.Task(here(th, func() { ran++ })).On(th).After(nest)
		inner = builtGraph(t, &b)
	}
	var b taskgraph.GraphBuilder
	b.Task(here(th, func() { others++ })).On(th)
	other := builtGraph(t, &b)
	for range brief(200, 50) {
		ran, others = 0, 0
		e := s.LaunchGraph(other)
		wait(t, s, s.LaunchGraph(inner))
		require.Equal(t, depth, ran)
		require.Zero(t, others)
		wait(t, s, e)
		require.Equal(t, 1, others)
		require.Zero(t, pump(t, th))
	}
}

// Two threads, each with a body that waits for a graph with a task bound to the other one.
func TestThreadsWaitForGraphsOnEachOther(t *testing.T) {
	for _, workers := range []int{1, 2} {
		reg, ths := threads(t, "Game", "Render")
		s := start(t, taskgraph.Options{Workers: workers, Threads: reg})
		var graphs [2]*taskgraph.Graph
		for i := range graphs {
			var b taskgraph.GraphBuilder
			first := b.Task(taskgraph.Do(func() {}))
			b.Task(here(ths[1-i], func() {})).On(ths[1-i]).After(first)
			graphs[i] = builtGraph(t, &b)
		}
		for range callerRounds(300) {
			var posted sync.WaitGroup
			posted.Add(2)
			var all []taskgraph.Event
			for i := range graphs {
				all = append(all, s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
					posted.Done()
					posted.Wait()
					return c.Wait(c.LaunchGraph(graphs[i]))
				})).On(ths[i]).Launch())
			}
			wait(t, s, all...)
		}
	}
}

// One of another system, which has the same threads.
func TestThreadWaitsForGraphOfAnotherSystem(t *testing.T) {
	reg, ths := threads(t, "Game")
	th := ths[0]
	a := start(t, taskgraph.Options{Workers: 1, Threads: reg})
	s := start(t, taskgraph.Options{Workers: 1, Threads: reg})
	ran := 0
	var b taskgraph.GraphBuilder
	b.Task(here(th, func() { ran++ })).On(th).After(b.Task(taskgraph.Do(func() {})))
	g := builtGraph(t, &b)
	rounds := brief(200, 50)
	for range rounds {
		wait(t, a,
			a.Task(taskgraph.Run(func(c *taskgraph.Context) error {
				return c.Wait(s.LaunchGraph(g))
			})).On(th).Launch())
	}
	require.Equal(t, rounds, ran)
}

// Failures, panics and skips of what the thread runs, and of what comes before; and the graph runs
// well afterwards.
func TestFailingGraphOnThread(t *testing.T) {
	reg, th := attached(t, "Game")
	s := start(t, taskgraph.Options{Workers: 2, Threads: reg})
	failure := errors.New("a failure")
	fails := 0 // which task
	throws := false
	ran := [4]int{}
	body := func(i int) taskgraph.Body {
		return taskgraph.Try(func() error {
			ran[i]++
			switch {
			case fails != i:
			case throws:
				panic(failure)
			default:
				return failure
			}
			return nil
		})
	}
	var b taskgraph.GraphBuilder
	free := b.Task(body(1))
	first := b.Task(body(2)).On(th).After(free)
	b.Task(body(3)).On(th).After(b.Task(taskgraph.Do(func() {})).After(first))
	g := builtGraph(t, &b)
	for i := range 120 {
		fails, throws, ran = i%4, i%8 >= 4, [4]int{}
		err := s.WaitUntilTasksComplete(bg, s.LaunchGraph(g))
		if fails == 0 {
			require.NoError(t, err)
			require.Equal(t, [4]int{0, 1, 1, 1}, ran)
			continue
		}
		require.ErrorIs(t, err, failure)
		for k := 1; k < 4; k++ {
			require.Equal(t, k <= fails, ran[k] == 1)
		}
	}
	require.Zero(t, pump(t, th))
}

// The run's context ends before a task for the thread begins, and a wait's while the thread sleeps
// in it.
func TestCancelledGraphOnThread(t *testing.T) {
	reg, th := attached(t, "Game")
	s := taskgraph.Start(taskgraph.Options{Workers: 2, Threads: reg})
	ctx, cancel := context.WithCancel(bg)
	var b taskgraph.GraphBuilder
	b.Task(here(th, func() { t.Error("begun") })).On(th).After(b.Task(taskgraph.Do(cancel)))
	require.ErrorIs(t, s.RunGraph(ctx, builtGraph(t, &b)), context.Canceled)
	if err := s.Shutdown(bg); err != nil { // the run may have ended after the wait
		require.ErrorIs(t, err, context.Canceled)
	}

	s = start(t, taskgraph.Options{Workers: 2, Threads: reg})
	for range brief(100, 30) {
		ctx, cancel = context.WithCancel(bg)
		ran, never := 0, s.NewEvent()
		b.Reset(nil)
		held := b.Task(taskgraph.Run(func(c *taskgraph.Context) error {
			c.DontCompleteUntil(never)
			s.Go(cancel)
			return nil
		}))
		b.Task(here(th, func() { ran++ })).On(th).After(held)
		e := s.LaunchGraph(builtGraph(t, &b))
		require.ErrorIs(t, s.WaitUntilTasksComplete(ctx, e), context.Canceled)
		never.Trigger()
		wait(t, s, e)
		require.Equal(t, 1, ran)
	}
}

// A Goexit of a task of a graph that a wait on a started thread runs ends the body that waits, and
// the run goes on.
func TestGoexitInGraphOnThread(t *testing.T) {
	reg, ths := threads(t, "Game")
	th := ths[0]
	s := start(t, taskgraph.Options{Workers: 1, Threads: reg})
	var b taskgraph.GraphBuilder
	b.Task(taskgraph.Do(runtime.Goexit)).On(th)
	b.Task(taskgraph.Do(func() {})).On(th)
	g := builtGraph(t, &b)
	for range 20 {
		var e taskgraph.Event
		body := s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
			e = c.LaunchGraph(g)
			return c.Wait(e)
		})).On(th).Launch()
		require.ErrorIs(t, s.WaitUntilTasksComplete(bg, body), graphevent.ErrGoexit)
		require.ErrorIs(t, s.WaitUntilTasksComplete(bg, e), graphevent.ErrGoexit)
	}
}

// A thread that is told to quit while a body of it waits runs what lies there; what becomes ready
// later fails. The wait ends.
func TestThreadQuitsInWaitForItsGraph(t *testing.T) {
	for range brief(50, 12) {
		reg := namedthread.NewRegistry()
		th, err := reg.Start("Loader", namedthread.Options{})
		require.NoError(t, err)
		s := start(t, taskgraph.Options{Workers: 1, Threads: reg})
		var b taskgraph.GraphBuilder
		early := b.Task(here(th, func() {})).On(th)
		b.Task(here(th, func() {})).On(th).After(early, b.Task(taskgraph.Do(th.Quit)))
		g := builtGraph(t, &b)
		e := s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
			return c.Wait(c.LaunchGraph(g))
		})).On(th).Launch()
		<-th.Done()
		require.ErrorIs(t, s.WaitUntilTasksComplete(bg, e), graphevent.ErrClosed)
	}
}

// Tasks of a graph that lie with a thread which leaves without pumping end with it, and so does the
// run. They are refused if they come too late.
func TestThreadQuitsWithAGraphLeft(t *testing.T) {
	lay := 0
	for range brief(50, 15) {
		reg := namedthread.NewRegistry()
		th, err := reg.Attach("Game", namedthread.Options{})
		require.NoError(t, err)
		s := start(t, taskgraph.Options{Workers: 2, Threads: reg})
		var b taskgraph.GraphBuilder
		for range 20 {
			b.Task(here(th, func() {})).On(th)
		}
		var begun atomics.Bool
		b.Task(taskgraph.Do(func() { begun.Store(true) })) // mostly, the others lie there by then
		e := s.LaunchGraph(builtGraph(t, &b))
		for !begun.Load() {
			runtime.Gosched()
		}
		require.NoError(t, th.Detach())
		switch err := s.WaitUntilTasksComplete(bg, e); {
		case errors.Is(err, graphevent.ErrCanceled):
			lay++
		default:
			require.ErrorIs(t, err, graphevent.ErrClosed)
		}
	}
	require.Positive(t, lay)
}

// A shutdown while a body on the thread waits for the run waits for both.
func TestShutdownInWaitForGraphOnThread(t *testing.T) {
	for range brief(50, 12) {
		reg, ths := threads(t, "Game")
		th := ths[0]
		s := taskgraph.Start(taskgraph.Options{Workers: 2, Threads: reg})
		ran := 0
		var b taskgraph.GraphBuilder
		last := b.Task(taskgraph.Do(func() {}))
		for range 20 {
			last = b.Task(taskgraph.Do(func() {})).After(b.Task(here(th,
				func() { ran++ })).On(th).After(last))
		}
		g := builtGraph(t, &b)
		s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
			return c.Wait(c.LaunchGraph(g))
		})).On(th).Launch()
		require.NoError(t, s.Shutdown(bg))
		require.Equal(t, 20, ran)
	}
}

// In deterministic mode, with any seed.
func TestDeterministicGraphOnThread(t *testing.T) {
	for seed := range uint64(brief(100, 25)) {
		reg, ths := threads(t, "Game")
		th := ths[0]
		s := taskgraph.Start(taskgraph.Options{Workers: 2, Threads: reg,
			Deterministic: &taskgraph.Deterministic{Seed: seed}})
		ran := 0
		var b taskgraph.GraphBuilder
		first := b.Task(here(th, func() { ran++ })).On(th)
		b.Task(here(th,
			func() { ran++ })).On(th).After(b.Task(taskgraph.Do(func() {})).After(first))
		g := builtGraph(t, &b)
		for range 3 {
			wait(t, s,
				s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
					return c.Wait(c.LaunchGraph(g))
				})).On(th).Launch())
		}
		require.Equal(t, 6, ran)
		require.NoError(t, s.Shutdown(bg))
	}
}

// A thread that waits for its graphs and never pumps gathers nothing in its lanes, whatever the
// bodies wait for.
func TestThreadThatNeverPumps(t *testing.T) {
	reg, th := attached(t, "Game")
	s := start(t, taskgraph.Options{Workers: 2, Threads: reg})
	var b taskgraph.GraphBuilder
	b.Task(here(th, func() {})).On(th).After(b.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		return c.Wait(c.Task(here(th, func() {})).On(th).Launch())
	})))
	g := builtGraph(t, &b)
	for range brief(500, 100) {
		wait(t, s, s.LaunchGraph(g))
	}
	require.LessOrEqual(t, pump(t, th), 1)
}

// A run with tasks for the thread that waits for it allocates nothing, and to build it anew takes
// no more than another graph does.
func TestGraphOnThreadAllocations(t *testing.T) {
	reg, th := attached(t, "Game")
	s := start(t, taskgraph.Options{Workers: 1, Threads: reg})
	ran := 0
	count := taskgraph.Do(func() { ran++ })
	nothing := taskgraph.Do(func() {})
	var b taskgraph.GraphBuilder
	var g *taskgraph.Graph
	build := func(bind func(taskgraph.GraphTask) taskgraph.GraphTask) {
		b.Reset(g)
		last := bind(b.Task(count))
		for range 5 {
			last = bind(b.Task(count)).After(b.Task(nothing).After(last))
		}
		var err error
		if g, err = b.Build(); err != nil {
			t.Error(err)
		}
	}
	step := func() {
		if err := s.WaitUntilTasksComplete(bg, s.LaunchGraph(g)); err != nil {
			t.Error(err)
		}
	}
	on := func(x taskgraph.GraphTask) taskgraph.GraphTask { return x.On(th) }
	name := func(x taskgraph.GraphTask) taskgraph.GraphTask { return x.Name("x") }
	runs := 1000
	if testing.Short() {
		runs = 200
	}
	build(name)
	named := testing.AllocsPerRun(runs, func() { build(name) })
	build(on)
	require.LessOrEqual(t, testing.AllocsPerRun(runs, func() { build(on) }), named)
	for range runs {
		step()
	}
	require.Less(t, testing.AllocsPerRun(runs, step), 1.0)
	require.Equal(t, 6*(2*runs+1), ran)
}
