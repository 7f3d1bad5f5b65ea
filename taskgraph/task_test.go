package taskgraph_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/taskgraph"
)

func TestLaunchFromOutside(t *testing.T) {
	for _, w := range []int{1, 2, 4} {
		t.Run(fmt.Sprint("workers=", w), func(t *testing.T) {
			s := start(t, taskgraph.Options{Workers: w})
			var n atomics.Int64
			var events []taskgraph.Event
			for range 2000 {
				a := s.Go(func() { n.Add(1) })
				b := s.Task(taskgraph.Do(func() { n.Add(1) })).After(a).Launch()
				events = append(events, b)
			}
			wait(t, s, events...)
			require.EqualValues(t, 4000, n.Load())
		})
	}
}

func TestAfterOrdersAndPublishes(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 4})
	for range 200 {
		var x [10]int // plain: the race detector sees what the edges order
		var events []taskgraph.Event
		for i := range x {
			i := i
			task := s.Task(taskgraph.Do(func() {
				sum := 1
				for _, v := range x[:i] {
					sum += v
				}
				x[i] = sum
			}))
			events = append(events, task.After(events...).Launch())
		}
		wait(t, s, events...)
		require.Equal(t, 512, x[9])
	}
}

func TestHeldTaskRunsAfterLaunchOnly(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 2})
	var ran atomics.Bool
	held := s.Task(taskgraph.Do(func() { ran.Store(true) }))
	dependent := s.Task(taskgraph.Do(func() {})).After(held.Event()).Launch()
	wait(t, s, s.Go(func() {})) // the system works meanwhile
	require.False(t, ran.Load())
	require.Equal(t, graphevent.StateHeld, held.Event().State())
	require.Equal(t, graphevent.StateWaiting, dependent.State())
	require.Equal(t, held.Event(), held.Launch())
	wait(t, s, dependent)
	require.True(t, ran.Load())
	require.Equal(t, graphevent.StateCompleted, held.Event().State())
}

func TestMisusePanics(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 1})
	gate := s.NewEvent()
	launched := s.Task(taskgraph.Do(func() {})).After(gate)
	launched.Launch()
	held := s.Task(taskgraph.Do(func() {}))
	for name, tc := range map[string]struct {
		f    func()
		want string
	}{
		"launch twice": {func() { launched.Launch() },
			"taskgraph: Launch of a task that was launched before"},
		"late after": {func() { launched.After(gate) },
			"taskgraph: After of a task that was launched before"},
		"late name": {func() { launched.Name("x") },
			"taskgraph: Name of a task that was launched before"},
		"late priority": {func() { launched.Priority(taskgraph.PriorityHigh) },
			"taskgraph: Priority of a task that was launched before"},
		"late always": {func() { launched.Always() },
			"taskgraph: Always of a task that was launched before"},
		"after itself": {func() {
			held.After(held.Event())
		}, "taskgraph: After of a task on itself"},
		"on nil":         {func() { held.On(nil) }, "taskgraph: On a nil thread"},
		"priority range": {func() { held.Priority(17) }, "taskgraph: Priority out of range"},
		"do nil":         {func() { taskgraph.Do(nil) }, "taskgraph: Do with a nil function"},
		"try nil":        {func() { taskgraph.Try(nil) }, "taskgraph: Try with a nil function"},
		"run nil":        {func() { taskgraph.Run(nil) }, "taskgraph: Run with a nil function"},
		"negative loop": {func() { _ = s.ParallelFor(-1, 0, func(int, int) {}) },
			"taskgraph: ParallelFor over a negative number of elements"},
		"negative grain": {func() {
			_ = s.ParallelFor(1, -1, func(int, int) {})
		}, "taskgraph: ParallelFor with a negative grain"},
		"negative workers": {func() { taskgraph.Start(taskgraph.Options{Workers: -1}) },
			"taskgraph: Options.Workers is -1, not in 0 to 1024"},
		"all foreground": {func() { taskgraph.Start(taskgraph.Options{Workers: 2, Foreground: 2}) },
			"taskgraph: Options.Foreground is 2: one of 2 workers must be left for background work"},
		"zero body": {func() {
			s.Task(taskgraph.Body{})
		}, "taskgraph: task with a zero Body"},
		"launch of nothing": {func() {
			taskgraph.Task{}.Launch()
		}, "taskgraph: Launch of a zero Task"},
		"near of nothing": {func() {
			taskgraph.Task{}.Near(0)
		}, "taskgraph: Near of a zero Task"},
		"after of no node": {func() {
			taskgraph.GraphTask{}.After()
		}, "taskgraph: a GraphTask that no GraphBuilder made"},
		"name of no node": {func() {
			taskgraph.GraphTask{}.Name("x")
		}, "taskgraph: a GraphTask that no GraphBuilder made"},
		"in a nil pipe": {func() { held.In(nil) }, "taskgraph: In of a nil Pipe"},
		"in a zero pipe": {func() {
			held.In(new(taskgraph.Pipe))
		}, "taskgraph: In with one that no System made"},
		"in a nil limiter": {func() { held.Limit(nil) }, "taskgraph: Limit of a nil Limiter"},
		"unit of no semaphore": {func() {
			held.Acquire(nil)
		}, "taskgraph: Acquire of a nil Semaphore"},
	} {
		t.Run(name, func(t *testing.T) { require.PanicsWithValue(t, tc.want, tc.f) })
	}
	run(t, s, func(c *taskgraph.Context) error {
		require.PanicsWithValue(t, "taskgraph: task with a zero Body", func() {
			c.Spawn(taskgraph.Body{})
		})
		require.PanicsWithValue(t, "taskgraph: task with a zero Body", func() {
			c.Nest(taskgraph.Body{})
		})
		return nil
	})
	gate.Trigger()
	held.Launch()
	wait(t, s, launched.Event(), held.Event())
	require.PanicsWithValue(t, "taskgraph: Launch of a task that was launched before", func() {
		held.Launch()
	})
}

func TestManyPrerequisites(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 4})
	for _, n := range []int{0, 1, 3, 4, 5, 6, 9, 100, 1000} {
		gate := s.NewEvent()
		var before atomics.Int64
		task := s.Task(taskgraph.Try(func() error {
			if got := before.Load(); got != int64(n) {
				return fmt.Errorf("%d of %d prerequisites had run", got, n)
			}
			return nil
		}))
		for range n {
			task.After(s.Task(taskgraph.Do(func() { before.Add(1) })).After(gate).Launch())
		}
		e := task.Launch()
		require.Equal(t, n == 0, e.State() != graphevent.StateWaiting)
		gate.Trigger()
		wait(t, s, e)
	}
}

func TestDuplicateAndCompletePrerequisites(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 2})
	gate := s.NewEvent()
	done := s.Go(func() {})
	wait(t, s, done)
	e := s.Task(taskgraph.Do(func() {})).After(gate, done, gate, taskgraph.Event{}, gate).Launch()
	require.False(t, e.IsComplete())
	gate.Trigger()
	wait(t, s, e)
}

// The body is not delayed, the completion is.
func TestDontCompleteUntilFromBody(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 2})
	first, second := s.NewEvent(), s.NewEvent()
	bodyOver := make(chan struct{})
	e := s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		c.DontCompleteUntil(first)
		c.DontCompleteUntil(second, taskgraph.Event{}, c.Go(func() {}))
		return nil
	})).Launch()
	after := s.Task(taskgraph.Do(func() { close(bodyOver) })).After(e).Launch()
	first.Trigger()
	wait(t, s, s.Go(func() {}))
	require.False(t, e.IsComplete())
	select {
	case <-bodyOver:
		t.Fatal("the dependent ran before the task's event completed")
	default:
	}
	second.Trigger()
	wait(t, s, e, after)
}

func TestDontCompleteUntilTakesTheFailure(t *testing.T) {
	s := taskgraph.Start(taskgraph.Options{Workers: 2})
	boom, own := fmt.Errorf("boom"), fmt.Errorf("own")
	for _, body := range []error{nil, own} {
		e := s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
			c.DontCompleteUntil(c.Spawn(taskgraph.Try(func() error { return boom })))
			return body
		})).Launch()
		err := s.WaitUntilTasksComplete(bg, e)
		if body == nil {
			require.ErrorIs(t, err, boom)
		} else {
			require.ErrorIs(t, err, own)
		}
	}
	// Nobody saw the nested failure of the second round.
	err := s.Shutdown(bg)
	require.ErrorIs(t, err, boom)
	require.NotErrorIs(t, err, own)
}

// A body that is retained runs any number of times, and the whole life of a task allocates
// nothing.
func TestTasksDoNotAllocate(t *testing.T) {
	s := startUnwatched(t, taskgraph.Options{Workers: 1})
	empty := taskgraph.Do(func() {})
	const n = 100
	events := make([]taskgraph.Event, n)
	for name, f := range map[string]func(c *taskgraph.Context) error{
		"spawn and wait": func(c *taskgraph.Context) error {
			for i := range events {
				events[i] = c.Spawn(empty)
			}
			return c.WaitUntilTasksComplete(bg, events...)
		},
		"chain": func(c *taskgraph.Context) error {
			var e taskgraph.Event
			for range n {
				e = c.Task(empty).After(e).Launch()
			}
			return c.WaitUntilTasksComplete(bg, e)
		},
		"four prerequisites": func(c *taskgraph.Context) error {
			for i := range events {
				task := c.Task(empty)
				for j := max(0, i-4); j < i; j++ {
					task.After(events[j])
				}
				events[i] = task.Launch()
			}
			return c.WaitUntilTasksComplete(bg, events...)
		},
		"held open": func(c *taskgraph.Context) error {
			for range n {
				c.DontCompleteUntil(c.Spawn(empty))
			}
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			body := taskgraph.Run(f)
			once := func() { _ = s.WaitUntilTasksComplete(bg, s.Task(body).Launch()) }
			for range 50 {
				once()
			}
			// A segment of the shared queue now and then is all there may be.
			require.Less(t, testing.AllocsPerRun(100, once), 1.0)
		})
	}
}

func TestContextTellsWhereItIs(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 3})
	task := s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		switch {
		case c.System() != s:
			return fmt.Errorf("wrong system")
		case c.Worker() < 0 || c.Worker() >= 3:
			return fmt.Errorf("worker %d", c.Worker())
		case c.Thread() != nil:
			return fmt.Errorf("thread %v", c.Thread())
		case c.Event().State() != graphevent.StateExecuting:
			return fmt.Errorf("state %v", c.Event().State())
		case c.Err() != nil || c.Value(1) != nil:
			return fmt.Errorf("context %v", c.Err())
		}
		if _, ok := c.Deadline(); ok {
			return fmt.Errorf("deadline")
		}
		return nil
	}))
	e := task.Event()
	require.Equal(t, e, task.Launch())
	wait(t, s, e)
}

// Launching goroutines, bodies and waiters by the dozen: each task runs exactly once.
func TestConcurrentUse(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 4})
	const goroutines, tasks = 8, 500
	var ran [goroutines * tasks * 2]atomics.Int32
	var wg sync.WaitGroup
	for g := range goroutines {
		wg.Go(func() {
			var events []taskgraph.Event
			for i := range tasks {
				id := (g*tasks + i) * 2
				events = append(events, s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
					ran[id].Add(1)
					c.DontCompleteUntil(c.Go(func() { ran[id+1].Add(1) }))
					return nil
				})).After(events[max(0, len(events)-2):]...).Launch())
			}
			_ = s.WaitUntilTasksComplete(bg, events...)
		})
	}
	wg.Wait()
	require.Equal(t, -1, indexNot1(ran[:]))
}

func indexNot1(x []atomics.Int32) int {
	for i := range x {
		if x[i].Load() != 1 {
			return i
		}
	}
	return -1
}
