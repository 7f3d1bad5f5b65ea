package taskgraph_test

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
	"github.com/heddle-go/heddle/taskgraph"
)

func TestGroupRunsEachCallOnce(t *testing.T) {
	for _, w := range []int{1, 2, 4, 16} {
		s := start(t, taskgraph.Options{Workers: w})
		g := s.NewGroup()
		require.NoError(t, g.Wait(bg), "nothing to wait for")
		var ran [5000]atomics.Int32
		for round := range int32(3) {
			for i := range ran[:1000] {
				g.Go(s, func() { ran[i].Add(1) })
			}
			wait(t, s, s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
				for i := range ran[1000:] {
					g.Go(c, func() { ran[1000+i].Add(1) })
				}
				return g.Wait(c)
			})).Launch())
			require.NoError(t, g.Wait(bg))
			for i := range ran {
				require.Equal(t, round+1, ran[i].Load())
			}
		}
	}
}

// Ten deep, with one worker: each body waits for a group whose call waits for one.
func TestGroupsNested(t *testing.T) {
	for _, w := range []int{1, 2} {
		s := start(t, taskgraph.Options{Workers: w})
		for range brief(100, 5) {
			var deepest atomics.Int32
			var level func(c *taskgraph.Context, n int) error
			level = func(c *taskgraph.Context, n int) error {
				if n == 0 {
					deepest.Add(1)
					return nil
				}
				g := s.NewGroup()
				for range 2 {
					g.Go(c, func() {
						e := s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
							return level(c,
								n-1)
						})).Launch()
						if n%2 == 0 {
							g.Go(s, func() {})
						}
						_ = s.WaitUntilTasksComplete(bg, e)
					})
				}
				return g.Wait(c)
			}
			wait(t, s, s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
				return level(c,
					3)
			})).Launch())
			require.Equal(t, int32(8), deepest.Load())
		}
	}
}

func TestGroupCallsThatFail(t *testing.T) {
	boom := errors.New("boom")
	for _, w := range []int{1, 4} {
		var heard atomics.Int32
		s := start(t, taskgraph.Options{Workers: w, OnFailure: func(string, error) {
			heard.Add(1)
		}})
		for _, inside := range []bool{false, true} {
			heard.Store(0)
			g := s.NewGroup()
			var ran atomics.Int32
			calls := func(l taskgraph.Launcher) {
				for i := range 20 {
					g.Go(l, func() {
						ran.Add(1)
						switch i {
						case 3:
							panic(boom)
						case 7:
							runtime.Goexit()
						}
					})
				}
			}
			var err error
			if inside {
				wait(t, s, s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
					calls(c)
					_ = c.WaitUntilTasksComplete(bg, g.Idle())
					err = g.Wait(c)
					return nil
				})).Launch())
			} else {
				calls(s)
				err = g.Wait(bg)
			}
			require.Equal(t, int32(20), ran.Load())
			require.ErrorIs(t, err, boom)
			require.ErrorIs(t, err, graphevent.ErrGoexit)
			require.Equal(t, int32(2), heard.Load())
			require.NoError(t, g.Wait(bg), "each failure is for one Wait")
		}
	}
}

// A call that ends its goroutine while the body that waits runs it takes the body along.
func TestGroupCallsThatFailInTheWait(t *testing.T) {
	s := startUnwatched(t, taskgraph.Options{Workers: 1})
	g := s.NewGroup()
	e := s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		ran := 0
		for i := range 10 {
			g.Go(c, func() {
				if ran++; i%2 == 0 {
					panic(i)
				}
			})
		}
		var p *graphevent.PanicError
		if err := g.Wait(c); !errors.As(err, &p) || ran != 10 {
			return fmt.Errorf("%d ran: %v", ran, err)
		}
		g.Go(c, runtime.Goexit)
		return g.Wait(c)
	})).Launch()
	require.ErrorIs(t, s.WaitUntilTasksComplete(bg, e), graphevent.ErrGoexit)
	require.ErrorIs(t, g.Wait(bg), graphevent.ErrGoexit)
	wait(t, s, s.Go(func() {}))
}

func TestGroupFailureThatNobodyLookedAt(t *testing.T) {
	s := taskgraph.Start(taskgraph.Options{Workers: 2})
	boom := errors.New("boom")
	s.NewGroup().Go(s, func() { panic(boom) })
	require.ErrorIs(t, s.Shutdown(bg), boom)
}

// Goroutines from outside make calls in groups of their own, and in one that they share, until a
// shutdown refuses them: each call runs once, or its group has failed.
func TestGroupsFromOutside(t *testing.T) {
	calls := brief(3000, 1000)
	for _, w := range []int{1, 2, 4} {
		for range callerRounds(20) {
			var ran, refused, called atomics.Int64
			s := taskgraph.Start(taskgraph.Options{Workers: w, OnFailure: func(string, error) {
				refused.Add(1)
			}})
			shared := s.NewGroup()
			var wg sync.WaitGroup
			for k := range 4 {
				wg.Go(func() {
					own := s.NewGroup()
					for i := range calls {
						g := shared
						if (i>>k)%3 == 0 {
							g = own
						}
						called.Add(1)
						g.Go(s, func() { ran.Add(1) })
						if i%700 == 699 {
							_ = own.Wait(bg)
						}
					}
				})
			}
			for called.Load() < int64(2*calls) {
				runtime.Gosched()
			}
			if err := s.Shutdown(bg); err != nil {
				require.ErrorIs(t, err, graphevent.ErrClosed, "calls that were refused meanwhile")
			}
			early := ran.Load()
			wg.Wait()
			require.Equal(t, early, ran.Load(), "no call runs after the shutdown")
			require.EqualValues(t, 4*calls, ran.Load()+refused.Load())
			require.EqualValues(t, 0, s.Stats().Live)
		}
	}
}

// Calls that wait for each other, made together from outside: none may be kept from running by one
// before it.
func TestGroupCallsFromOutsideThatMeet(t *testing.T) {
	for _, w := range []int{1, 2} {
		s := start(t, taskgraph.Options{Workers: w})
		g := s.NewGroup()
		const n = 5
		var here sync.WaitGroup
		here.Add(n)
		for range n {
			g.Go(s, func() {
				here.Done()
				here.Wait()
			})
		}
		require.NoError(t, g.Wait(bg))
	}
}

func TestGroupAllocatesNothing(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 2})
	g := s.NewGroup()
	f := func() {}
	body := taskgraph.Run(func(c *taskgraph.Context) error {
		for range 300 {
			g.Go(c, f)
		}
		return g.Wait(c)
	})
	run := func() { wait(t, s, s.Task(body).Launch()) }
	for range 10 {
		run()
	}
	require.LessOrEqual(t, testing.AllocsPerRun(100, run), 5.0,
		"what waits take, and nothing for 300 calls")
}

// What a body calls before it returns runs before the shutdown is over; later calls are refused.
func TestGroupAndShutdown(t *testing.T) {
	s := taskgraph.Start(taskgraph.Options{Workers: 2})
	g := s.NewGroup()
	var ran atomics.Int32
	entered, goOn := make(chan struct{}), make(chan struct{})
	s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		close(entered)
		<-goOn
		for range 100 {
			g.Go(c, func() { ran.Add(1) })
		}
		return nil
	})).Launch()
	<-entered
	down := make(chan error)
	go func() { down <- s.Shutdown(bg) }()
	for { // until the shutdown refuses
		h := s.NewGroup()
		h.Go(s, func() {})
		if err := h.Wait(bg); err != nil {
			require.ErrorIs(t, err, graphevent.ErrClosed)
			break
		}
	}
	close(goOn)
	require.NoError(t, <-down)
	require.Equal(t, int32(100), ran.Load())
	require.NoError(t, g.Wait(bg))
	g.Go(s, func() { ran.Add(1) })
	require.ErrorIs(t, g.Wait(bg), graphevent.ErrClosed)
	require.Equal(t, int32(100), ran.Load())
}

// A shutdown that gives up ends the waits for a group.
func TestGroupAndShutdownThatGivesUp(t *testing.T) {
	s := taskgraph.Start(taskgraph.Options{Workers: 2})
	g := s.NewGroup()
	gate, entered := make(chan struct{}), make(chan struct{})
	g.Go(s, func() { close(entered); <-gate })
	<-entered
	waited := make(chan error)
	go func() { waited <- g.Wait(bg) }()
	ctx, cancel := context.WithCancel(bg)
	cancel()
	var stuck *taskgraph.StuckError
	require.ErrorAs(t, s.Shutdown(ctx), &stuck)
	require.ErrorIs(t, <-waited, graphevent.ErrClosed)
	require.ErrorIs(t, g.Wait(bg), graphevent.ErrClosed)
	close(gate)
}

func TestGroupWaitEndsWithItsContext(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 1})
	g := s.NewGroup()
	gate := make(chan struct{})
	g.Go(s, func() { <-gate })
	ctx, cancel := context.WithCancel(bg)
	cancel()
	require.ErrorIs(t, g.Wait(ctx), context.Canceled)
	close(gate)
	require.NoError(t, g.Wait(bg))
}

// From a body on a named thread, from inside Blocking and from a thread of a task's own.
func TestGroupFromWhereThereIsNoWorker(t *testing.T) {
	reg := namedthread.NewRegistry()
	th, err := reg.Start("Game", namedthread.Options{})
	require.NoError(t, err)
	defer func() { th.Quit(); <-th.Done() }()
	s := start(t, taskgraph.Options{Workers: 1, Threads: reg})
	var ran atomics.Int32
	calls := func(c *taskgraph.Context) error {
		g := s.NewGroup()
		for range 10 {
			g.Go(c, func() { ran.Add(1) })
		}
		return g.Wait(c)
	}
	wait(t, s, s.Task(taskgraph.Run(calls)).On(th).Launch())
	wait(t, s, s.Task(taskgraph.Run(calls)).OnOwnThread().Launch())
	wait(t, s, s.Task(taskgraph.Run(func(c *taskgraph.Context) (err error) {
		g := s.NewGroup()
		c.Blocking(func() {
			g.Go(c, func() { ran.Add(1) })
			err = g.Wait(bg)
		})
		return err
	})).Launch())
	require.Equal(t, int32(21), ran.Load())
}

func TestGroupMisused(t *testing.T) {
	s, other := start(t, taskgraph.Options{Workers: 1}), start(t, taskgraph.Options{Workers: 1})
	g := s.NewGroup()
	require.PanicsWithValue(t, "taskgraph: Go of a nil function", func() { g.Go(s, nil) })
	require.PanicsWithValue(t, "taskgraph: Go in a Group of another system", func() {
		g.Go(other, func() {})
	})
	run(t, other, func(c *taskgraph.Context) error {
		require.PanicsWithValue(t, "taskgraph: Go in a Group of another system", func() {
			g.Go(c, func() {})
		})
		return nil
	})
}

// Calls in groups, tasks, forks and graphs beside each other: each runs once, and each Wait is over
// when its calls are.
func TestGroupsDrawn(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := taskgraph.Start(taskgraph.Options{Workers: rapid.IntRange(1, 4).Draw(rt, "workers")})
		defer func() { require.NoError(rt, s.Shutdown(bg)) }()
		groups := make([]*taskgraph.Group, rapid.IntRange(1, 3).Draw(rt, "groups"))
		var made, ran [3]atomics.Int64
		for i := range groups {
			groups[i] = s.NewGroup()
		}
		var b taskgraph.GraphBuilder
		for range rapid.IntRange(0, 20).Draw(rt, "nodes") {
			b.Task(taskgraph.Do(func() {}))
		}
		graph, err := b.Build()
		require.NoError(rt, err)
		scripts := rapid.SliceOfN(rapid.SliceOfN(rapid.IntRange(0, 7), 0, 30), 1, 4).Draw(rt,
			"scripts")
		var wg sync.WaitGroup
		var using sync.Mutex // of the graph
		for n, script := range scripts {
			play := func(l taskgraph.Launcher, ctx context.Context) error {
				for i, a := range script {
					at := (i + n) % len(groups)
					g := groups[at]
					switch a {
					case 0, 1, 2:
						made[at].Add(1)
						g.Go(l, func() { ran[at].Add(1) })
					case 3:
						made[at].Add(2)
						g.Go(l, func() {
							g.Go(s, func() { ran[at].Add(1) })
							ran[at].Add(1)
						})
					case 4:
						before := made[at].Load()
						if err := g.Wait(ctx); err != nil {
							return err
						}
						if got := ran[at].Load(); got < before-2*int64(len(scripts)) &&
							len(scripts) == 1 {
							return fmt.Errorf("%d of %d had run", got, before)
						}
					case 5:
						if err := s.WaitUntilTasksComplete(bg,
							l.Task(taskgraph.Do(func() {})).Launch()); err != nil {
							return err
						}
					case 6:
						if c, ok := l.(*taskgraph.Context); ok {
							c.Fork(func(*taskgraph.Context, *taskgraph.Args) {}, taskgraph.Args{})
						}
					case 7:
						if c, ok := l.(*taskgraph.Context); ok && using.TryLock() {
							err := c.WaitUntilTasksComplete(ctx, c.LaunchGraph(graph))
							using.Unlock()
							if err != nil {
								return err
							}
						}
					}
				}
				return nil
			}
			wg.Go(func() {
				if n%2 == 0 {
					require.NoError(rt, s.WaitUntilTasksComplete(bg,
						s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
							return play(c,
								c)
						})).Launch()))
					return
				}
				require.NoError(rt, play(s, bg))
			})
		}
		wg.Wait()
		for i, g := range groups {
			require.NoError(rt, g.Wait(bg))
			require.Equal(rt, made[i].Load(), ran[i].Load())
		}
	})
}

func BenchmarkGroup(b *testing.B) {
	for _, w := range []int{1, 2} {
		b.Run(fmt.Sprint("workers=", w), func(b *testing.B) {
			s := start(b, taskgraph.Options{Workers: w})
			g := s.NewGroup()
			f := func() {}
			body := taskgraph.Run(func(c *taskgraph.Context) error {
				for range burst {
					g.Go(c, f)
				}
				return g.Wait(c)
			})
			for b.Loop() {
				must(b, s.WaitUntilTasksComplete(bg, s.Task(body).Launch()))
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/burst, "ns/task")
		})
	}
}

// BenchmarkGroupFanOut: a body makes a few calls that compute for a while, and waits for them.
func BenchmarkGroupFanOut(b *testing.B) {
	for _, calls := range []int{2, 8, 64, 300} {
		for _, work := range []int{300, 3000, 30_000} {
			b.Run(fmt.Sprintf("calls=%d/steps=%d", calls, work), func(b *testing.B) {
				s := start(b, taskgraph.Options{Workers: 2})
				g := s.NewGroup()
				var sink atomics.Uint64
				f := func() {
					x := uint64(1)
					for range work {
						x = x*6364136223846793005 + 1
					}
					if x == 0 {
						sink.Store(x)
					}
				}
				e := s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
					for b.Loop() {
						for range calls {
							g.Go(c, f)
						}
						if err := g.Wait(c); err != nil {
							return err
						}
					}
					return nil
				})).Launch()
				wait(b, s, e)
			})
		}
	}
}
