package taskgraph_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/taskgraph"
)

// A dag is a random graph whose bodies check that all predecessors have run, once each.
type dag struct {
	preds [][]int
	ran   []atomics.Int32
	g     *taskgraph.Graph
	run   int32
	late  atomics.Int32
}

func newDAG(t require.TestingT, preds [][]int) *dag {
	d := &dag{preds: preds, ran: make([]atomics.Int32, len(preds))}
	var b taskgraph.GraphBuilder
	tasks := make([]taskgraph.GraphTask, len(preds))
	for i := range preds {
		tasks[i] = b.Task(taskgraph.Do(func() { d.body(i) }))
	}
	for i := range preds {
		for _, p := range preds[i] {
			tasks[i].After(tasks[p])
		}
	}
	var err error
	d.g, err = b.Build()
	require.NoError(t, err)
	return d
}

func (d *dag) body(i int) {
	for _, p := range d.preds[i] {
		if d.ran[p].Load() != d.run {
			d.late.Add(1)
		}
	}
	if d.ran[i].Add(1) != d.run {
		d.late.Add(1)
	}
}

func (d *dag) check(t require.TestingT) {
	require.Zero(t, d.late.Load())
	for i := range d.ran {
		require.Equal(t, d.run, d.ran[i].Load(), i)
	}
}

func TestGraphRunsEachTaskAfterItsPredecessors(t *testing.T) {
	crews := []int{1, 2, 4, 16, 64}
	if testing.Short() {
		crews = []int{1, 2, 16}
	}
	for _, w := range crews {
		s := start(t, taskgraph.Options{Workers: w})
		rapid.Check(t, func(rt *rapid.T) {
			n := rapid.IntRange(0, 300).Draw(rt, "n")
			preds := make([][]int, n)
			for i := 1; i < n; i++ {
				preds[i] = rapid.SliceOfN(rapid.IntRange(max(0, i-20), i-1), 0, 4).Draw(rt, "preds")
			}
			d := newDAG(rt, preds)
			for range 3 {
				d.run++
				require.NoError(rt, s.WaitUntilTasksComplete(bg, s.LaunchGraph(d.g)))
				d.check(rt)
			}
		})
	}
}

func wavefront(n int) [][]int {
	preds := make([][]int, n*n)
	for y := range n {
		for x := range n {
			if x > 0 {
				preds[y*n+x] = append(preds[y*n+x], y*n+x-1)
			}
			if y > 0 {
				preds[y*n+x] = append(preds[y*n+x], (y-1)*n+x)
			}
		}
	}
	return preds
}

func TestGraphsRunBesideEachOtherAndBesideTasks(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 4})
	var ds []*dag
	for i := range 5 {
		ds = append(ds, newDAG(t, wavefront(10+10*i)))
	}
	for round := range brief(30, 10) {
		var events []taskgraph.Event
		for i, d := range ds {
			d.run++
			var after taskgraph.Event
			if i > 0 && round%2 == 1 {
				after = events[i-1]
			}
			events = append(events, s.LaunchGraph(d.g, after), s.Go(func() {}))
		}
		wait(t, s, events...)
		for _, d := range ds {
			d.check(t)
		}
	}
}

func TestGraphRunAllocatesNothing(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 2})
	d := newDAG(t, wavefront(32))
	run := func() {
		d.run++
		wait(t, s, s.LaunchGraph(d.g))
	}
	run()
	require.LessOrEqual(t, testing.AllocsPerRun(100, run), 2.0,
		"what the wait takes, and nothing for 1,024 tasks")
}

func TestGraphCycleIsNamed(t *testing.T) {
	var b taskgraph.GraphBuilder
	nop := taskgraph.Do(func() {})
	a := b.Task(nop).Name("a")
	x, y, z := b.Task(nop).Name("x").After(a), b.Task(nop).Name("y"), b.Task(nop)
	y.After(x)
	z.After(y)
	x.After(z)
	b.Task(nop).Name("behind").After(z)
	_, err := b.Build()
	var cycle *taskgraph.CycleError
	require.ErrorAs(t, err, &cycle)
	require.Len(t, cycle.Path, 3)
	require.Contains(t, err.Error(), `task "y", which waits for task "x"`)
	require.Panics(t, func() { b.Task(nop) })
}

func TestGraphFailureSkipsDependentsAndTheGraphRunsAgain(t *testing.T) {
	boom := errors.New("boom")
	for _, how := range []string{"error", "panic", "goexit"} {
		for _, w := range []int{1, 3} {
			s := start(t, taskgraph.Options{Workers: w})
			var fails atomics.Bool
			var ran [5]atomics.Int32
			var b taskgraph.GraphBuilder
			count := func(i int) taskgraph.Body { return taskgraph.Do(func() { ran[i].Add(1) }) }
			root := b.Task(count(0))
			bad := b.Task(taskgraph.Try(func() error {
				ran[1].Add(1)
				if fails.Load() {
					switch how {
					case "panic":
						panic(boom)
					case "goexit":
						runtime.Goexit()
					}
					return boom
				}
				return nil
			})).Name("bad").After(root)
			b.Task(count(2)).After(root)
			after := b.Task(count(3)).After(bad)
			b.Task(count(4)).After(after, root)
			g, err := b.Build()
			require.NoError(t, err)
			for round := range int32(20) {
				fails.Store(round%2 == 1)
				err := s.WaitUntilTasksComplete(bg, s.LaunchGraph(g))
				if !fails.Load() {
					require.NoError(t, err)
				} else {
					require.ErrorContains(t, err, `task "bad"`)
					if how == "goexit" {
						require.ErrorIs(t, err, graphevent.ErrGoexit)
					} else {
						require.ErrorIs(t, err, boom)
					}
				}
				for _, i := range []int{0, 1, 2} {
					require.Equal(t, round+1, ran[i].Load())
				}
				for _, i := range []int{3, 4} {
					require.Equal(t, round/2+1, ran[i].Load())
				}
			}
		}
	}
}

// In a body of a graph, everything works that works in a task.
func TestGraphBodiesUseTheirContext(t *testing.T) {
	for _, w := range []int{1, 2, 4} {
		s := start(t, taskgraph.Options{Workers: w})
		var b taskgraph.GraphBuilder
		var held, order atomics.Int32
		var waits []taskgraph.GraphTask
		for range 8 {
			waits = append(waits, b.Task(taskgraph.Run(func(c *taskgraph.Context) error {
				e := c.Go(func() { order.Add(1) })
				if err := c.WaitUntilTasksComplete(bg, e); err != nil {
					return err
				}
				j := c.Fork(forkFib, taskgraph.Args{A: 10})
				if got := j.Wait().A; got != 55 {
					return fmt.Errorf("fib is %d", got)
				}
				c.DontCompleteUntil(c.Go(func() { runtime.Gosched(); held.Add(1) }))
				return nil
			})))
		}
		b.Task(taskgraph.Try(func() error {
			if held.Load() != 8 || order.Load() != 8 {
				return fmt.Errorf("ran after %d and %d of 8", held.Load(), order.Load())
			}
			return nil
		})).After(waits...)
		g, err := b.Build()
		require.NoError(t, err)
		for range 50 {
			held.Store(0)
			order.Store(0)
			require.NoError(t, s.WaitUntilTasksComplete(bg, s.LaunchGraph(g)))
		}
	}
}

// A body that fails does not cut short what it has told its completion to wait for.
func TestGraphTaskThatFailsIsHeldOpenAllTheSame(t *testing.T) {
	boom := errors.New("boom")
	for _, w := range []int{1, 2} {
		s := start(t, taskgraph.Options{Workers: w})
		for _, how := range []func() error{func() error { return boom },
			func() error { panic(boom) }} {
			gate := s.NewEvent()
			var b taskgraph.GraphBuilder
			b.Task(taskgraph.Run(func(c *taskgraph.Context) error {
				c.DontCompleteUntil(gate)
				return how()
			}))
			g, err := b.Build()
			require.NoError(t, err)
			e := s.LaunchGraph(g)
			wait(t, s, s.Go(func() {}))
			for e.State() != graphevent.StateExecuting {
				runtime.Gosched()
			}
			wait(t, s, s.Go(func() {}), s.Go(func() {}))
			require.False(t, e.IsComplete())
			gate.Trigger()
			require.ErrorIs(t, s.WaitUntilTasksComplete(bg, e), boom)
		}
	}
}

func TestGraphLaunchedByABodyThatWaits(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 1})
	d := newDAG(t, wavefront(12))
	for range 50 {
		d.run++
		e := s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
			return c.WaitUntilTasksComplete(bg, c.LaunchGraph(d.g))
		})).Launch()
		wait(t, s, e)
		d.check(t)
	}
}

func TestGraphIsRunByOneAtATime(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 2})
	gate := s.NewEvent()
	d := newDAG(t, wavefront(2))
	d.run++
	e := s.LaunchGraph(d.g, gate)
	require.PanicsWithValue(t, "taskgraph: LaunchGraph of a Graph that is running", func() {
		s.LaunchGraph(d.g)
	})
	gate.Trigger()
	wait(t, s, e)
	require.NoError(t, s.Shutdown(bg))
	require.ErrorIs(t, s.LaunchGraph(d.g).Err(), graphevent.ErrClosed)
	require.ErrorIs(t, s.LaunchGraph(d.g).Err(), graphevent.ErrClosed)
}

func TestGraphAbandonedByShutdown(t *testing.T) {
	s := taskgraph.Start(taskgraph.Options{Workers: 2})
	var b taskgraph.GraphBuilder
	entered := make(chan bool, 8)
	for range 4 {
		first := b.Task(taskgraph.Run(func(c *taskgraph.Context) error {
			entered <- true
			return c.WaitUntilTasksComplete(bg, s.NewEvent())
		}))
		b.Task(taskgraph.Do(func() { panic("must not start") })).After(first)
	}
	g, err := b.Build()
	require.NoError(t, err)
	e := s.LaunchGraph(g)
	for range 4 {
		<-entered
	}
	ctx, cancel := context.WithCancel(bg)
	cancel()
	var stuck *taskgraph.StuckError
	require.ErrorAs(t, s.Shutdown(ctx), &stuck)
	require.ErrorIs(t, e.Wait(bg), graphevent.ErrClosed)
}

// Who runs a graph off its own deque comes to tasks of another kind, of another graph, and to one
// that panics: each runs once, in the order in which they lie there.
func TestGraphThenWhatLiesBelow(t *testing.T) {
	s := startUnwatched(t, taskgraph.Options{Workers: 1})
	var ran []string
	note := func(what string) func() { return func() { ran = append(ran, what) } }
	fan := func(name string, bad bool) *taskgraph.Graph {
		var b taskgraph.GraphBuilder
		root := b.Task(taskgraph.Do(note(name)))
		for i := range 3 {
			b.Task(taskgraph.Do(func() {
				note(fmt.Sprint(name, i))()
				if bad && i == 1 {
					panic(errBoom)
				}
			})).After(root)
		}
		g, err := b.Build()
		require.NoError(t, err)
		return g
	}
	one, two := fan("a", false), fan("b", true)
	for range 3 {
		ran = ran[:0]
		var first, second taskgraph.Event
		run(t, s, func(c *taskgraph.Context) error {
			c.Go(note("below"))
			first = c.LaunchGraph(one)
			c.Go(note("between"))
			second = c.LaunchGraph(two)
			return nil
		})
		require.ErrorIs(t, second.Wait(bg), errBoom)
		require.NoError(t, first.Wait(bg))
		require.NoError(t, s.WaitUntilTasksComplete(bg, s.Go(func() {})))
		require.Equal(t, []string{"b", "b0", "b1", "b2", "between", "a", "a0", "a1", "a2", "below"},
			ran)
	}
}

func BenchmarkGraph(b *testing.B) {
	nop := taskgraph.Do(func() {})
	shapes := []struct {
		name  string
		build func(b *taskgraph.GraphBuilder)
	}{
		{"chain", func(b *taskgraph.GraphBuilder) {
			t := b.Task(nop)
			for range 100_000 {
				t = b.Task(nop).After(t)
			}
		}},
		{"tree", func(b *taskgraph.GraphBuilder) {
			level := []taskgraph.GraphTask{b.Task(nop)}
			for range 17 {
				var next []taskgraph.GraphTask
				for _, t := range level {
					next = append(next, b.Task(nop).After(t), b.Task(nop).After(t))
				}
				level = next
			}
		}},
		{"wavefront", func(b *taskgraph.GraphBuilder) {
			const n = 256
			ts := make([]taskgraph.GraphTask, n*n)
			for i := range ts {
				ts[i] = b.Task(nop)
				if i%n > 0 {
					ts[i].After(ts[i-1])
				}
				if i >= n {
					ts[i].After(ts[i-n])
				}
			}
		}},
		{"random", func(b *taskgraph.GraphBuilder) {
			x := uint64(1)
			next := func(n int) int {
				x ^= x << 13
				x ^= x >> 7
				x ^= x << 17
				return int(x % uint64(n))
			}
			ts := make([]taskgraph.GraphTask, 100_000)
			for i := range ts {
				ts[i] = b.Task(nop)
				if i > 0 {
					for range next(5) {
						ts[i].After(ts[next(i)])
					}
				}
			}
		}},
	}
	for _, shape := range shapes {
		for _, w := range []int{1, 2} {
			b.Run(fmt.Sprintf("%s/workers=%d", shape.name, w), func(b *testing.B) {
				s := start(b, taskgraph.Options{Workers: w})
				var gb taskgraph.GraphBuilder
				shape.build(&gb)
				g, err := gb.Build()
				must(b, err)
				for b.Loop() {
					must(b, s.WaitUntilTasksComplete(bg, s.LaunchGraph(g)))
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(g.Len()),
					"ns/node")
			})
		}
		b.Run(shape.name+"/build+run", func(b *testing.B) {
			s := start(b, taskgraph.Options{Workers: 2})
			n := 0
			for b.Loop() {
				var gb taskgraph.GraphBuilder
				shape.build(&gb)
				g, err := gb.Build()
				must(b, err)
				must(b, s.WaitUntilTasksComplete(bg, s.LaunchGraph(g)))
				n = g.Len()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/node")
		})
	}
}

func TestGraphWhoseRunDidNotStartRunsAgain(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 1, MaxTasks: 4})
	ran := 0
	var b taskgraph.GraphBuilder
	b.Task(taskgraph.Do(func() { ran++ }))
	g, err := b.Build()
	require.NoError(t, err)
	runs := func() {
		before := ran
		var err error
		// a task counts until a moment after its event
		for err = graphevent.ErrFull; errors.Is(err, graphevent.ErrFull); {
			err = s.WaitUntilTasksComplete(bg, s.LaunchGraph(g))
		}
		require.NoError(t, err)
		require.Equal(t, before+1, ran)
	}

	bad := errors.New("bad")
	e := s.LaunchGraph(g, s.Task(taskgraph.Try(func() error { return bad })).Launch())
	require.ErrorIs(t, s.WaitUntilTasksComplete(t.Context(), e), bad, "skipped")
	runs()

	ctx, cancel := context.WithCancel(t.Context())
	wait(t, s, s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		e = c.LaunchGraph(g)
		cancel()
		return nil
	})).Context(ctx).Launch())
	require.ErrorIs(t, s.WaitUntilTasksComplete(t.Context(), e), graphevent.ErrCanceled)
	runs()

	wait(t, s, s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		hold := make([]taskgraph.Task, 3)
		for i := range hold {
			hold[i] = c.Task(taskgraph.Do(func() {}))
		}
		err := c.LaunchGraph(g).Err()
		for _, h := range hold {
			h.Launch()
		}
		require.ErrorIs(t, err, graphevent.ErrFull)
		return nil
	})).Launch())
	runs()
}

func TestGraphThatNoBuilderMade(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 1})
	for _, g := range []*taskgraph.Graph{nil, new(taskgraph.Graph)} {
		require.PanicsWithValue(t, "taskgraph: LaunchGraph of a Graph that no GraphBuilder made",
			func() { s.LaunchGraph(g) })
	}
}

func TestGraphContextEndsWithItsTask(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 1})
	var done <-chan struct{}
	var b taskgraph.GraphBuilder
	first := b.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		done = c.Done()
		return nil
	}))
	ended := false
	b.Task(taskgraph.Do(func() {
		select {
		case <-done:
			ended = true
		default:
		}
	})).After(first)
	g, err := b.Build()
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	wait(t, s, s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		c.DontCompleteUntil(c.LaunchGraph(g))
		return nil
	})).Context(ctx).Launch())
	require.True(t, ended)
}

// A task with few predecessors counts by what its edges say, one with many looks up how many.
func TestGraphPredecessorsOfAnyNumber(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 4})
	for _, preds := range []int{1, 2, 13, 14, 15, 16, 17, 100, 5000} {
		var b taskgraph.GraphBuilder
		var ended atomics.Int64
		ran := 0
		var before []taskgraph.GraphTask
		for range preds {
			before = append(before, b.Task(taskgraph.Do(func() { ended.Add(1) })))
		}
		b.Task(taskgraph.Try(func() error {
			ran++
			if got := ended.Swap(0); got != int64(preds) {
				return fmt.Errorf("%d of %d predecessors had ended", got, preds)
			}
			return nil
		})).After(before...)
		g, err := b.Build()
		require.NoError(t, err)
		for run := range 5 {
			wait(t, s, s.LaunchGraph(g))
			require.Equal(t, run+1, ran)
		}
	}
}

// A graph that is built anew from the memory of the last one is as good as a new one.
func TestGraphBuiltInTheMemoryOfAnother(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 2})
	rapid.Check(t, func(rt *rapid.T) {
		var b taskgraph.GraphBuilder
		var old *taskgraph.Graph
		for range rapid.IntRange(2, 5).Draw(rt, "graphs") {
			b.Reset(old)
			if rapid.Bool().Draw(rt, "begun and dropped") {
				begun := b.Task(taskgraph.Do(func() {}))
				b.Task(taskgraph.Do(func() {})).After(begun)
				b.Task(taskgraph.Try(func() error { return nil })).After(begun, begun)
				b.Reset(nil)
			}
			n := rapid.IntRange(0, 40).Draw(rt, "tasks")
			if rapid.Bool().Draw(rt, "grow") {
				b.Grow(n, 3*n)
			}
			ran := make([]atomics.Int32, n)
			var wrong atomics.Int32
			tasks := make([]taskgraph.GraphTask, n)
			for i := range n {
				var after []int
				if i > 0 {
					after = rapid.SliceOfN(rapid.IntRange(0, i-1), 0, 20).Draw(rt, "after")
				}
				body := func() {
					for _, p := range after {
						if ran[p].Load() <= ran[i].Load() {
							wrong.Add(1)
						}
					}
					ran[i].Add(1)
				}
				switch rapid.IntRange(0, 3).Draw(rt, "kind") {
				case 0:
					tasks[i] = b.Task(taskgraph.Run(func(*taskgraph.Context) error {
						body()
						return nil
					}))
				case 1:
					tasks[i] = b.Task(taskgraph.Try(func() error {
						body()
						return nil
					})).Name("named")
				default:
					tasks[i] = b.Task(taskgraph.Do(body))
				}
				for _, p := range after {
					tasks[i].After(tasks[p])
				}
			}
			g, err := b.Build()
			require.NoError(rt, err)
			require.Equal(rt, n, g.Len())
			for run := range int32(rapid.IntRange(1, 3).Draw(rt, "runs")) {
				require.NoError(rt, s.WaitUntilTasksComplete(bg, s.LaunchGraph(g)))
				for i := range ran {
					require.Equal(rt, run+1, ran[i].Load())
				}
			}
			require.Zero(rt, wrong.Load())
			old = g
		}
		b.Reset(old)
		require.Panics(rt, func() { s.LaunchGraph(old) })
	})
}

// Each task knows its dependents, the one that was added last first, and those know how many
// predecessors they have.
func TestGraphLaysOutItsOrders(t *testing.T) {
	for name, preds := range largeGraphs() {
		dependents := make([][]uint32, len(preds))
		for i, ps := range preds {
			for _, p := range ps {
				dependents[p] = append(dependents[p], uint32(i))
			}
		}
		g := newDAG(t, preds).g
		for i, want := range dependents {
			slices.Reverse(want)
			got, counts := g.Dependents(uint32(i))
			require.Equal(t, want, got, "%s, task %d", name, i)
			for k, to := range got {
				require.EqualValues(t, len(preds[to]), counts[k], "%s, task %d", name, i)
			}
		}
	}
}

func TestGraphBuiltAgainAllocatesNothing(t *testing.T) {
	var b taskgraph.GraphBuilder
	var g *taskgraph.Graph
	nop := taskgraph.Do(func() {})
	build := func() {
		b.Reset(g)
		last := b.Task(nop)
		for range 1000 {
			last = b.Task(nop).After(last)
		}
		g, _ = b.Build()
	}
	build()
	require.LessOrEqual(t, testing.AllocsPerRun(20, build), 1.0, "the Graph itself")
}

func TestGraphResetMisused(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 1})
	var b taskgraph.GraphBuilder
	gate := s.NewEvent()
	b.Task(taskgraph.Do(func() {}))
	g, err := b.Build()
	require.NoError(t, err)
	e := s.LaunchGraph(g, gate)
	require.PanicsWithValue(t, "taskgraph: Reset with a Graph that is running", func() {
		b.Reset(g)
	})
	gate.Trigger()
	wait(t, s, e)
	require.PanicsWithValue(t, "taskgraph: Reset with a Graph that no GraphBuilder made", func() {
		b.Reset(new(taskgraph.Graph))
	})
}
