package taskgraph_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/taskgraph"
)

// fill launches tasks that wait for gate until one is refused, and returns those that were not.
func fill(t *testing.T, s *taskgraph.System, gate taskgraph.Event) (events []taskgraph.Event) {
	t.Helper()
	for {
		e := s.Task(taskgraph.Do(func() {})).After(gate).Launch()
		if e.IsComplete() {
			require.ErrorIs(t, e.Err(), graphevent.ErrFull)
			return events
		}
		events = append(events, e)
	}
}

// A graph that there is no room for, in a body or outside, can be run once there is.
func TestBoundRefusesAGraph(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 1, MaxTasks: 2})
	var b taskgraph.GraphBuilder
	var ran int
	b.Task(taskgraph.Do(func() { ran++ }))
	g, err := b.Build()
	require.NoError(t, err)
	e := s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		gate := s.NewEvent()
		fill(t, s, gate)
		for range 2 {
			assert.ErrorIs(t, s.RunGraph(c, g), graphevent.ErrFull)
			assert.ErrorIs(t, s.RunGraph(bg, g), graphevent.ErrFull)
		}
		gate.Trigger()
		return nil
	})).Launch()
	wait(t, s, e)
	// What filled the system may run after e, and counts until a moment after that.
	for err = graphevent.ErrFull; errors.Is(err, graphevent.ErrFull); {
		err = s.RunGraph(bg, g)
	}
	require.NoError(t, err)
	require.Equal(t, 1, ran)
}

// The bound is exact, also after launches from everywhere at once, and refused launches of every
// kind fail with ErrFull.
func TestBoundError(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 4, MaxTasks: 8})
	for range 3 {
		gate, events := fillAll(t, s)
		require.ErrorIs(t, s.Go(func() {}).Err(), graphevent.ErrFull)
		require.ErrorIs(t, taskgraph.Retain(taskgraph.Do(func() {})).Name("x").Launch(s).Err(),
			graphevent.ErrFull)
		gate.Trigger()
		wait(t, s, events...)

		var accepted, ran, refused atomics.Int64
		var launchers sync.WaitGroup
		launch := func(begin func(func()) taskgraph.Event) {
			for range 300 {
				e := begin(func() { ran.Add(1) })
				if e.IsComplete() && errors.Is(e.Err(), graphevent.ErrFull) {
					refused.Add(1)
				} else {
					accepted.Add(1)
				}
			}
		}
		for range 3 {
			launchers.Add(1)
			atomics.Go(func() { defer launchers.Done(); launch(s.Go) })
		}
		e := s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
			launch(c.Go)
			return c.ParallelFor(100, 1, func(lo, hi int) {})
		})).Launch()
		launchers.Wait()
		_ = s.WaitUntilTasksComplete(bg, e) // may have been refused as well
		gate, events = fillAll(t, s)        // all that was accepted is over, and no place is lost
		gate.Trigger()
		wait(t, s, events...)
		require.Equal(t, accepted.Load(), ran.Load())
	}
}

// fillAll fills a system that has room for 8 tasks. The event of a task is complete a moment before
// its place is free, so it may have to try again.
func fillAll(t *testing.T, s *taskgraph.System) (gate taskgraph.Event, events []taskgraph.Event) {
	t.Helper()
	for {
		gate = s.NewEvent()
		events = fill(t, s, gate)
		require.LessOrEqual(t, len(events), 8)
		if len(events) == 8 {
			return gate, events
		}
		gate.Trigger()
		wait(t, s, events...)
		runtime.Gosched()
	}
}

// A launcher runs what there is no room for, in a body and outside, whatever it does.
func TestBoundInline(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 1, MaxTasks: 4, WhenFull: taskgraph.FullInline})
	gate := s.NewEvent()
	var waiting []taskgraph.Event
	for range 4 {
		waiting = append(waiting, s.Task(taskgraph.Do(func() {})).After(gate).Launch())
	}
	ran := false
	e := s.Go(func() { ran = true })
	require.True(t, e.IsComplete() && ran)
	worker := 0
	e = s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		worker = c.Worker()
		inner := c.Spawn(taskgraph.Do(func() {}))
		assert.True(t, inner.IsComplete())
		assert.NoError(t, c.ParallelFor(10, 1, func(int, int) {}))
		return c.WaitUntilTasksComplete(bg, inner)
	})).Launch()
	require.True(t, e.IsComplete())
	require.NoError(t, e.Err())
	require.Equal(t, -1, worker)

	boom := errors.New("boom")
	require.ErrorIs(t, s.Go(func() { panic(boom) }).Err(), boom)
	// What cannot run now is launched in spite of the bound.
	late := s.Task(taskgraph.Do(func() {})).After(gate).Launch()
	require.False(t, late.IsComplete())
	wait(t, s, s.Task(taskgraph.Do(func() {})).OnOwnThread().Launch())
	gate.Trigger()
	wait(t, s, append(waiting, late)...)

	// In bodies: the tree is far larger than the bound.
	var leaves atomics.Int64
	var tree func(n int) taskgraph.Body
	tree = func(n int) taskgraph.Body {
		return taskgraph.Run(func(c *taskgraph.Context) error {
			if n == 0 {
				leaves.Add(1)
				return nil
			}
			for range 3 {
				c.Nest(tree(n - 1))
			}
			return nil
		})
	}
	wait(t, s, s.Task(tree(6)).Launch())
	require.EqualValues(t, 729, leaves.Load())
}

// Goroutines from outside wait for room; there are never more tasks than the bound allows.
func TestBoundBlock(t *testing.T) {
	for _, workers := range []int{1, 4} {
		s := start(t, taskgraph.Options{Workers: workers, MaxTasks: 3,
			WhenFull: taskgraph.FullBlock})
		var live, most, ran atomics.Int64
		var launchers sync.WaitGroup
		for range 4 {
			launchers.Add(1)
			atomics.Go(func() {
				defer launchers.Done()
				for range brief(300, 80) {
					task := s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
						ran.Add(1)
						c.Spawn(taskgraph.Do(func() { ran.Add(1) })) // does not block
						live.Add(-1)
						return nil
					}))
					for n := live.Add(1); n > most.Load(); n = live.Load() {
						most.Store(n)
					}
					task.Launch()
				}
			})
		}
		launchers.Wait()
		// A launch from outside that finds no room returns when it does.
		require.LessOrEqual(t, most.Load(), int64(3))
		gate := s.NewEvent()
		for range 3 {
			s.Task(taskgraph.Do(func() {})).After(gate).Launch()
		}
		atomics.Go(func() { gate.Trigger() })
		wait(t, s, s.Go(func() {}))
	}
}

// A shutdown lets go who blocks: the launch is refused.
func TestBoundBlockAndShutdown(t *testing.T) {
	guard(t)
	for range 20 {
		s := taskgraph.Start(taskgraph.Options{Workers: 2, MaxTasks: 1,
			WhenFull: taskgraph.FullBlock})
		hold, in := make(chan struct{}), make(chan struct{})
		s.Go(func() { close(in); <-hold })
		<-in
		var launchers sync.WaitGroup
		for range 3 {
			launchers.Add(1)
			atomics.Go(func() {
				defer launchers.Done()
				for {
					if e := s.Go(func() {}); e.IsComplete() &&
						errors.Is(e.Err(), graphevent.ErrClosed) {
						return
					}
				}
			})
		}
		close(hold)
		require.NoError(t, s.Shutdown(bg))
		launchers.Wait()
	}
}

func TestBoundMisuse(t *testing.T) {
	require.PanicsWithValue(t, "taskgraph: Options.MaxTasks is negative", func() {
		taskgraph.Start(taskgraph.Options{MaxTasks: -1})
	})
	require.PanicsWithValue(t, "taskgraph: Options.WhenFull is no policy", func() {
		taskgraph.Start(taskgraph.Options{WhenFull: 9})
	})
}

func TestBoundAllocations(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 1, MaxTasks: 100})
	f := func() {}
	launch := func() { _ = s.WaitUntilTasksComplete(bg, s.Go(f)) }
	for range 2000 {
		launch()
	}
	require.Less(t, testing.AllocsPerRun(2000, launch), 1.0)
}

// With a bound, more tasks at once than memory has room for are no more than it allows.
func TestFault_TooManyTasksAtOnce(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 2, MaxTasks: 100, WhenFull: taskgraph.FullBlock})
	var ran atomics.Int64
	n := int64(callerRounds(50_000))
	for launched := range n {
		require.LessOrEqual(t, launched-ran.Load(), int64(100))
		s.Go(func() { ran.Add(1) })
	}
	for ran.Load() < n {
		runtime.Gosched()
	}
}

// A producer that is faster than the workers is slowed down to their pace.
func ExampleFullPolicy() {
	ctx := context.Background()
	sys := taskgraph.Start(taskgraph.Options{MaxTasks: 4, WhenFull: taskgraph.FullBlock})

	var squares [1000]int
	for i := range squares {
		sys.Go(func() { squares[i] = i * i }) // waits while four tasks are incomplete
	}
	_ = sys.Shutdown(ctx)
	fmt.Println(squares[999])
	// Output: 998001
}

func TestBoundInlineInsideBlockingForks(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 2, MaxTasks: 1, WhenFull: taskgraph.FullInline})
	run(t, s, func(c *taskgraph.Context) (err error) {
		c.Blocking(func() {
			err = c.Task(taskgraph.Run(func(c *taskgraph.Context) error {
				a := c.Fork(func(_ *taskgraph.Context, a *taskgraph.Args) { a.A++ },
					taskgraph.Args{A: 1}).Wait()
				require.Equal(t, int64(2), a.A)
				return nil
			})).Launch().Err()
		})
		return err
	})
}

// One wake for one room: if each completion woke all who block, this would take minutes.
func TestBoundBlockManyGoroutines(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 1, MaxTasks: 1, WhenFull: taskgraph.FullBlock})
	var ran atomics.Int64
	var all sync.WaitGroup
	many := brief(200, 50)
	for range many {
		all.Go(func() {
			for range 20 {
				s.Go(func() { ran.Add(1) })
			}
		})
	}
	all.Wait()
	require.NoError(t, s.Shutdown(t.Context()))
	require.Equal(t, int64(20*many), ran.Load())
}

// A task that runs in its launch and launches the next one in its turn does not make the stack grow
// without end.
func TestInlineLaunchesDoNotPileUp(t *testing.T) {
	const chain = 5000
	for name, outside := range map[string]bool{"Context": false, "System": true} {
		t.Run(name, func(t *testing.T) {
			s := start(t, taskgraph.Options{Workers: 1, MaxTasks: 1,
				WhenFull: taskgraph.FullInline})
			var on, most, ran atomics.Int32
			end := s.NewEvent()
			var link taskgraph.Body
			link = taskgraph.Run(func(c *taskgraph.Context) error {
				most.Store(max(most.Load(), on.Add(1)))
				defer on.Add(-1)
				switch {
				case ran.Add(1) == chain:
					end.Trigger()
				case outside:
					s.Task(link).Launch()
				default:
					c.Spawn(link)
				}
				return nil
			})
			s.Task(link).Launch()
			wait(t, s, end)
			require.LessOrEqual(t, most.Load(), int32(1000))
			require.Greater(t, most.Load(), int32(10), "it does run there and then")
		})
	}
}
