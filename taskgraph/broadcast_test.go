package taskgraph_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sort"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/namedthread"
	"github.com/heddle-go/heddle/sleepevent"
	"github.com/heddle-go/heddle/taskgraph"
)

// called collects where a broadcast was.
type called struct {
	mu    sync.Mutex
	where []string
}

func (c *called) note(worker int, th *namedthread.Thread) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if th != nil {
		c.where = append(c.where, th.Name())
		if worker != -1 {
			c.where = append(c.where, "worker on a thread")
		}
		return
	}
	c.where = append(c.where, fmt.Sprint(worker))
}

func (c *called) take() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := c.where
	c.where = nil
	sort.Strings(all)
	return all
}

func startThread(t *testing.T, reg *namedthread.Registry, name string) *namedthread.Thread {
	t.Helper()
	th, err := reg.Start(name, namedthread.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { th.Quit(); <-th.Done() })
	return th
}

func TestBroadcastReachesEachWorkerAndThreadOnce(t *testing.T) {
	for _, park := range []sleepevent.Park{0, sleepevent.ParkGo} {
		for _, workers := range []int{1, 2, 5} {
			reg := namedthread.NewRegistry()
			startThread(t, reg, "Game")
			startThread(t, reg, "Render")
			s := start(t, taskgraph.Options{Workers: workers, Threads: reg, Park: park})
			want := []string{"Game", "Render"}
			for i := range workers {
				want = append(want, fmt.Sprint(i))
			}
			sort.Strings(want)
			var c called
			for range brief(30, 8) {
				require.NoError(t, s.Broadcast(bg, c.note))
				require.Equal(t, want, c.take())
				require.NoError(t, s.Rendezvous(bg, c.note))
				require.Equal(t, want, c.take())
			}
			// From inside a body, on a worker, on a thread, on a thread of its own and inside
			// Blocking.
			for _, meet := range []bool{false, true} {
				cast := func(c2 *taskgraph.Context) error {
					if meet {
						return c2.System().Rendezvous(c2, c.note)
					}
					return c2.System().Broadcast(c2, c.note)
				}
				run(t, s, cast)
				require.Equal(t, want, c.take())
				th, _ := reg.Lookup("Game")
				wait(t, s, s.Task(taskgraph.Run(cast)).On(th).Launch())
				require.Equal(t, want, c.take())
				wait(t, s, s.Task(taskgraph.Run(cast)).OnOwnThread().Launch())
				require.Equal(t, want, c.take())
				run(t, s, func(c2 *taskgraph.Context) (err error) {
					c2.Blocking(func() { err = cast(c2) })
					return err
				})
				require.Equal(t, want, c.take())
			}
		}
	}
}

// Nobody goes on before all have come, and f runs on the thread that it says.
func TestRendezvousMeets(t *testing.T) {
	reg := namedthread.NewRegistry()
	startThread(t, reg, "Game")
	s := start(t, taskgraph.Options{Workers: 3, Threads: reg})
	release := occupy(t, s, 2)
	var came atomics.Int32
	done := make(chan error, 1)
	go func() {
		done <- s.Rendezvous(bg, func(_ int, th *namedthread.Thread) {
			came.Add(1)
			cur, err := namedthread.Current()
			assert.True(t, (th == nil) == (err != nil), "worker or thread")
			assert.True(t, th == nil || cur == th)
		})
	}()
	for range 100 {
		runtime.Gosched()
		require.Zero(t, came.Load())
	}
	release()
	require.NoError(t, <-done)
	require.EqualValues(t, 4, came.Load())
}

// A body that waits through its Context has given its worker away, so it holds up no broadcast.
func TestBroadcastReachesTheWorkersOfBodiesThatWait(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 2})
	e := s.NewEvent()
	var in sync.WaitGroup
	in.Add(4)
	var all []taskgraph.Event
	for range 4 {
		all = append(all, s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
			in.Done()
			return c.WaitUntilTasksComplete(bg, e)
		})).Launch())
	}
	in.Wait()
	var c called
	require.NoError(t, s.Rendezvous(bg, c.note))
	require.Equal(t, []string{"0", "1"}, c.take())
	e.Trigger()
	wait(t, s, all...)
}

// A thread comes when it pumps, and not in a wait, although that runs what it waits for.
func TestBroadcastIsNotInAWaitOfAThread(t *testing.T) {
	reg := namedthread.NewRegistry()
	th := startThread(t, reg, "waits")
	s := start(t, taskgraph.Options{Workers: 1, Threads: reg})
	for range 20 {
		e, waits, over := s.NewEvent(), make(chan struct{}), false
		outer := s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
			inside := c.Task(taskgraph.Do(func() { close(waits) })).On(th).Launch()
			err := c.Wait(inside, e)
			over = true
			return err
		})).On(th).Launch()
		<-waits
		wait(t, s, outer, s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
			return s.Broadcast(c, func(_ int, on *namedthread.Thread) {
				if on == nil {
					e.Trigger() // the caller comes once all are invited
				} else {
					assert.True(t, over)
				}
			})
		})).Launch())
	}
}

// Who does not come is named, and is not called later.
func TestBroadcastNamesWhoDoesNotCome(t *testing.T) {
	for _, meet := range []bool{false, true} {
		reg := namedthread.NewRegistry()
		th := startThread(t, reg, "Busy")
		startThread(t, reg, "Free")
		s := start(t, taskgraph.Options{Workers: 2, Threads: reg})
		gate, in := make(chan struct{}), make(chan int, 1)
		open := sync.OnceFunc(func() { close(gate) })
		t.Cleanup(open) // so that a test that fails does not hang too
		blocked := s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
			in <- c.Worker()
			<-gate
			return nil
		})).Launch()
		worker := <-in
		require.NoError(t, th.Post(namedthread.QueueMain, namedthread.PriorityHigh,
			namedthread.Func(func() { <-gate }), 0))
		missing := []string{fmt.Sprintf("worker %d", worker), "thread Busy"}
		var c *called
		var err error
		// On a busy machine others may be late as well: then they are given twice the time.
		for try, late := 0, true; late; try++ {
			require.Less(t, try, 12, "%v", err)
			c = new(called)
			ctx, cancel := context.WithTimeout(bg, 30*time.Millisecond<<try)
			if meet {
				err = s.Rendezvous(ctx, c.note)
			} else {
				err = s.Broadcast(ctx, c.note)
			}
			cancel()
			require.ErrorIs(t, err, context.DeadlineExceeded)
			var short *taskgraph.BroadcastError
			if !errors.As(err, &short) {
				continue // the time was over before the broadcast began
			}
			require.Subset(t, short.Missing, missing)
			late = len(short.Missing) > len(missing) || len(short.Running) > 0
		}
		require.EqualError(t, err,
			fmt.Sprintf("taskgraph: broadcast without worker %d and thread Busy: context "+
				"deadline exceeded", worker))
		if meet {
			require.Empty(t, c.take(), "all or none")
		} else {
			require.Equal(t, []string{fmt.Sprint(1 - worker), "Free"}, c.take())
		}
		open()
		wait(t, s, blocked, s.Task(noop()).On(th).Launch())
		require.NoError(t, s.Rendezvous(bg, func(int, *namedthread.Thread) {}))
		require.Empty(t, c.take(), "withdrawn for ever")
	}
}

// One that has come and does not return is named as running, and holds up the next broadcast.
func TestBroadcastNamesWhoDoesNotReturn(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 2})
	gate, in := make(chan struct{}), make(chan struct{}, 2)
	ctx, cancel := context.WithCancel(bg)
	go func() { <-in; <-in; cancel() }()
	err := s.Broadcast(ctx, func(int, *namedthread.Thread) { in <- struct{}{}; <-gate })
	require.EqualError(t, err,
		"taskgraph: broadcast still running on worker 0 and worker 1: context canceled")
	ctx, cancel = context.WithTimeout(bg, 10*time.Millisecond)
	defer cancel()
	require.ErrorIs(t, s.Broadcast(ctx,
		func(int, *namedthread.Thread) { t.Error("ran out of turn") }), context.DeadlineExceeded)
	close(gate)
	require.NoError(t, s.Broadcast(bg, func(int, *namedthread.Thread) {}))
}

// Broadcasts from everywhere at a time, and tasks, and waits: each call comes to each place once.
func TestConcurrentBroadcastsDoNotDeadlock(t *testing.T) {
	reg := namedthread.NewRegistry()
	threads := []*namedthread.Thread{startThread(t, reg, "Game"), startThread(t, reg, "Render")}
	s := start(t, taskgraph.Options{Workers: 3, Threads: reg})
	var count atomics.Int64
	places := int64(5)
	var all []taskgraph.Event
	var out sync.WaitGroup
	const each = 15
	casts := int64(0)
	body := func(meet bool) taskgraph.Body {
		casts++
		return taskgraph.Run(func(c *taskgraph.Context) error {
			n := c.Go(func() {})
			f := func(int, *namedthread.Thread) { count.Add(1) }
			if meet {
				return c.System().Rendezvous(c, f)
			}
			if err := c.System().Broadcast(c, f); err != nil {
				return err
			}
			return c.WaitUntilTasksComplete(bg, n)
		})
	}
	for i := range each {
		all = append(all, s.Task(body(i%2 == 0)).Launch(),
			s.Task(body(i%3 == 0)).On(threads[i%2]).Launch(),
			s.Task(body(i%2 == 0)).OnOwnThread().Launch())
		casts++
		out.Go(func() {
			assert.NoError(t, s.Rendezvous(bg, func(int, *namedthread.Thread) { count.Add(1) }))
		})
		for range 20 {
			s.Go(func() {})
		}
	}
	wait(t, s, all...)
	out.Wait()
	require.Equal(t, casts*places, count.Load())
}

// Each broadcast is whole or not at all, whatever ends it.
func TestRendezvousIsAllOrNone(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 3})
	whole, none := 0, 0
	for i := 0; i < 300; i += brief(1, 4) {
		ctx, cancel := context.WithCancel(bg)
		var n atomics.Int32
		go func() {
			for range i {
				runtime.Gosched()
			}
			cancel()
		}()
		err := s.Rendezvous(ctx, func(int, *namedthread.Thread) { n.Add(1) })
		cancel()
		// all of the first have ended
		require.NoError(t, s.Broadcast(bg, func(int, *namedthread.Thread) {}))
		if got := n.Load(); got == 3 {
			whole++
		} else {
			require.Error(t, err)
			require.Zero(t, got)
			none++
		}
	}
	t.Logf("%d whole, %d not", whole, none)
}

// A panic or a Goexit in one place is an error; the others go on, and the worker lives or is
// replaced.
func TestBroadcastOfAFunctionThatFails(t *testing.T) {
	reg := namedthread.NewRegistry()
	startThread(t, reg, "Game")
	s := start(t, taskgraph.Options{Workers: 2, Threads: reg})
	for range 5 {
		var c called
		err := s.Broadcast(bg, func(w int, th *namedthread.Thread) {
			c.note(w, th)
			switch {
			case w == 0:
				panic("boom")
			case th == nil:
				runtime.Goexit()
			}
		})
		var p *graphevent.PanicError
		require.ErrorAs(t, err, &p)
		require.Equal(t, "boom", p.Value)
		require.ErrorIs(t, err, graphevent.ErrGoexit)
		require.Equal(t, []string{"0", "1", "Game"}, c.take())
		require.ErrorIs(t, s.Broadcast(bg, func(_ int, th *namedthread.Thread) {
			if th != nil {
				runtime.Goexit()
			}
		}), graphevent.ErrGoexit)
		require.NoError(t, s.Rendezvous(bg, c.note))
		require.Equal(t, []string{"0", "1", "Game"}, c.take())
	}
	run(t, s, func(c *taskgraph.Context) error {
		var p *graphevent.PanicError
		own := c.Worker()
		assert.ErrorAs(t, c.System().Broadcast(c, func(w int, _ *namedthread.Thread) {
			if w == own {
				panic("own")
			}
		}), &p)
		return nil
	})
}

// A thread that has quit takes no part, also if it quits after it was called.
func TestBroadcastWithoutThreadsThatQuit(t *testing.T) {
	reg := namedthread.NewRegistry()
	s := start(t, taskgraph.Options{Workers: 1, Threads: reg})
	th, err := reg.Start("Quits", namedthread.Options{})
	require.NoError(t, err)
	in, gate := make(chan struct{}), make(chan struct{})
	require.NoError(t, th.Post(namedthread.QueueMain, namedthread.PriorityHigh,
		namedthread.Func(func() { close(in); <-gate }), 0))
	<-in
	done := make(chan error, 1)
	var c called
	go func() { done <- s.Rendezvous(bg, c.note) }()
	th.Quit()
	close(gate)
	require.NoError(t, <-done)
	<-th.Done()
	got := c.take()
	require.Contains(t, [][]string{{"0"}, {"0", "Quits"}}, got)
}

func TestBroadcastAndShutdown(t *testing.T) {
	s := taskgraph.Start(taskgraph.Options{Workers: 2})
	require.NoError(t, s.Shutdown(bg))
	require.ErrorIs(t, s.Broadcast(bg, func(int, *namedthread.Thread) { t.Error("ran") }),
		graphevent.ErrClosed)
	require.ErrorIs(t, s.Rendezvous(bg, func(int, *namedthread.Thread) { t.Error("ran") }),
		graphevent.ErrClosed)
	require.PanicsWithValue(t, "taskgraph: Broadcast of a nil function", func() {
		_ = s.Broadcast(bg, nil)
	})

	// One that goes on when a shutdown begins ends with it, and so do those behind it, whoever
	// calls.
	for i := range callerRounds(40) {
		guard(t)
		reg := namedthread.NewRegistry()
		th, err := reg.Start("Busy", namedthread.Options{})
		require.NoError(t, err)
		gate := make(chan struct{})
		require.NoError(t, th.Post(namedthread.QueueMain, namedthread.PriorityHigh,
			namedthread.Func(func() { <-gate }), 0))
		s := taskgraph.Start(taskgraph.Options{Workers: 2, Threads: reg,
			StuckAfter: 5 * time.Millisecond})
		var out sync.WaitGroup
		f := func(int, *namedthread.Thread) {}
		for range 2 {
			out.Go(func() { assert.ErrorIs(t, s.Rendezvous(bg, f), graphevent.ErrClosed) })
			out.Go(func() { assert.ErrorIs(t, s.Broadcast(bg, f), graphevent.ErrClosed) })
		}
		var e taskgraph.Event
		if i%2 == 0 {
			e = s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
				err := c.System().Rendezvous(c, f)
				assert.ErrorIs(t, err, graphevent.ErrClosed)
				return nil
			})).Launch()
		}
		for range i % 7 {
			runtime.Gosched()
		}
		_ = s.Shutdown(bg)
		out.Wait()
		_ = e.Wait(bg)
		close(gate)
		th.Quit()
		<-th.Done()
	}
}

// A broadcast that waits for somebody is in the stuck report.
func TestStuckReportNamesWhoIsAwaitedInABroadcast(t *testing.T) {
	reg := namedthread.NewRegistry()
	th := startThread(t, reg, "Busy")
	gate := make(chan struct{})
	require.NoError(t, th.Post(namedthread.QueueMain, namedthread.PriorityHigh,
		namedthread.Func(func() { <-gate }), 0))
	s := start(t, taskgraph.Options{Workers: 1, Threads: reg})
	done := make(chan error, 1)
	go func() { done <- s.Broadcast(bg, func(int, *namedthread.Thread) {}) }()
	text := ""
	for text != "taskgraph: idle with 2 incomplete\n  event \"broadcast\" waits for thread Busy\n  a goroutine waits for event \"broadcast\"" {
		text = s.Stuck().String()
		runtime.Gosched()
	}
	close(gate)
	require.NoError(t, <-done)
}
