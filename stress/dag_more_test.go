package stress_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/namedthread"
	"github.com/heddle-go/heddle/stress"
	"github.com/heddle-go/heddle/taskgraph"
)

// what names a case for guard.
type what string

func (w what) String() string { return string(w) }

// begin starts a system that must shut down without an error at the test's end.
func begin(t *testing.T, o taskgraph.Options) *taskgraph.System {
	o.StuckAfter = 10 * hangAfter
	sys := taskgraph.Start(o)
	t.Cleanup(func() {
		defer guard(sys, what(t.Name()+": the end"))()
		require.NoError(t, sys.Shutdown(context.Background()))
	})
	return sys
}

// TestDAGWide runs large graphs of empty tasks, from outside and from inside, again and
// again on one system.
func TestDAGWide(t *testing.T) {
	for _, workers := range []int{1, 2, 4, 16} {
		t.Run(fmt.Sprintf("workers=%d", workers), func(t *testing.T) {
			sys := begin(t, taskgraph.Options{Workers: workers})
			cases, nodes, edges := 0, 0, 0
			rapid.Check(t, func(t *rapid.T) {
				s := rapid.SampledFrom(stress.Shapes()).Draw(t, "shape")
				most := 1500
				if s == stress.ShapeDense || s == stress.ShapeDisconnected {
					most = 200
				}
				d := s.Draw(t, most)
				defer guard(sys, what(fmt.Sprintf("%d workers, %v, %d nodes", workers, s,
					len(d))))()
				w := stress.NewWitness(d)
				p := make(stress.Plan, len(d))
				for i := range d {
					p[i].After = d[i]
				}
				var events []taskgraph.Event
				build := func(begin func(taskgraph.Body) taskgraph.Task) {
					events = p.Launch(w, begin, nil)
				}
				if rapid.Bool().Draw(t, "inside") {
					root := sys.Task(taskgraph.Run(func(c *taskgraph.Context) error {
						build(c.Task)
						return nil
					})).Launch()
					require.NoError(t, sys.WaitUntilTasksComplete(context.Background(), root))
				} else {
					build(sys.Task)
				}
				require.NoError(t, sys.WaitUntilTasksComplete(context.Background(), events...))
				require.NoError(t, w.Err())
				cases, nodes, edges = cases+1, nodes+len(d), edges+d.Edges()
			})
			t.Logf("%d graphs, %d nodes, %d edges; %+v", cases, nodes, edges, sys.Stats())
		})
	}
}

// meet runs n tasks, launched from outside or by the first of them, that end when all of them
// run at the same time.
func meet(t require.TestingT, sys *taskgraph.System, n int, inside bool) {
	defer guard(sys, what(fmt.Sprintf("%d tasks that meet, launched from inside %v", n, inside)))()
	var there atomics.Int32
	arrive := func() {
		there.Add(1)
		for there.Load() < int32(n) {
			runtime.Gosched()
		}
	}
	events := make([]taskgraph.Event, n)
	if inside {
		events[0] = sys.Task(taskgraph.Run(func(c *taskgraph.Context) error {
			for i := 1; i < n; i++ {
				events[i] = c.Go(arrive)
			}
			arrive()
			return nil
		})).Launch()
		require.NoError(t, sys.WaitUntilTasksComplete(context.Background(), events[0]))
	} else {
		for i := range events {
			events[i] = sys.Go(arrive)
		}
	}
	require.NoError(t, sys.WaitUntilTasksComplete(context.Background(), events...))
}

// TestDAGMeet launches as many tasks as there are workers, which need them all: every wake-up
// counts.
func TestDAGMeet(t *testing.T) {
	rounds := 100
	if testing.Short() {
		rounds = 12
	}
	for _, workers := range []int{2, 3, 4, 7} {
		sys := begin(t, taskgraph.Options{Workers: workers, Foreground: -1 + workers%2})
		for round := range rounds {
			meet(t, sys, workers, round%3 > 0)
			for range round % 50 { // workers that have just ended, or search, or drowse, or sleep
				runtime.Gosched()
			}
		}
		t.Logf("%d workers, %d rounds: %+v", workers, rounds, sys.Stats())
	}
}

// TestDAGTreeUsesAllWorkers grows a tree from one task. The first task that each worker gets
// does not end before all workers have got one, which they only can by stealing.
func TestDAGTreeUsesAllWorkers(t *testing.T) {
	const workers, depth, rounds = 4, 6, 50
	const all = 1<<workers - 1
	sys := begin(t, taskgraph.Options{Workers: workers})
	var more atomics.Uint64 // tasks in place of those that a spare worker ran
	round := func() {
		defer guard(sys, what(t.Name()))()
		var there atomics.Uint32
		var grow func(c *taskgraph.Context, level int) error
		grow = func(c *taskgraph.Context, level int) error {
			if level > 0 {
				for range 2 {
					c.DontCompleteUntil(c.Spawn(taskgraph.Run(func(c *taskgraph.Context) error {
						return grow(c, level-1)
					})))
				}
			}
			// A spare worker may turn up, if this takes so long that the system takes the
			// tasks for blocked ones. It does not count, and must not leave the others nothing.
			switch w := c.Worker(); {
			case w < workers:
				there.Or(1 << w)
				for there.Load() != all {
					runtime.Gosched()
				}
			case there.Load() != all:
				more.Add(1)
				runtime.Gosched()
				c.DontCompleteUntil(c.Spawn(taskgraph.Run(func(c *taskgraph.Context) error {
					return grow(c, 0)
				})))
			}
			return nil
		}
		root := sys.Task(taskgraph.Run(func(c *taskgraph.Context) error {
			return grow(c,
				depth)
		})).Launch()
		require.NoError(t, sys.WaitUntilTasksComplete(context.Background(), root))
	}
	for range rounds {
		round()
	}
	require.NoError(t, sys.Shutdown(context.Background()))
	st := sys.Stats()
	t.Logf("%+v", st)
	var ran uint64
	for _, n := range st.Ran {
		ran += n
	}
	require.Equal(t, rounds*(1<<(depth+1)-1)+more.Load(), ran)
	for w := range workers {
		require.GreaterOrEqual(t, st.Ran[w], uint64(rounds))
	}
	require.GreaterOrEqual(t, st.Steals, uint64(rounds*(workers-1)))
}

// A goexitCase is a chain of tasks, each launched and waited for by the one before. The body
// of one of them ends by a Goexit or a panic.
type goexitCase struct {
	workers, depth, level int
	exits, onThread       bool
}

// TestDAGGoexitUnderWait ends a body by Goexit or a panic below a chain of waits. A wait may
// have run the body on top of its own: then a Goexit ends that too. Otherwise the wait
// returns the failure. No worker may be lost.
func TestDAGGoexitUnderWait(t *testing.T) {
	cases, unwound, told := 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		depth := rapid.IntRange(1, 10).Draw(t, "depth")
		u, s := goexitCase{
			workers: rapid.SampledFrom([]int{1, 2, 4}).Draw(t, "workers"),
			depth:   depth,
			level:   rapid.IntRange(0, depth).Draw(t, "level that exits"),
			exits:   rapid.Bool().Draw(t, "by Goexit"),
		}.run(t)
		cases, unwound, told = cases+1, unwound+u, told+s
	})
	t.Logf("%d cases: %d bodies unwound by a Goexit above them, %d told of it", cases, unwound,
		told)
}

// TestDAGGoexitUnderThreadWait does the same with all bodies on one named thread.
func TestDAGGoexitUnderThreadWait(t *testing.T) {
	for depth := range 5 {
		for level := range depth + 1 {
			for _, exits := range []bool{false, true} {
				goexitCase{workers: 1 + level%2, depth: depth, level: level, exits: exits,
					onThread: true}.run(t)
			}
		}
	}
}

// run returns how many bodies were unwound from above, and how many were told of a failure.
func (g goexitCase) run(t require.TestingT) (unwound, told int) {
	o := taskgraph.Options{Workers: g.workers, StuckAfter: 10 * hangAfter}
	var th *namedthread.Thread
	if g.onThread {
		o.Threads = namedthread.NewRegistry()
		var err error
		th, err = o.Threads.Start("thread", namedthread.Options{})
		require.NoError(t, err)
		defer func() {
			th.Quit()
			<-th.Done()
		}()
	}
	sys := taskgraph.Start(o)
	defer guard(sys, what(fmt.Sprintf("%+v", g)))()

	events := make([]taskgraph.Event, g.depth+1)
	results := make([]error, g.depth+1)
	returned := make([]bool, g.depth+1)
	boom := errors.New("boom")
	var launch func(k int, begin func(taskgraph.Body) taskgraph.Task)
	launch = func(k int, begin func(taskgraph.Body) taskgraph.Task) {
		task := begin(taskgraph.Run(func(c *taskgraph.Context) error {
			if k < g.depth {
				launch(k+1, c.Task)
				results[k] = c.WaitUntilTasksComplete(context.Background(), events[k+1])
			}
			returned[k] = true
			if k == g.level && g.exits {
				runtime.Goexit()
			} else if k == g.level {
				panic(boom)
			}
			return nil
		}))
		if g.onThread {
			task = task.On(th)
		}
		events[k] = task.Event()
		task.Launch()
	}
	launch(0, sys.Task)
	_ = sys.WaitUntilTasksComplete(context.Background(), events[0])
	want := graphevent.ErrGoexit
	if !g.exits {
		want = boom
	}
	for k := g.depth; k >= 0; k-- {
		require.True(t, events[k].IsComplete(), "%+v, level %d", g, k)
		err := events[k].Err()
		switch {
		case k > g.level:
			require.NoError(t, err, "%+v, level %d", g, k)
		case k == g.level:
			require.True(t, returned[k])
			require.ErrorIs(t, err, want, "%+v, level %d", g, k)
		case returned[k]:
			require.NoError(t, err, "%+v, level %d", g, k)
			require.Equal(t, events[k+1].Err(), results[k], "%+v, level %d", g, k)
			told++
		default:
			require.True(t, g.exits, "%+v, level %d was unwound by a panic above it", g, k)
			require.ErrorIs(t, err, graphevent.ErrGoexit, "%+v, level %d", g, k)
			require.ErrorIs(t, events[k+1].Err(), graphevent.ErrGoexit, "%+v, level %d", g, k+1)
			unwound++
		}
	}
	meet(t, sys, g.workers, false)
	ctx, cancel := context.WithTimeout(context.Background(), hangAfter)
	defer cancel()
	require.NoError(t, sys.Shutdown(ctx), "%+v", g)
	return unwound, told
}

// TestDAGLaunchRacesShutdown launches from many goroutines while Shutdown begins. What is
// accepted runs, what is not has failed with ErrClosed when the launch returns, and nothing
// is in between.
func TestDAGLaunchRacesShutdown(t *testing.T) {
	const launchers = 3
	rounds := 200
	if testing.Short() {
		rounds = 40
	}
	total := 0
	for round := range rounds {
		total += launchRacesShutdown(t, launchers, round)
	}
	t.Logf("%d rounds, %d launches accepted", rounds, total)
}

// launchRacesShutdown returns how many launches were accepted.
func launchRacesShutdown(t *testing.T, launchers, round int) int {
	sys := taskgraph.Start(taskgraph.Options{Workers: 1 + round%4, StuckAfter: 10 * hangAfter})
	defer guard(sys, what(t.Name()))()
	var ran atomics.Int64
	accepted := make([][]taskgraph.Event, launchers)
	var all sync.WaitGroup
	for l := range accepted {
		all.Go(func() {
			count := func() { ran.Add(1) }
			var last taskgraph.Event
			for i, refused := 0, 0; refused < 3; i++ {
				switch i % 3 {
				case 0:
					last = sys.Go(count)
				case 1:
					last = sys.Task(taskgraph.Do(count)).After(last).Launch()
				case 2:
					last = sys.Task(taskgraph.Run(func(c *taskgraph.Context) error {
						c.DontCompleteUntil(c.Go(count))
						return nil
					})).After(last).Launch()
				}
				if last.IsComplete() && errors.Is(last.Err(), graphevent.ErrClosed) {
					refused++
				} else {
					accepted[l] = append(accepted[l], last)
				}
				if i > 20 {
					runtime.Gosched()
				}
			}
		})
	}
	for range round % 20 {
		runtime.Gosched()
	}
	require.NoError(t, sys.Shutdown(context.Background()))
	all.Wait()
	n := 0
	for _, events := range accepted {
		for _, e := range events {
			require.True(t, e.IsComplete())
			require.NoError(t, e.Err())
		}
		n += len(events)
	}
	require.EqualValues(t, n, ran.Load())
	return n
}
