package taskgraph_test

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/namedthread"
	"github.com/heddle-go/heddle/taskgraph"
)

// Runs by rank are as complete as others, whatever tasks are: with names, with a Context, held
// open, failing, for a thread, and in loops; and graphs run beside each other.
func TestGraphsByRank(t *testing.T) {
	for _, w := range []int{2, 4} {
		reg := namedthread.NewRegistry()
		th, err := reg.Start("Loader", namedthread.Options{})
		require.NoError(t, err)
		s := start(t, taskgraph.Options{Workers: w, Threads: reg})
		t.Cleanup(th.Quit)
		if !taskgraph.Spins(s) {
			t.Skip("nobody steals here while another one works")
		}
		rapid.Check(t, func(rt *rapid.T) {
			var graphs [2]*taskgraph.Graph
			var runs [2]func()
			for k := range graphs {
				graphs[k], runs[k] = rankedGraph(rt, th)
			}
			for range 3 {
				for _, g := range graphs {
					taskgraph.SetByRank(g)
				}
				inside := taskgraph.Run(func(c *taskgraph.Context) error {
					return c.Wait(c.LaunchGraph(graphs[0]), c.LaunchGraph(graphs[1]))
				})
				if rapid.Bool().Draw(rt, "inside") {
					require.NoError(rt, s.WaitUntilTasksComplete(bg, s.Task(inside).Launch()))
				} else {
					require.NoError(rt, s.WaitUntilTasksComplete(bg, s.LaunchGraph(graphs[0]),
						s.LaunchGraph(graphs[1])))
				}
				for _, check := range runs {
					check()
				}
			}
		})
	}
}

// rankedGraph returns a random graph, and what to call after each run that did not fail.
func rankedGraph(rt *rapid.T, th *namedthread.Thread) (*taskgraph.Graph, func()) {
	n := rapid.IntRange(1, 150).Draw(rt, "n")
	ran, round := make([]int, n), 0 // plain: the order of the tasks orders them
	var wrong atomics.Uint32
	var b taskgraph.GraphBuilder
	var all []taskgraph.GraphTask
	for i := range n {
		before := rapid.SliceOfNDistinct(rapid.IntRange(max(0, i-20), max(0, i-1)), 0, min(i, 3),
			rapid.ID[int]).Draw(rt, "before")
		body := func() {
			for _, p := range before {
				if ran[p] != round+1 {
					wrong.Add(1)
				}
			}
			ran[i]++
		}
		kind := rapid.IntRange(0, 9).Draw(rt, "kind")
		var task taskgraph.GraphTask
		switch kind {
		case 0:
			task = b.Task(taskgraph.Run(func(c *taskgraph.Context) error {
				c.DontCompleteUntil(c.Go(body))
				return nil
			}))
		case 1:
			task = b.Task(taskgraph.Run(func(c *taskgraph.Context) error {
				err := c.Wait(c.Spawn(taskgraph.Do(func() {})))
				body()
				return err
			}))
		case 2:
			task = b.Task(taskgraph.ParallelFor(4, 1, func(lo, _ int) {
				if lo == 0 {
					body()
				}
			}))
		case 3:
			task = b.Task(taskgraph.Do(body)).On(th)
		case 4:
			task = b.Task(taskgraph.Do(func() { runtime.Gosched(); body() })).Name("a name")
		default:
			task = b.Task(taskgraph.Do(body))
		}
		for _, p := range before {
			task.After(all[p])
		}
		all = append(all, task)
	}
	g, err := b.Build()
	require.NoError(rt, err)
	return g, func() {
		require.True(rt, n == 0 || taskgraph.IsByRank(g))
		round++
		require.Zero(rt, wrong.Load())
		for i := range ran {
			require.Equal(rt, round, ran[i], i)
		}
	}
}

// Tasks of some microseconds make their graph one that runs by rank: what has the longest way
// behind it begins before what has not, which was added before it.
func TestLongTasksGoByRank(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 2})
	if !taskgraph.Spins(s) {
		t.Skip("nobody steals here while another one works")
	}
	busy := func() {
		for begin := atomics.Now(); atomics.Now()-begin < 10_000; {
		}
	}
	const short, chains, long = 20, 3, 8
	var begun atomics.Int32
	var at [chains][long]int32 // when each task of a chain has begun
	var b taskgraph.GraphBuilder
	root := b.Task(taskgraph.Do(func() { begun.Store(0); busy() }))
	for range short {
		b.Task(taskgraph.Do(func() { begun.Add(1); busy() })).After(root)
	}
	for c := range chains {
		last := root
		for i := range long {
			last = b.Task(taskgraph.Do(func() { at[c][i] = begun.Add(1); busy() })).After(last)
		}
	}
	g, err := b.Build()
	require.NoError(t, err)
	inOrder := func() bool {
		first := max(at[0][0], at[1][0], at[2][0])
		return taskgraph.IsByRank(g) &&
			first <= chains+1 && // before the short ones, which were added first
			first < min(at[0][2], at[1][2], at[2][2]) // no chain is left for another one's end
	}
	// The machine may disturb what is measured, but not for ever.
	for n := 0; !inOrder(); n++ {
		require.NoError(t, s.RunGraph(bg, g))
		require.Less(t, n, 1<<14)
	}
}

// A task for a thread that has quit fails, in a run by rank as well.
func TestGraphByRankForAThreadThatHasQuit(t *testing.T) {
	reg, th := attached(t, "quits")
	s := start(t, taskgraph.Options{Workers: 2, Threads: reg})
	var b taskgraph.GraphBuilder
	first := b.Task(taskgraph.Do(th.Quit))
	for range 3 {
		b.Task(taskgraph.Do(func() { t.Error("no thread is left for this") })).On(th).After(first)
		b.Task(taskgraph.Do(func() {})).After(first)
	}
	g, err := b.Build()
	require.NoError(t, err)
	for range 20 {
		taskgraph.SetByRank(g)
		require.ErrorIs(t, s.RunGraph(bg, g), graphevent.ErrClosed)
	}
}

// A run by rank that fails leaves the graph as a good one does.
func TestGraphByRankFails(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 2})
	if !taskgraph.Spins(s) {
		t.Skip("nobody steals here while another one works")
	}
	fails, ran := true, 0
	var b taskgraph.GraphBuilder
	all := []taskgraph.GraphTask{b.Task(taskgraph.Try(func() error {
		if fails {
			return errBoom
		}
		return nil
	}))}
	for range 100 {
		all = append(all, b.Task(taskgraph.Do(func() { ran++ })).After(all[len(all)-1]))
		b.Task(taskgraph.Run(func(c *taskgraph.Context) error {
			if fails {
				panic(errBoom)
			}
			return nil
		}))
	}
	g, err := b.Build()
	require.NoError(t, err)
	for range brief(50, 10) {
		taskgraph.SetByRank(g)
		fails = true
		err := s.RunGraph(bg, g)
		require.ErrorIs(t, err, errBoom)
		var p *graphevent.PanicError
		require.ErrorAs(t, err, &p)
		require.Zero(t, ran)
		taskgraph.SetByRank(g)
		fails = false
		require.NoError(t, s.RunGraph(bg, g))
		require.Equal(t, 100, ran)
		ran = 0
	}
}

// Where a task has a priority of its own, the priorities decide.
func TestGraphWithPrioritiesIsNotByRank(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 2})
	var b taskgraph.GraphBuilder
	b.Task(taskgraph.Do(func() {})).Priority(taskgraph.PriorityBackgroundLow)
	b.Task(taskgraph.Do(func() {}))
	g, err := b.Build()
	require.NoError(t, err)
	taskgraph.SetByRank(g)
	require.NoError(t, s.RunGraph(bg, g))
	require.False(t, taskgraph.IsByRank(g))
}

// Once a graph has run by rank, neither runs nor what is learned from them allocate.
func TestGraphByRankAllocatesNothing(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 2})
	d := newDAG(t, wavefront(32))
	run := func() {
		d.run++
		taskgraph.SetByRank(d.g)
		wait(t, s, s.LaunchGraph(d.g))
	}
	run()
	run()
	require.LessOrEqual(t, testing.AllocsPerRun(600, run), 2.0,
		"what the wait takes, and nothing for 1,024 tasks")
	d.check(t)
}
