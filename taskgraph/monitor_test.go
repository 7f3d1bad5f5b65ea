package taskgraph_test

import (
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/yield"
	"github.com/heddle-go/heddle/sleepevent"
	"github.com/heddle-go/heddle/taskgraph"
)

// spin starts a goroutine that computes until the returned function is called.
func spin() (stop func()) {
	var over atomics.Bool
	var in sync.WaitGroup
	in.Go(func() {
		for !over.Load() {
		}
	})
	return func() { over.Store(true); in.Wait() }
}

// unlessDisturbed requires that no slot is added in what f does. A busy machine may take the
// processor away from a body's thread just when Go counts its goroutine neither as running nor as
// ready, for longer than the monitor needs to take that for blocking: then it is tried again.
func unlessDisturbed(t *testing.T, f func() (spares uint64)) {
	t.Helper()
	spares := uint64(1)
	for attempt := 0; attempt < 10 && spares > 0; attempt++ {
		spares = f()
	}
	require.Zero(t, spares)
}

// computeForTicks has all workers compute for so many ticks of the monitor, with a task queued.
func computeForTicks(t *testing.T, s *taskgraph.System, workers int, ticks uint32) {
	t.Helper()
	var in atomics.Int32
	var over atomics.Bool
	var until atomics.Uint32
	bodies := make([]taskgraph.Event, 0, workers+1)
	for range workers {
		bodies = append(bodies, s.Go(func() {
			in.Add(1)
			for !over.Load() {
				if u := until.Load(); u != 0 && int32(s.Probes()-u) >= 0 {
					over.Store(true)
				}
			}
		}))
	}
	for in.Load() < int32(workers) {
		atomics.Gosched()
	}
	until.Store(s.Probes() + ticks)
	bodies = append(bodies, s.Go(func() { over.Store(true) })) // it has to wait
	wait(t, s, bodies...)
}

// Bodies that compute are not replaced, although they give no sign of life for many ticks of the
// monitor; a body that blocks is, and the work that it waits for gets on.
func TestMonitorTellsComputingFromBlocking(t *testing.T) {
	most := 3
	if testing.Short() {
		most = 1
	}
	for workers := 1; workers <= most; workers++ {
		t.Run(fmt.Sprintf("%d compute", workers), func(t *testing.T) {
			unlessDisturbed(t, func() (spares uint64) {
				s := start(t, taskgraph.Options{Workers: workers})
				computeForTicks(t, s, workers, 10*taskgraph.BlockedTicks)
				return s.Stats().Spares
			})
		})
	}
	for name, block := range map[string]func(s *taskgraph.System, other taskgraph.Event,
		ended <-chan struct{}){
		"a channel": func(_ *taskgraph.System, _ taskgraph.Event, ended <-chan struct{}) {
			<-ended
		},
		"a wait": func(s *taskgraph.System, other taskgraph.Event, _ <-chan struct{}) {
			_ = s.WaitUntilTasksComplete(bg, other)
		},
	} {
		for _, hidden := range []bool{false, true} {
			t.Run(fmt.Sprintf("blocked by %s, hidden %v", name, hidden), func(t *testing.T) {
				s := start(t, taskgraph.Options{Workers: 1})
				if hidden { // as many others compute as bodies should
					defer spin()()
				}
				began, launched, ended := make(chan struct{}), make(chan struct{}),
					make(chan struct{})
				var other taskgraph.Event
				e := s.Go(func() {
					close(began)
					<-launched
					block(s, other, ended)
				})
				<-began
				other = s.Go(func() { close(ended) })
				close(launched)
				wait(t, s, e)
				require.NotZero(t, s.Stats().Spares)
			})
		}
	}
}

// A body that forks and waits for its forks computes: nobody needs to stand in for it, however long
// it takes, and however long its calls take. What else is queued meanwhile has to wait no longer
// than behind any other body.
func TestMonitorSeesForksGoOn(t *testing.T) {
	long := uint32(brief(3*taskgraph.HiddenTicks/2, 9*taskgraph.HiddenTicks/8))
	forLong := func(s *taskgraph.System, ticks uint32, f func()) {
		for until := s.Probes() + ticks; int32(s.Probes()-until) < 0; {
			f()
		}
	}
	compute := func() {
		for until := atomics.Now() + 100_000; atomics.Now() < until; {
		}
	}
	for name, f := range map[string]func(c *taskgraph.Context){
		"many short ones": func(c *taskgraph.Context) {
			forLong(c.System(), long, func() { forkFib(c, &taskgraph.Args{A: 12}) })
		},
		"few long ones": func(c *taskgraph.Context) {
			const calls = 10
			var joins [calls]taskgraph.Join
			// so that something is queued all the time
			last := c.Fork(forkFib, taskgraph.Args{A: 3})
			for i := range joins {
				joins[i] = c.Fork(func(c *taskgraph.Context, _ *taskgraph.Args) {
					forLong(c.System(), long/calls, func() {})
				}, taskgraph.Args{})
			}
			for i := range joins {
				joins[calls-1-i].Wait()
			}
			last.Wait()
		},
		"one at a time beside others": func(c *taskgraph.Context) {
			none := func(*taskgraph.Context, *taskgraph.Args) {}
			lower := [2]taskgraph.Join{c.Fork(none, taskgraph.Args{}),
				c.Fork(none, taskgraph.Args{})}
			forLong(c.System(), long, func() {
				c.Fork(func(*taskgraph.Context, *taskgraph.Args) { compute() },
					taskgraph.Args{}).Wait()
			})
			lower[1].Wait()
			lower[0].Wait()
		},
		"one at a time beside others, with values of any type": func(c *taskgraph.Context) {
			none := func(*taskgraph.Context, *struct{}) {}
			lower := [2]taskgraph.JoinOf[struct{}]{taskgraph.ForkOf(c, none, struct{}{}),
				taskgraph.ForkOf(c, none, struct{}{})}
			forLong(c.System(), long, func() {
				j := taskgraph.ForkOf(c, func(*taskgraph.Context, *struct{}) { compute() },
					struct{}{})
				j.Wait()
			})
			lower[1].Wait()
			lower[0].Wait()
		},
	} {
		t.Run(name, func(t *testing.T) {
			if testing.Short() && name != "one at a time beside others, with values of any type" {
				t.Skip("that one sees the signs of forks and of waits")
			}
			// Without its signs of life somebody would stand in each time.
			unlessDisturbed(t, func() (spares uint64) {
				s := start(t, taskgraph.Options{Workers: 1})
				run(t, s, func(c *taskgraph.Context) error { f(c); return nil })
				return s.Stats().Spares
			})
		})
	}
	for name, launch := range map[string]func(c *taskgraph.Context, f func()){
		"a task of its own":   func(c *taskgraph.Context, f func()) { c.Go(f) },
		"a task from outside": func(c *taskgraph.Context, f func()) { c.System().Go(f) },
	} {
		t.Run(name, func(t *testing.T) {
			s := start(t, taskgraph.Options{Workers: 1})
			run(t, s, func(c *taskgraph.Context) error {
				var over atomics.Bool
				lower := c.Fork(forkFib, taskgraph.Args{A: 3})
				launch(c, func() { over.Store(true) })
				for !over.Load() {
					forkFib(c, &taskgraph.Args{A: 12})
				}
				lower.Wait()
				return nil
			})
			require.NotZero(t, s.Stats().Spares)
		})
	}
}

// In a bubble of testing/synctest time passes only when all in it block, so there a body that
// gives no sign of life blocks, whatever computes elsewhere in the process.
func TestMonitorInABubble(t *testing.T) {
	defer spin()()
	defer spin()()
	synctest.Test(t, func(t *testing.T) {
		s := taskgraph.Start(taskgraph.Options{Workers: 1, Park: sleepevent.ParkGo})
		ended := make(chan struct{})
		e := s.Go(func() { <-ended })
		synctest.Wait() // the body blocks
		began := time.Now()
		other := s.Go(func() { close(ended) })
		wait(t, s, e, other)
		took, spares := time.Since(began), s.Stats().Spares
		require.NoError(t, s.Shutdown(bg))
		// One tick more if the monitor was in the middle of one, that the worker had answered.
		require.LessOrEqual(t, took, (taskgraph.BlockedTicks+1)*taskgraph.WatchTick)
		require.EqualValues(t, 1, spares)
	})
}

// Where Go does not tell, bodies that give no sign of life count as blocked.
func TestLoadThatIsNotTold(t *testing.T) {
	require.False(t, taskgraph.MayCompute(new(yield.Load)))
	require.True(t, taskgraph.MayCompute(yield.NewLoad()))
}
