package taskgraph_test

import (
	"errors"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/taskgraph"
)

// Bodies that block each other in a channel, far more of them than workers, all get on.
func TestBlockingBodiesAreStoodInFor(t *testing.T) {
	for _, w := range []int{1, 2, 4} {
		s := start(t, taskgraph.Options{Workers: w})
		rounds := brief(20, 5)
		for range rounds {
			const n = 50
			var met sync.WaitGroup
			met.Add(n)
			var events []taskgraph.Event
			for range n {
				events = append(events, s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
					c.Blocking(func() { met.Done(); met.Wait() })
					if c.Worker() < 0 {
						return errors.New("no worker after Blocking")
					}
					return nil
				})).Launch())
			}
			wait(t, s, events...)
		}
		st := s.Stats()
		require.Zero(t, st.Blocking)
		require.Zero(t, st.Overflowed)
		require.GreaterOrEqual(t, st.Replacements, uint64(rounds))
	}
}

// Bodies that come back from Blocking compute on no more workers than there are.
func TestBlockingKeepsTheNumberOfWorkers(t *testing.T) {
	const workers = 2
	s := start(t, taskgraph.Options{Workers: workers})
	var now, most atomics.Int64
	var events []taskgraph.Event
	for range 200 {
		events = append(events, s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
			c.Blocking(runtime.Gosched)
			if v := now.Add(1); v > most.Load() {
				most.Store(v)
			}
			runtime.Gosched()
			now.Add(-1)
			return nil
		})).Launch())
	}
	wait(t, s, events...)
	require.LessOrEqual(t, most.Load()-int64(s.Stats().Spares), int64(workers))
}

func TestBlockingBeyondTheBound(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 1, MaxBlocking: -1})
	ran := false
	wait(t, s, s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		c.Blocking(func() { ran = true })
		return nil
	})).Launch())
	require.True(t, ran)
	require.Equal(t, uint64(1), s.Stats().Overflowed)
}

func TestBlockingFailures(t *testing.T) {
	boom := errors.New("boom")
	s := start(t, taskgraph.Options{Workers: 1})
	for range 50 {
		e := s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
			c.Blocking(func() { panic(boom) })
			return nil
		})).Launch()
		require.ErrorIs(t, s.WaitUntilTasksComplete(bg, e), boom)
		e = s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
			c.Blocking(runtime.Goexit)
			return nil
		})).Launch()
		require.ErrorIs(t, s.WaitUntilTasksComplete(bg, e), graphevent.ErrGoexit)
		e = s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
			c.Blocking(func() { c.Fork(forkFib, taskgraph.Args{}) })
			return nil
		})).Launch()
		require.ErrorContains(t, s.WaitUntilTasksComplete(bg, e), "taskgraph: Fork inside Blocking")
	}
}

// The forks of a body that blocks are its own, although its worker goes on with other bodies and
// their forks.
func TestBlockingBetweenForks(t *testing.T) {
	for _, workers := range []int{1, 2} {
		s := start(t, taskgraph.Options{Workers: workers})
		for range callerRounds(100) {
			var ran [8][4]int
			var events []taskgraph.Event
			for i := range ran {
				events = append(events, s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
					var joins []taskgraph.Join
					for j := range ran[i] {
						run := func(*taskgraph.Context, *taskgraph.Args) { ran[i][j]++ }
						joins = append(joins, c.Fork(run, taskgraph.Args{}))
						c.Blocking(atomics.Gosched)
					}
					for _, j := range slices.Backward(joins) {
						j.Wait()
					}
					return nil
				})).Launch())
			}
			wait(t, s, events...)
			for i := range ran {
				require.Equal(t, [4]int{1, 1, 1, 1}, ran[i])
			}
		}
	}
}

// Inside Blocking the Context still launches and waits.
func TestContextInsideBlocking(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 1})
	for range 100 {
		wait(t, s, s.Task(taskgraph.Run(func(c *taskgraph.Context) (err error) {
			n := 0
			c.Blocking(func() {
				a := c.Go(func() { n++ })
				b := c.Task(taskgraph.Do(func() { n++ })).After(a).Launch()
				err = c.WaitUntilTasksComplete(bg, a, b)
				_ = c.ParallelFor(100, 10, func(lo, hi int) {})
			})
			if n != 2 {
				return errors.New("not run")
			}
			return err
		})).Launch())
	}
}
