package taskgraph_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/namedthread"
	"github.com/heddle-go/heddle/taskgraph"
)

// threads starts named threads that quit at the end of the test, after the systems of the
// test have been shut down.
func threads(t testing.TB, names ...string) (*namedthread.Registry, []*namedthread.Thread) {
	t.Helper()
	reg := namedthread.NewRegistry()
	var ths []*namedthread.Thread
	for _, name := range names {
		th, err := reg.Start(name, namedthread.Options{})
		require.NoError(t, err)
		t.Cleanup(func() { th.Quit(); <-th.Done() })
		ths = append(ths, th)
	}
	return reg, ths
}

func TestTaskOnNamedThread(t *testing.T) {
	reg, ths := threads(t, "Render", "Audio")
	s := start(t, taskgraph.Options{Workers: 2, Threads: reg})
	for range brief(200, 50) {
		var trace []string
		visit := func(name string) taskgraph.Body {
			return taskgraph.Run(func(c *taskgraph.Context) error {
				trace = append(trace, name)
				if th, err := namedthread.Current(); c.Thread() != nil &&
					(err != nil || th != c.Thread() || c.Worker() != -1) {
					return fmt.Errorf("body of %s runs on %v", c.Thread(), th)
				}
				return nil
			})
		}
		a := s.Task(visit("worker")).Launch()
		b := s.Task(visit("render")).After(a).On(ths[0]).Launch()
		c := s.Task(visit("audio")).After(b).On(ths[1]).Priority(taskgraph.PriorityHigh).Launch()
		d := s.Task(visit("worker again")).After(c).Launch()
		wait(t, s, d)
		require.Equal(t, []string{"worker", "render", "audio", "worker again"}, trace)
	}
}

// Trap 6: a body on a named thread waits for work that is bound to the same thread, directly
// and through tasks elsewhere. The work is done under the wait; other work keeps its place.
func TestTrap06_WaitOnNamedThreadForItsOwnWork(t *testing.T) {
	for _, w := range []int{1, 4} {
		reg, ths := threads(t, "Game")
		game := ths[0]
		s := start(t, taskgraph.Options{Workers: w, Threads: reg})
		for range 100 {
			var order []string
			note := func(x string) taskgraph.Body {
				return taskgraph.Do(func() { order = append(order, x) })
			}
			var others []taskgraph.Event
			e := s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
				others = append(others, c.Task(note("other 1")).On(game).Launch())
				// Own work, behind work of the pool, behind own work, with many prerequisites.
				first := c.Task(note("own 1")).On(game).Launch()
				var spread []taskgraph.Event
				for range 7 {
					spread = append(spread, c.Task(taskgraph.Do(func() {})).After(first).Launch())
				}
				others = append(others, c.Task(note("other 2")).On(game).Launch())
				second := c.Task(note("own 2")).After(spread...).On(game).Launch()
				nested := c.Task(taskgraph.Run(func(c *taskgraph.Context) error {
					order = append(order, "nested")
					return c.WaitUntilTasksComplete(bg, c.Task(note("innermost")).On(game).Launch())
				})).After(second).On(game).Launch()
				// One that a plain wait finds by the thread it is called on.
				plain := c.Task(taskgraph.Try(func() error {
					return s.WaitUntilTasksComplete(bg,
						second)
				})).After(nested).On(game).Launch()
				return c.WaitUntilTasksComplete(bg, plain)
			})).On(game).Launch()
			wait(t, s, e)
			wait(t, s, others...)
			require.Equal(t, []string{"own 1", "own 2", "nested", "innermost", "other 1",
				"other 2"}, order)
		}
	}
}

// A body on a worker that waits for pinned work gives its worker away and never runs it.
func TestWorkerWaitsForPinnedWork(t *testing.T) {
	reg, ths := threads(t, "Render")
	s := start(t, taskgraph.Options{Workers: 1, Threads: reg})
	for range 100 {
		run(t, s, func(c *taskgraph.Context) error {
			e := c.Task(taskgraph.Run(func(c *taskgraph.Context) error {
				if c.Thread() != ths[0] {
					return errors.New("ran elsewhere")
				}
				return c.WaitUntilTasksComplete(bg, c.Go(func() {})) // needs the worker
			})).On(ths[0]).Launch()
			return c.WaitUntilTasksComplete(bg, e)
		})
	}
	require.Positive(t, s.Stats().Parks)
}

// The main goroutine can be the game thread: its wait runs what is bound to it.
func TestAttachedThreadWaits(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	reg := namedthread.NewRegistry()
	game, err := reg.Attach("Game", namedthread.Options{})
	require.NoError(t, err)
	defer func() { require.NoError(t, game.Detach()) }()
	s := taskgraph.Start(taskgraph.Options{Workers: 2, Threads: reg})
	var n int
	var e taskgraph.Event
	for range 100 {
		a := s.Task(taskgraph.Do(func() { n++ })).After(e).On(game).Launch()
		e = s.Task(taskgraph.Do(func() {})).After(a).Launch()
	}
	require.NoError(t, s.WaitUntilTasksComplete(bg, e))
	require.Equal(t, 100, n)

	ctx, cancel := context.WithCancel(bg)
	never := s.NewEvent()
	s.Go(cancel)
	require.ErrorIs(t, s.WaitUntilTasksComplete(ctx, never), context.Canceled)
	never.Trigger()

	// Shutdown on the thread runs what is bound to it as well.
	s.Task(taskgraph.Do(func() { n++ })).After(s.Go(func() {})).On(game).Launch()
	require.NoError(t, s.Shutdown(bg))
	require.Equal(t, 101, n)
}

func TestFailuresOnNamedThread(t *testing.T) {
	reg, ths := threads(t, "Render")
	s := start(t, taskgraph.Options{Workers: 1, Threads: reg})
	for name, tc := range failingBodies {
		t.Run(name, func(t *testing.T) {
			e := s.Task(tc.body).On(ths[0]).Launch()
			tc.check(t, s.WaitUntilTasksComplete(bg, e))
			ok := s.Task(taskgraph.Do(func() {})).On(ths[0]).Launch()
			wait(t, s, ok)
		})
	}
}

// Work bound to a thread that quits completes, as cancelled or closed; it is never lost.
func TestThreadQuitsWithWorkLeft(t *testing.T) {
	for range brief(50, 15) {
		reg := namedthread.NewRegistry()
		th, err := reg.Start("Loader", namedthread.Options{})
		require.NoError(t, err)
		s := start(t, taskgraph.Options{Workers: 2, Threads: reg})
		var ran atomics.Int32
		var events []taskgraph.Event
		var chain taskgraph.Event
		for i := range 100 {
			chain = s.Task(taskgraph.Do(func() {
				ran.Add(1)
			})).After(chain).On(th).Always().Launch()
			events = append(events, chain,
				s.Task(taskgraph.Do(func() { ran.Add(1) })).On(th).Launch())
			if i == 50 {
				th.Quit()
			}
		}
		var done int32
		for _, e := range events {
			err := s.WaitUntilTasksComplete(bg, e)
			switch {
			case err == nil:
				done++
			case !errors.Is(err, graphevent.ErrCanceled) && !errors.Is(err, graphevent.ErrClosed):
				t.Fatal(err)
			}
		}
		require.Equal(t, done, ran.Load())
		<-th.Done()
	}
}

// Work for a thread that has quit changes nothing for the thread that has its index now.
func TestThreadsThatShareAnIndex(t *testing.T) {
	reg := namedthread.NewRegistry()
	old, err := reg.Start("old", namedthread.Options{})
	require.NoError(t, err)
	s := start(t, taskgraph.Options{Workers: 1, Threads: reg})
	bound := s.Task(taskgraph.Do(func() { t.Error("ran") })).On(old)
	old.Quit()
	<-old.Done()
	th, err := reg.Start("new", namedthread.Options{})
	require.NoError(t, err)
	require.Equal(t, old.Index(), th.Index(), "or this test shows nothing")
	e := s.NewEvent()
	waits := func() { assert.NoError(t, s.WaitUntilTasksComplete(bg, e)) }
	require.NoError(t, th.Post(namedthread.QueueMain, namedthread.PriorityNormal,
		namedthread.Func(waits), 0))
	isShown := func(report string) bool { return strings.Contains(report, "thread new") }
	idleReport(s, isShown)
	require.ErrorIs(t, s.WaitUntilTasksComplete(bg, bound.Launch()), graphevent.ErrClosed)
	require.True(t, isShown(s.Stuck().String()))
	e.Trigger()
	th.Quit()
	<-th.Done()
}

// A thread runs what is bound to it and awaited by a task inside of a task that the thread waits
// for.
func TestThreadSeesThroughRun(t *testing.T) {
	guard(t)
	reg, ths := threads(t, "Game")
	s := start(t, taskgraph.Options{Workers: 1, Threads: reg})
	var began, inside atomics.Bool
	await := func(b *atomics.Bool) {
		for !b.Load() {
			runtime.Gosched()
		}
	}
	outer := s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		began.Store(true)
		return s.Run(c, taskgraph.Run(func(c *taskgraph.Context) error {
			await(&inside) // from here on the thread runs only what it waits for
			return c.Wait(c.Task(noop()).On(ths[0]).Launch())
		}))
	})).Launch()
	await(&began)
	onThread(t, s, ths[0], func(c *taskgraph.Context) error {
		inside.Store(true)
		return c.Wait(outer)
	})
}

// A wait that runs what it waits for leaves pinned tasks to their threads, whoever waits and
// however the task is reached: directly, or behind tasks that the wait does run.
func TestRetractionNeverMovesPinnedTask(t *testing.T) {
	reg, ths := threads(t, "Game", "Render", "Audio")
	for _, w := range []int{1, 3} {
		s := start(t, taskgraph.Options{Workers: w, Threads: reg})
		on := func(th *namedthread.Thread) taskgraph.Body {
			return taskgraph.Run(func(c *taskgraph.Context) error {
				if now, err := namedthread.Current(); c.Thread() != th || err != nil || now != th {
					return fmt.Errorf("a task for %v runs on %v", th, now)
				}
				return nil
			})
		}
		waiter := taskgraph.Run(func(c *taskgraph.Context) error {
			var events []taskgraph.Event
			for _, th := range ths {
				first := c.Task(on(th)).On(th).Launch()
				free := c.Task(taskgraph.Do(func() {})).After(first).Launch()
				second := c.Task(on(th)).On(th).Priority(taskgraph.PriorityHigh).After(free).
					Launch()
				events = append(events, c.Task(taskgraph.Do(func() {})).After(second).Launch(),
					first, second)
			}
			return c.WaitUntilTasksComplete(bg, events...)
		})
		for range callerRounds(100) {
			var events []taskgraph.Event
			for range 2 {
				events = append(events, s.Task(waiter).Launch())
			}
			events = append(events, s.Task(waiter).On(ths[0]).Launch(),
				s.Task(waiter).OnOwnThread().Launch())
			wait(t, s, events...)
		}
	}
}

// Threads that wait, each for work bound to the next one, in a ring: what each has left is what
// another waits for. The waits begin when all the work is there, and nobody pumps.
func TestThreadsWaitForEachOther(t *testing.T) {
	names := []string{"Game", "Render", "Audio"}
	for n := 2; n <= len(names); n++ {
		for _, through := range []bool{false, true} {
			reg, ths := threads(t, names[:n]...)
			s := start(t, taskgraph.Options{Workers: 2, Threads: reg})
			for range callerRounds(100) {
				var posted sync.WaitGroup
				posted.Add(n)
				var all []taskgraph.Event
				for i := range ths {
					next := ths[(i+1)%n]
					all = append(all, s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
						there := false
						e := c.Task(taskgraph.Run(func(c *taskgraph.Context) error {
							if there = c.Thread() == next; !there {
								return errors.New("ran elsewhere")
							}
							return nil
						})).On(next).Launch()
						if through { // a body on a worker waits for it, and this one for that
							bound := e
							e = c.Task(taskgraph.Run(func(c *taskgraph.Context) error {
								return c.WaitUntilTasksComplete(bg, bound)
							})).Launch()
						}
						posted.Done()
						posted.Wait()
						return c.WaitUntilTasksComplete(bg, e)
					})).On(ths[i]).Launch())
				}
				wait(t, s, all...)
			}
		}
	}
}

// A wait on a named thread allocates nothing, nor does a wait in what it runs.
func TestThreadWaitAllocations(t *testing.T) {
	threads := namedthread.NewRegistry()
	th, err := threads.Attach("Game", namedthread.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, th.Detach()) })
	s := start(t, taskgraph.Options{Workers: 2, Threads: threads})
	var order []string
	free := taskgraph.Retain(taskgraph.Do(func() {}))
	inner := taskgraph.Retain(taskgraph.Do(func() { order = append(order, "inner") })).On(th)
	first := taskgraph.Retain(taskgraph.Do(func() { order = append(order, "first") })).On(th)
	deep := false
	second := taskgraph.Retain(taskgraph.Do(func() {
		if deep { // a wait on top of a wait
			if err := s.WaitUntilTasksComplete(bg, inner.Launch(s)); err != nil {
				t.Error(err)
			}
		}
		order = append(order, "second")
	})).On(th)
	frame := func() {
		order = order[:0]
		e := second.Launch(s, first.Launch(s, free.Launch(s)))
		if err := s.WaitUntilTasksComplete(bg, e); err != nil {
			t.Error(err)
		}
		// what was run early is queued until then
		if _, err := th.PumpUntilIdle(namedthread.QueueMain); err != nil {
			t.Error(err)
		}
	}
	frames := 1000
	if testing.Short() {
		frames = 200
	}
	for range frames {
		frame()
	}
	require.Less(t, testing.AllocsPerRun(frames, frame), 1.0)
	deep = true
	for range frames {
		frame()
		require.Equal(t, []string{"first", "inner", "second"}, order)
	}
	require.Less(t, testing.AllocsPerRun(frames, frame), 1.0)
}

// A body waits for two that it runs itself, one after the other, and each of those waits for work
// of the thread that waits for the body: what the second needs is found although the first one's
// wait, which was on top of the body's, is over.
func TestThreadSeesWaitsBelowOthers(t *testing.T) {
	threads := namedthread.NewRegistry()
	th, err := threads.Attach("Game", namedthread.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, th.Detach()) })
	s := start(t, taskgraph.Options{Workers: 1, Threads: threads})
	for range 200 {
		ran := 0
		onThread := func(c *taskgraph.Context) error {
			return c.Wait(c.Task(taskgraph.Do(func() { ran++ })).On(th).Launch())
		}
		outer := s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
			second := c.Spawn(taskgraph.Run(onThread))
			first := c.Spawn(taskgraph.Run(onThread))
			return c.Wait(second, first)
		})).Launch()
		wait(t, s, outer)
		require.Equal(t, 2, ran)
		_, err := th.PumpUntilIdle(namedthread.QueueMain)
		require.NoError(t, err)
	}
}

// A thread that waits need not look at what is launched in one call, however many prerequisites
// that has: nobody has its event before. It looks when what it waits for comes to depend on that,
// and runs what is bound to it, which then has no more to wait for.
func TestRetainedLaunchesLeaveThreadsThatWaitAlone(t *testing.T) {
	const n = 100
	reg, ths := threads(t, "Game")
	s := start(t, taskgraph.Options{Workers: 2, Threads: reg})
	gate := s.NewEvent()
	var tasks []*taskgraph.Retained
	var ran atomics.Int32
	for range n {
		tasks = append(tasks, taskgraph.Retain(taskgraph.Run(func(c *taskgraph.Context) error {
			if c.Thread() != ths[0] {
				return errors.New("ran elsewhere")
			}
			ran.Add(1)
			return nil
		})).On(ths[0]))
	}
	begun := make(chan struct{})
	launcher := s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		close(begun)
		for !s.IsWaiting(ths[0]) {
			runtime.Gosched()
		}
		before := s.Stirs(ths[0])
		var all []taskgraph.Event
		for _, r := range tasks {
			all = append(all, r.Launch(c, gate))
		}
		require.Equal(t, before, s.Stirs(ths[0]))
		c.Task(taskgraph.Do(func() {})).After(gate).Launch() // could have been seen by others
		require.Equal(t, before+1, s.Stirs(ths[0]))
		c.DontCompleteUntil(all...)
		require.Equal(t, before+2, s.Stirs(ths[0]))
		gate.Trigger()
		return nil
	})).Launch()
	wait(t, s, s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		<-begun
		return c.WaitUntilTasksComplete(bg, launcher)
	})).On(ths[0]).Launch())
	require.EqualValues(t, n, ran.Load())
}
