package taskgraph_test

import (
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/taskgraph"
)

// A worker takes what is meant for it before its own work, and others take it if it is busy.
func TestNearIsAWish(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 2, Foreground: -1})
	granted := func() int32 {
		release := occupy(t, s, 2)
		var events []taskgraph.Event
		var at atomics.Int32
		for range 50 {
			for worker := range 2 {
				events = append(events, s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
					if c.Worker() == worker {
						at.Add(1)
					}
					return nil
				})).Near(worker).Launch())
			}
		}
		release()
		wait(t, s, events...)
		return at.Load()
	}
	for n := 0; granted() == 0; n++ {
		require.Positive(t, s.Stats().Spares, "nobody but the two workers was there")
		require.Less(t, n, 100,
			"a worker that was added for those that block cannot have run all of it again and again")
	}

	// One worker blocks for ever; what is meant for it runs all the same.
	started, stop := make(chan int, 1), make(chan bool)
	blocked := s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		started <- c.Worker()
		<-stop
		return nil
	})).Launch()
	busy := <-started
	for range 20 {
		wait(t, s, s.Task(taskgraph.Do(func() {})).Near(busy).Launch())
	}
	close(stop)
	wait(t, s, blocked)
	task := s.Task(taskgraph.Do(func() {}))
	require.PanicsWithValue(t, "taskgraph: Near worker 2 of 2", func() { task.Near(2) })
	wait(t, s, task.Launch())
}

func TestInlineTasksRunBeforeWhatIsQueued(t *testing.T) {
	s := startUnwatched(t, taskgraph.Options{Workers: 1})
	var order []string
	note := func(what string) taskgraph.Body {
		return taskgraph.Do(func() { order = append(order, what) })
	}
	release := occupy(t, s, 1)
	first := s.Task(note("first")).Priority(taskgraph.PriorityHigh).Launch()
	events := []taskgraph.Event{first}
	e := first
	for range 3 {
		e = s.Task(note("inline")).After(e).Inline().Launch()
		events = append(events, e)
	}
	events = append(events, s.Task(note("high")).Priority(taskgraph.PriorityHigh).Launch(),
		s.Task(note("ordinary")).After(first).Launch())
	release()
	wait(t, s, events...)
	require.Equal(t, []string{"first", "inline", "inline", "inline", "high", "ordinary"}, order)
}

func TestChainOfInlineTasksKeepsTheStackFlat(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 2})
	gate := s.NewEvent()
	e := gate
	var deepest, n atomics.Int64
	for range 20_000 {
		e = s.Task(taskgraph.Do(func() {
			n.Add(1)
			var pcs [64]uintptr
			if d := int64(runtime.Callers(0, pcs[:])); d > deepest.Load() {
				deepest.Store(d)
			}
		})).After(e).Inline().Launch()
	}
	gate.Trigger()
	wait(t, s, e)
	require.Equal(t, int64(20_000), n.Load())
	require.Less(t, deepest.Load(), int64(40))
}

// An inline task that is awaited by the body that ran before it does not wait for that body's end.
func TestInlineTaskIsSeenByAWait(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 1})
	e := s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		first := c.Go(func() {})
		next := c.Task(taskgraph.Do(func() {})).After(first).Inline().Launch()
		return c.WaitUntilTasksComplete(bg, next)
	})).Launch()
	wait(t, s, e)
}

// atOnce returns how many tasks of a system run at the same time, when there are enough.
func atOnce(t *testing.T, s *taskgraph.System, want int) {
	t.Helper()
	var met sync.WaitGroup
	met.Add(want)
	var events []taskgraph.Event
	for range want {
		events = append(events, s.Go(func() { met.Done(); met.Wait() }))
	}
	wait(t, s, events...)
}

func TestWorkersFollowGOMAXPROCS(t *testing.T) {
	if runtime.NumCPU() < 2 {
		t.Skip("one processor: there is nothing to follow")
	}
	old := runtime.GOMAXPROCS(2)
	defer runtime.GOMAXPROCS(old)
	s := start(t, taskgraph.Options{})
	for s.Active() > 0 { // one for each processor begins, and looks once
		runtime.Gosched()
	}
	for range 20 {
		for _, n := range []int{2, 1, 2} {
			runtime.GOMAXPROCS(n)
			var highest atomics.Int64
			var now atomics.Int64
			wait(t, s, s.Go(func() {})) // somebody runs dry after it
			wait(t, s, s.Go(func() {}))
			var events []taskgraph.Event
			for range 200 {
				events = append(events, s.Go(func() {
					if v := now.Add(1); v > highest.Load() {
						highest.Store(v)
					}
					runtime.Gosched()
					now.Add(-1)
				}))
			}
			wait(t, s, events...)
			// A body of atOnce that comes late makes the other one look blocked.
			require.LessOrEqual(t, highest.Load(), 2+int64(s.Stats().Spares))
			if n == 2 {
				atOnce(t, s, 2)
			}
		}
	}
}

// The end of a graph is seen when the worker runs dry: what it makes ready is not forgotten.
func TestInlineTaskAfterAGraph(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 1})
	var b taskgraph.GraphBuilder
	b.Task(taskgraph.Do(func() {}))
	g, err := b.Build()
	require.NoError(t, err)
	for range 100 {
		release := occupy(t, s, 1)
		e := s.LaunchGraph(g)
		inline := s.Task(taskgraph.Do(func() {})).After(e).Inline().Launch()
		release()
		wait(t, s, inline)
	}
}

// Of several that become ready at once, one may block for another where the system cannot see it.
func TestInlineTaskThatBlocksUnseenForAnother(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 1})
	release := occupy(t, s, 1)
	first := s.Go(func() {})
	second := make(chan struct{})
	var events []taskgraph.Event
	var turn atomics.Int32
	for range 2 {
		// Whichever comes first waits for the one that comes after it.
		events = append(events, s.Task(taskgraph.Do(func() {
			if turn.Add(1) == 1 {
				<-second
				return
			}
			close(second)
		})).After(first).Inline().Launch())
	}
	release()
	wait(t, s, events...)
}

func TestInlineTaskAfterAPanicRunsFirst(t *testing.T) {
	s := startUnwatched(t, taskgraph.Options{Workers: 1})
	var order []string
	wait(t, s, s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		bad := c.Task(taskgraph.Do(func() { panic("bad") }))
		in := c.Task(taskgraph.Do(func() {
			order = append(order,
				"inline")
		})).Inline().Always().After(bad.Event()).Launch()
		queued := c.Go(func() { order = append(order, "queued") })
		e := bad.Launch()
		c.DontCompleteUntil(in, queued)
		e.OnComplete(func(error) {}) // seen
		return nil
	})).Launch())
	require.Equal(t, []string{"inline", "queued"}, order)
}
