package taskgraph_test

import (
	"errors"
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/taskgraph"
)

func forkFib(c *taskgraph.Context, a *taskgraph.Args) {
	n := a.A
	if n < 2 {
		return
	}
	left := c.Fork(forkFib, taskgraph.Args{A: n - 1})
	right := taskgraph.Args{A: n - 2}
	forkFib(c, &right)
	a.A = left.Wait().A + right.A
}

func TestForkedCallsReturnTheirResults(t *testing.T) {
	for _, w := range []int{1, 2, 4, 16} {
		s := start(t, taskgraph.Options{Workers: w})
		for range 20 {
			var got int64
			wait(t, s, s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
				a := taskgraph.Args{A: 20}
				forkFib(c, &a)
				got = a.A
				return nil
			})).Launch())
			require.Equal(t, int64(6765), got)
		}
	}
}

func TestForkAllocatesNothing(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 2})
	body := taskgraph.Run(func(c *taskgraph.Context) error {
		a := taskgraph.Args{A: 12}
		forkFib(c, &a)
		return nil
	})
	run := func() { wait(t, s, s.Task(body).Launch()) }
	run()
	require.LessOrEqual(t, testing.AllocsPerRun(100, run), 2.0, "what the wait takes, and nothing for 232 forks")
}

// Waits in the order of the forks, not the reverse, and none at all.
func TestForksInAnyOrder(t *testing.T) {
	for _, w := range []int{1, 3} {
		s := start(t, taskgraph.Options{Workers: w})
		var ran atomics.Int64
		for range 200 {
			ran.Store(0)
			wait(t, s, s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
				var joins []taskgraph.Join
				for i := range int64(20) {
					joins = append(joins, c.Fork(func(_ *taskgraph.Context, a *taskgraph.Args) {
						ran.Add(1)
						a.B = a.A * a.A
					}, taskgraph.Args{A: i}))
				}
				for i, j := range joins[:10] {
					if got := j.Wait(); got.B != int64(i*i) {
						return fmt.Errorf("%d: %d", i, got.B)
					}
				}
				return nil
			})).Launch())
			require.Equal(t, int64(20), ran.Load())
		}
	}
}

func TestForkedCallsFailTheirBody(t *testing.T) {
	boom := errors.New("boom")
	for _, w := range []int{1, 4} {
		s := start(t, taskgraph.Options{Workers: w})
		for round := range 100 {
			e := s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
				var joins []taskgraph.Join
				for i := range int64(6) {
					joins = append(joins, c.Fork(func(c *taskgraph.Context, a *taskgraph.Args) {
						c.Fork(forkFib, taskgraph.Args{A: 5})
						if a.A == 3 {
							if round%2 == 0 {
								panic(boom)
							}
							runtime.Goexit()
						}
					}, taskgraph.Args{A: i}))
				}
				for range round % 10 {
					runtime.Gosched()
				}
				for i := range joins {
					joins[len(joins)-1-i].Wait()
				}
				return nil
			})).Launch()
			err := s.WaitUntilTasksComplete(bg, e)
			if round%2 == 0 {
				require.ErrorIs(t, err, boom)
			} else {
				require.ErrorIs(t, err, graphevent.ErrGoexit)
			}
		}
		require.NoError(t, s.WaitUntilTasksComplete(bg, s.Go(func() {})))
	}
}

// A fork whose body waits for something else meanwhile may be on another slot afterwards.
func TestForksAcrossAWait(t *testing.T) {
	for _, w := range []int{1, 2, 4} {
		s := start(t, taskgraph.Options{Workers: w})
		for range 200 {
			gate := s.NewEvent()
			e := s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
				j := c.Fork(forkFib, taskgraph.Args{A: 8})
				if err := c.WaitUntilTasksComplete(bg, gate); err != nil {
					return err
				}
				if got := j.Wait().A; got != 21 {
					return fmt.Errorf("got %d", got)
				}
				return nil
			})).Launch()
			s.Go(func() { gate.Trigger() })
			wait(t, s, e)
		}
	}
}

func BenchmarkFork(b *testing.B) {
	const n, tasks = 25, 121392
	for _, w := range []int{1, 2} {
		b.Run(fmt.Sprint("workers=", w), func(b *testing.B) {
			s := start(b, taskgraph.Options{Workers: w})
			body := taskgraph.Run(func(c *taskgraph.Context) error {
				a := taskgraph.Args{A: n}
				forkFib(c, &a)
				return nil
			})
			for b.Loop() {
				must(b, s.WaitUntilTasksComplete(bg, s.Task(body).Launch()))
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/tasks, "ns/fork")
		})
	}
}

// Also if the body runs the call out of order, so that its entry stays behind.
func TestBodyRecoversFromAForkedCall(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 1})
	for _, early := range []bool{false, true} {
		wait(t, s, s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
			bad := c.Fork(func(c *taskgraph.Context, _ *taskgraph.Args) {
				c.Fork(func(*taskgraph.Context, *taskgraph.Args) {}, taskgraph.Args{})
				panic("bad")
			}, taskgraph.Args{})
			if early {
				c.Fork(func(*taskgraph.Context, *taskgraph.Args) {}, taskgraph.Args{})
			}
			require.PanicsWithValue(t, "bad", func() { bad.Wait() })
			return nil
		})).Launch())
	}
}

func TestWaitForNoFork(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 1})
	const text = "taskgraph: Wait for no fork, or for the second time"
	wait(t, s, s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		j := c.Fork(func(*taskgraph.Context, *taskgraph.Args) {}, taskgraph.Args{})
		j.Wait()
		require.PanicsWithValue(t, text, func() { j.Wait() })
		require.PanicsWithValue(t, text, func() { taskgraph.Join{}.Wait() })
		return nil
	})).Launch())
}
