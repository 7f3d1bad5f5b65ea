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
				defer guard(sys, what(fmt.Sprintf("%d workers, %v, %d nodes", workers, s, len(d))))()
				w := stress.NewWitness(d)
				events := make([]taskgraph.Event, len(d))
				build := func(begin func(taskgraph.Body) taskgraph.Task) {
					for i, prerequisites := range d {
						task := begin(taskgraph.Run(func(c *taskgraph.Context) error {
							w.Begin(i, c)
							w.End(i)
							return nil
						}))
						for _, p := range prerequisites {
							task = task.After(events[p])
						}
						w.Launch(i)
						events[i] = task.Launch()
					}
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

// meet runs n tasks that end when all of them run at the same time.
func meet(t require.TestingT, sys *taskgraph.System, n int) {
	var there atomics.Int32
	events := make([]taskgraph.Event, n)
	for i := range events {
		events[i] = sys.Go(func() {
			there.Add(1)
			for there.Load() < int32(n) {
				runtime.Gosched()
			}
		})
	}
	require.NoError(t, sys.WaitUntilTasksComplete(context.Background(), events...))
}

// TestDAGTreeUsesAllWorkers grows a tree from one task. The first task that each worker gets
// does not end before all workers have got one, which they only can by stealing.
func TestDAGTreeUsesAllWorkers(t *testing.T) {
	const workers, depth, rounds = 4, 6, 50
	sys := begin(t, taskgraph.Options{Workers: workers})
	for range rounds {
		var there atomics.Uint32
		const all = 1<<workers - 1
		var grow func(c *taskgraph.Context, level int) error
		grow = func(c *taskgraph.Context, level int) error {
			if level > 0 {
				for range 2 {
					c.DontCompleteUntil(c.Spawn(taskgraph.Run(func(c *taskgraph.Context) error { return grow(c, level-1) })))
				}
			}
			// A spare worker may turn up, if this takes so long that the system takes the
			// tasks for blocked ones. It does not count.
			if w := c.Worker(); w < workers {
				there.Or(1 << w)
				for there.Load() != all {
					runtime.Gosched()
				}
			}
			return nil
		}
		stop := guard(sys, what(t.Name()))
		root := sys.Task(taskgraph.Run(func(c *taskgraph.Context) error { return grow(c, depth) })).Launch()
		require.NoError(t, sys.WaitUntilTasksComplete(context.Background(), root))
		stop()
	}
	require.NoError(t, sys.Shutdown(context.Background()))
	st := sys.Stats()
	t.Logf("%+v", st)
	var ran uint64
	for _, n := range st.Ran {
		ran += n
	}
	require.EqualValues(t, rounds*(1<<(depth+1)-1), ran)
	for w := range workers {
		require.GreaterOrEqual(t, st.Ran[w], uint64(rounds))
	}
	require.GreaterOrEqual(t, st.Steals, uint64(rounds*(workers-1)))
}

// TestDAGGoexitUnderWait ends a body by Goexit or a panic below a chain of waits. A wait may
// have run the body on top of its own: then a Goexit ends that too. Otherwise the wait
// returns the failure. No worker may be lost.
func TestDAGGoexitUnderWait(t *testing.T) { testGoexitUnderWait(t, false) }

// TestDAGGoexitUnderThreadWait does the same with all bodies on one named thread.
func TestDAGGoexitUnderThreadWait(t *testing.T) { testGoexitUnderWait(t, true) }

func testGoexitUnderWait(t *testing.T, onThread bool) {
	cases, unwound, told := 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		workers := rapid.SampledFrom([]int{1, 2, 4}).Draw(t, "workers")
		depth := rapid.IntRange(1, 10).Draw(t, "depth")
		level := rapid.IntRange(0, depth).Draw(t, "level that exits")
		exits := rapid.Bool().Draw(t, "by Goexit")

		o := taskgraph.Options{Workers: workers, StuckAfter: 10 * hangAfter}
		var th *namedthread.Thread
		if onThread {
			o.Threads = namedthread.NewRegistry()
			var err error
			th, err = o.Threads.Start("thread", namedthread.Options{})
			require.NoError(t, err)
		}
		sys := taskgraph.Start(o)
		defer guard(sys, what(fmt.Sprintf("%d workers, depth %d, level %d, Goexit %v, on a thread %v", workers, depth, level, exits, onThread)))()

		events := make([]taskgraph.Event, depth+1)
		results := make([]error, depth+1)
		returned := make([]bool, depth+1)
		boom := errors.New("boom")
		var launch func(k int, begin func(taskgraph.Body) taskgraph.Task)
		launch = func(k int, begin func(taskgraph.Body) taskgraph.Task) {
			task := begin(taskgraph.Run(func(c *taskgraph.Context) error {
				if k < depth {
					launch(k+1, c.Task)
					results[k] = c.WaitUntilTasksComplete(context.Background(), events[k+1])
				}
				returned[k] = true
				if k == level && exits {
					runtime.Goexit()
				} else if k == level {
					panic(boom)
				}
				return nil
			}))
			if onThread {
				task = task.On(th)
			}
			events[k] = task.Event()
			task.Launch()
		}
		launch(0, sys.Task)
		_ = sys.WaitUntilTasksComplete(context.Background(), events[0])
		want := graphevent.ErrGoexit
		if !exits {
			want = boom
		}
		for k := depth; k >= 0; k-- {
			err := events[k].Err()
			require.True(t, events[k].IsComplete(), "level %d", k)
			switch {
			case k > level:
				require.NoError(t, err, "level %d", k)
			case k == level:
				require.True(t, returned[k])
				require.ErrorIs(t, err, want, "level %d", k)
			case returned[k]:
				require.NoError(t, err, "level %d", k)
				require.Equal(t, events[k+1].Err(), results[k], "level %d", k)
				told++
			default:
				require.ErrorIs(t, err, graphevent.ErrGoexit, "level %d", k)
				require.True(t, exits, "level %d was unwound by a panic above it", k)
				require.ErrorIs(t, events[k+1].Err(), graphevent.ErrGoexit, "level %d", k+1)
				unwound++
			}
		}
		meet(t, sys, workers)
		require.NoError(t, sys.Shutdown(context.Background()))
		if onThread {
			th.Quit()
			<-th.Done()
		}
		cases++
	})
	t.Logf("%d cases: %d bodies unwound by a Goexit above them, %d told of it", cases, unwound, told)
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
		sys := taskgraph.Start(taskgraph.Options{Workers: 1 + round%4, StuckAfter: 10 * hangAfter})
		stop := guard(sys, what(t.Name()))
		var ran atomics.Int64
		var accepted [launchers][]taskgraph.Event
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
		stop()
		total += n
	}
	t.Logf("%d rounds, %d launches accepted", rounds, total)
}
