package taskgraph_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/namedthread"
	"github.com/heddle-go/heddle/taskgraph"
)

// rounds returns a body that runs n times, and calls each before every round.
func rounds(n int, each func(c *taskgraph.Context, round int) []taskgraph.Event) (taskgraph.Body,
	*int) {
	round := 0
	return taskgraph.Run(func(c *taskgraph.Context) error {
		round++
		var after []taskgraph.Event
		if each != nil {
			after = each(c, round)
		}
		if round < n {
			c.Again(after...)
		}
		return nil
	}), &round
}

// Any number of rounds takes no more memory than one.
func TestAgainInConstantMemory(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 1})
	n := 1_000_000
	if testing.Short() {
		n = 10_000
	}
	body, round := rounds(n, nil)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	wait(t, s, s.Task(body).Launch())
	runtime.ReadMemStats(&after)
	require.Equal(t, n, *round)
	// What is left are the segments of the shared queue.
	require.Less(t, after.Mallocs-before.Mallocs, uint64(n/100+1000))

	// Also with more edges than a node holds by itself, of both kinds.
	n /= 20
	leaf := taskgraph.Do(func() {})
	var events [5]taskgraph.Event
	body, round = rounds(n, func(c *taskgraph.Context, _ int) []taskgraph.Event {
		for i := range events {
			events[i] = c.Spawn(leaf)
			c.Nest(leaf)
		}
		return events[:]
	})
	runtime.ReadMemStats(&before)
	wait(t, s, s.Task(body).Launch())
	runtime.ReadMemStats(&after)
	require.Equal(t, n, *round)
	// What is left are the segments of the shared queue.
	require.Less(t, after.Mallocs-before.Mallocs, uint64(n/100+1000))
}

// A task that waits for one event between its rounds takes no memory for a list of one.
func TestAgainAfterOneEvent(t *testing.T) {
	const n = 2000
	s := start(t, taskgraph.Options{Workers: 1})
	run := func(again bool) uint64 {
		gate := s.NewEvent()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		events := make([]taskgraph.Event, n)
		for i := range events {
			first := true
			events[i] = s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
				if first && again {
					c.Again(gate)
				}
				first = false
				return nil
			})).Launch()
		}
		gate.Trigger()
		wait(t, s, events...)
		runtime.ReadMemStats(&after)
		return after.Mallocs - before.Mallocs
	}
	run(false) // makes the nodes
	plain := run(false)
	require.Less(t, run(true), plain+n*3/2,
		"one thing more a task: what a node keeps for tasks that run again")
}

// A round begins after the events that the last one named, and after what it held open.
func TestAgainWaitsForItsEvents(t *testing.T) {
	for _, workers := range []int{1, 4} {
		s := start(t, taskgraph.Options{Workers: workers})
		var done atomics.Int32
		body, round := rounds(50, func(c *taskgraph.Context, round int) []taskgraph.Event {
			assert.EqualValues(t, 3*(round-1), done.Load())
			count := taskgraph.Do(func() { done.Add(1) })
			c.Nest(count)
			foreign := graphevent.NewStore(graphevent.Options{}).NewEvent()
			c.DontCompleteUntil(foreign)
			c.Spawn(taskgraph.Do(func() { done.Add(1); foreign.Trigger() }))
			return []taskgraph.Event{c.Spawn(count)}
		})
		e := s.Task(body).Launch()
		next := s.Task(taskgraph.Do(func() { assert.Equal(t, 50, *round) })).After(e).Launch()
		wait(t, s, e, next)
	}
}

// Waits from outside and in bodies, which run a round early and leave the entry of it behind.
func TestAgainUnderWaits(t *testing.T) {
	for _, workers := range []int{1, 2, 4} {
		s := start(t, taskgraph.Options{Workers: workers})
		for range brief(30, 8) {
			var total atomics.Int32
			var e taskgraph.Event
			wait(t, s, s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
				inner := 0
				e = c.Spawn(taskgraph.Run(func(c *taskgraph.Context) error {
					total.Add(1)
					if inner++; inner == 40 {
						return nil
					}
					switch inner % 3 {
					case 0:
						c.Again()
					case 1:
						c.Again(c.Go(func() {}), c.Go(func() {}))
					default:
						c.Nest(taskgraph.Do(func() {}))
						c.Again(c.Event().Store().NewEvent(), taskgraph.Event{})
						return errTrigger(c)
					}
					return nil
				}))
				// On top of it, so that the wait finds it not on top of the deque.
				waiters := make([]taskgraph.Event, 5)
				for i := range waiters {
					waiters[i] = c.Spawn(taskgraph.Run(func(c *taskgraph.Context) error {
						return c.WaitUntilTasksComplete(bg, e)
					}))
				}
				return c.WaitUntilTasksComplete(bg, append(waiters, e)...)
			})).Launch())
			wait(t, s, e)
			require.EqualValues(t, 40, total.Load())
		}
	}
}

// errTrigger triggers every manual event that is incomplete, in a task of its own.
func errTrigger(c *taskgraph.Context) error {
	store := c.Event().Store()
	c.Go(func() {
		for e := range store.Incomplete {
			if e.State() == graphevent.StateUntriggered {
				e.Trigger()
			}
		}
	})
	return nil
}

// A failure of what a round waits for ends the task, and so do the body's own and a panic.
func TestAgainFailure(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 2})
	no := errors.New("no")
	for name, end := range map[string]func(c *taskgraph.Context) error{
		"after": func(c *taskgraph.Context) error {
			c.Again(c.Spawn(taskgraph.Try(func() error { return no })))
			return nil
		},
		"nested": func(c *taskgraph.Context) error {
			c.Again()
			c.Nest(taskgraph.Try(func() error { return no }))
			return nil
		},
		"body":  func(c *taskgraph.Context) error { c.Again(); return no },
		"panic": func(c *taskgraph.Context) error { c.Again(); panic(no) },
		"earlier": func(c *taskgraph.Context) error {
			e := s.NewEvent()
			e.Fail(no)
			c.Again(e)
			return nil
		},
	} {
		round := 0
		e := s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
			if round++; round == 3 {
				return end(c)
			}
			c.Again(c.Go(func() {}))
			return nil
		})).Launch()
		require.ErrorIs(t, s.WaitUntilTasksComplete(bg, e), no, name)
		require.Equal(t, 3, round, name)
	}
}

// The context of the task ends it between two rounds.
func TestAgainCanceled(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 1})
	ctx, cancel := context.WithCancel(bg)
	round := 0
	e := s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		if round++; round == 5 {
			cancel()
		}
		assert.NotNil(t, c.Done())
		c.Again()
		return nil
	})).Context(ctx).Launch()
	require.ErrorIs(t, s.WaitUntilTasksComplete(bg, e), graphevent.ErrCanceled)
	require.Equal(t, 5, round)
}

// A task that runs again gives others a turn, with one worker too.
func TestAgainGivesOthersATurn(t *testing.T) {
	s := startUnwatched(t, taskgraph.Options{Workers: 1})
	run(t, s, func(c *taskgraph.Context) error {
		stop := false
		e := c.Spawn(taskgraph.Run(func(c *taskgraph.Context) error {
			if !stop {
				c.Again()
			}
			return nil
		}))
		c.Spawn(taskgraph.Do(func() {}))
		c.Spawn(taskgraph.Do(func() { c.System().Go(func() { stop = true }) }))
		return c.WaitUntilTasksComplete(bg, e)
	})
}

// Name, priority and thread stay.
func TestAgainOnNamedThread(t *testing.T) {
	threads := namedthread.NewRegistry()
	th, err := threads.Start("Again", namedthread.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { th.Quit(); <-th.Done() })
	s := start(t, taskgraph.Options{Threads: threads})
	each := func(c *taskgraph.Context, _ int) []taskgraph.Event {
		assert.Equal(t, th, c.Thread())
		return []taskgraph.Event{c.Go(func() {})}
	}
	body, round := rounds(100, each)
	wait(t, s, s.Task(body).On(th).Launch())
	require.Equal(t, 100, *round)

	// The thread waits for it, runs it early, and meets the entry that is left behind.
	body, round = rounds(100, each)
	wait(t, s, s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		return c.WaitUntilTasksComplete(bg, c.Task(body).On(th).Launch())
	})).On(th).Launch())
	require.Equal(t, 100, *round)

	body, round = rounds(3, nil)
	wait(t, s, s.Task(body).OnOwnThread().Launch())
	require.Equal(t, 3, *round)
}

// A shutdown that gives up ends a task that waits to run again, and one that would go on for ever.
func TestAgainAbandoned(t *testing.T) {
	s := taskgraph.Start(taskgraph.Options{Workers: 2, StuckAfter: 1})
	var never taskgraph.Event
	e := s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		never = s.NewEvent()
		c.Again(never)
		return nil
	})).Name("again").Launch()
	var stuck *taskgraph.StuckError
	require.ErrorAs(t, s.Shutdown(bg), &stuck)
	require.Contains(t, stuck.Error(), `task "again" waits for event`)
	require.ErrorIs(t, e.Err(), graphevent.ErrClosed)

	s = taskgraph.Start(taskgraph.Options{Workers: 2})
	in := make(chan struct{}, 1)
	var endless []taskgraph.Event
	for i := range 4 {
		endless = append(endless, s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
			select {
			case in <- struct{}{}:
			default:
			}
			if i%2 == 0 {
				c.Again()
			} else {
				c.Again(c.Go(func() {}))
			}
			return nil
		})).Launch())
	}
	<-in
	ctx, cancel := context.WithCancel(bg)
	cancel()
	require.ErrorAs(t, s.Shutdown(ctx), &stuck)
	for _, e := range endless {
		for !e.IsComplete() { // the round that runs is the last
			runtime.Gosched()
		}
		require.Error(t, e.Err())
	}
}

// What the next round was to wait for does not hold a task open whose body is cut off before it
// returns, nor does it hold the next task in the same memory.
func TestAgainCutOffBeforeNextRound(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 1})
	later := s.NewEvent()
	for _, end := range []struct {
		cut  func() error
		want error
	}{
		{func() error { runtime.Goexit(); return nil }, graphevent.ErrGoexit},
		{func() error { panic(errBoom) }, errBoom},
		{func() error { return errBoom }, errBoom},
	} {
		e := s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
			c.Again(later)
			return end.cut()
		})).Launch()
		require.ErrorIs(t, s.WaitUntilTasksComplete(bg, e), end.want)
		rounds := 0
		e = s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
			if rounds++; rounds < 2 {
				c.Again()
			}
			return nil
		})).Launch()
		require.NoError(t, s.WaitUntilTasksComplete(bg, e))
		require.Equal(t, 2, rounds)
	}
	later.Trigger()
}

func TestAgainMisuse(t *testing.T) {
	s := start(t, taskgraph.Options{})
	run(t, s, func(c *taskgraph.Context) error {
		assert.PanicsWithValue(t, "taskgraph: Again after the task itself", func() {
			c.Again(c.Event())
		})
		c.Fork(func(c *taskgraph.Context, _ *taskgraph.Args) {
			assert.PanicsWithValue(t, "taskgraph: Again inside a forked call", func() { c.Again() })
		}, taskgraph.Args{}).Wait()
		return nil
	})
}

// A simulation steps as often as it needs, each step after the work that the last one launched.
func ExampleContext_Again() {
	ctx := context.Background()
	sys := taskgraph.Start(taskgraph.Options{})
	defer sys.Shutdown(ctx)

	a, b, steps := 0.0, 1.0, 0
	relax := sys.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		if b-a < 0.01 {
			return nil
		}
		steps++
		c.Again(c.Go(func() { a, b = a+(b-a)/4, b-(b-a)/4 }))
		return nil
	})).Launch()
	fmt.Println(sys.WaitUntilTasksComplete(ctx, relax), steps)
	// Output: <nil> 7
}
