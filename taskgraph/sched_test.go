package taskgraph_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/taskgraph"
)

var allPriorities = []taskgraph.Priority{
	taskgraph.PriorityHigh, taskgraph.PriorityNormal, taskgraph.PriorityBackgroundHigh,
	taskgraph.PriorityBackgroundNormal, taskgraph.PriorityBackgroundLow,
}

// Fewer tasks than the starvation bound shifts: one worker takes them strictly by priority.
func TestPrioritiesAreTakenInOrder(t *testing.T) {
	for _, from := range []string{"outside", "inside"} {
		t.Run(from, func(t *testing.T) {
			s := startUnwatched(t, taskgraph.Options{Workers: 1})
			var order []taskgraph.Priority
			var events []taskgraph.Event
			launch := func(begin func(taskgraph.Body) taskgraph.Task) {
				for i := range 10 {
					p := allPriorities[len(allPriorities)-1-i%5] // lowest first
					events = append(events, begin(taskgraph.Do(func() {
						order = append(order,
							p)
					})).Priority(p).Launch())
				}
			}
			release := occupy(t, s, 1)
			if from == "outside" {
				launch(s.Task)
			}
			body := s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
				if from == "inside" {
					launch(c.Task)
				}
				return nil
			})).Priority(taskgraph.PriorityHigh).Launch()
			release()
			wait(t, s, body)
			wait(t, s, events...)
			var want []taskgraph.Priority
			for _, p := range allPriorities {
				want = append(want, p, p)
			}
			require.Equal(t, want, order)
		})
	}
}

// The rule: of 61 tasks that a background-capable worker takes, one is looked for from a
// lower level on, each of the five levels in turn.
func TestStarvationIsBounded(t *testing.T) {
	s := startUnwatched(t, taskgraph.Options{Workers: 1})
	for _, p := range allPriorities[1:] {
		var n, at atomics.Int64
		release := occupy(t, s, 1)
		low := s.Task(taskgraph.Do(func() { at.Store(n.Load()) })).Priority(p).Launch()
		var again func()
		stream := taskgraph.PriorityHigh
		again = func() {
			if n.Add(1); !low.IsComplete() && n.Load() < 100_000 {
				s.Task(taskgraph.Do(again)).Priority(stream).Launch()
			}
		}
		for range 3 {
			s.Task(taskgraph.Do(again)).Priority(stream).Launch()
		}
		release()
		wait(t, s, low)
		require.LessOrEqual(t, at.Load(), int64(61*6), "%v", p)
	}
}

// A body that goes on launching does not keep older work of its worker waiting for ever, and
// neither does one of many tasks that came from outside together.
func TestStarvationOfTheOldIsBounded(t *testing.T) {
	s := startUnwatched(t, taskgraph.Options{Workers: 1})
	for _, inside := range []bool{true, false} {
		var n, last atomics.Int64
		old := taskgraph.Do(func() { last.Store(n.Load()) })
		var events []taskgraph.Event
		var again func(c *taskgraph.Context) error
		again = func(c *taskgraph.Context) error {
			if n.Add(1) < 100_000 {
				for _, e := range events {
					if !e.IsComplete() {
						c.DontCompleteUntil(c.Spawn(taskgraph.Run(again)))
						return nil
					}
				}
			}
			return nil
		}
		const olds = 40
		release := occupy(t, s, 1)
		var stream taskgraph.Event
		if inside {
			stream = s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
				for range olds {
					events = append(events, c.Spawn(old))
				}
				return again(c)
			})).Launch()
		} else {
			gate := s.NewEvent()
			stream = s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
				if err := c.WaitUntilTasksComplete(bg, gate); err != nil {
					return err
				}
				return again(c)
			})).Launch()
			for range olds {
				events = append(events, s.Go(func() { last.Store(n.Load()) }))
			}
			gate.Trigger()
		}
		release()
		wait(t, s, stream) // which may still make some of the events
		wait(t, s, events...)
		require.LessOrEqual(t, last.Load(), int64(61*2*5*olds))
	}
}

// Background work waits for a background-capable worker, whatever the others do.
func TestForegroundWorkersRunNoBackgroundWork(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 4, Foreground: 3})
	var events []taskgraph.Event
	var wrong atomics.Int32
	for i := range 200 {
		p := allPriorities[2+i%3]
		events = append(events, s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
			if c.Worker() < 3 {
				wrong.Add(1)
			}
			c.DontCompleteUntil(c.Task(taskgraph.Run(func(c *taskgraph.Context) error {
				if c.Worker() < 3 {
					wrong.Add(1)
				}
				return nil
			})).Priority(p).Launch())
			return nil
		})).Priority(p).Launch())
	}
	wait(t, s, events...)
	require.Zero(t, wrong.Load())
}

// Foreground work gets on while background work occupies every worker that may run it.
func TestBackgroundWorkLeavesForegroundWorkers(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 2})
	gate, in := make(chan struct{}), make(chan struct{})
	long := s.Task(taskgraph.Do(func() {
		close(in)
		<-gate
	})).Priority(taskgraph.PriorityBackgroundHigh).Launch()
	<-in
	for range 100 {
		wait(t, s, s.Go(func() {}))
	}
	close(gate)
	wait(t, s, long)
}

// A tree grown from one task is run by all workers, by stealing alone. Its leaves let others
// run until every worker has been seen.
func TestWorkIsStolen(t *testing.T) {
	const workers = 4
	s := start(t, taskgraph.Options{Workers: workers, Foreground: -1})
	var ran [workers]atomics.Bool
	all := func() bool {
		for i := range ran {
			if !ran[i].Load() {
				return false
			}
		}
		return true
	}
	var grow func(c *taskgraph.Context, depth int) error
	grow = func(c *taskgraph.Context, depth int) error {
		if w := c.Worker(); w < workers {
			ran[w].Store(true)
		}
		if depth == 0 {
			for !all() {
				atomics.Gosched()
			}
			return nil
		}
		for range 2 {
			c.DontCompleteUntil(c.Spawn(taskgraph.Run(func(c *taskgraph.Context) error {
				return grow(c, depth-1)
			})))
		}
		return nil
	}
	run(t, s, func(c *taskgraph.Context) error { return grow(c, 8) })
	require.NoError(t, s.Shutdown(bg)) // workers report what they counted when they run dry
	st := s.Stats()
	require.GreaterOrEqual(t, st.Steals, uint64(workers-1))
	for i, n := range st.Ran[:workers] {
		require.Positive(t, n, "bodies run by worker %d", i)
	}
}

// A chain is run by one worker that wakes nobody.
func TestChainWakesNobody(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 4})
	wakes := func() uint64 { st := s.Stats(); return st.KernelWakes + st.DrowseWakes }
	for try := 0; ; try++ {
		var before, after uint64
		first := s.NewEvent()
		e := first
		e = s.Task(taskgraph.Do(func() { before = wakes() })).After(e).Launch()
		for range 500 {
			e = s.Task(taskgraph.Do(func() {})).After(e).Launch()
		}
		e = s.Task(taskgraph.Do(func() { after = wakes() })).After(e).Launch()
		first.Trigger()
		wait(t, s, e)
		if after == before {
			return
		}
		// The launches above may have left somebody searching. He finds nothing and sleeps. And on
		// a busy machine the worker may stand still for long enough that another is asked to look
		// after it.
		require.Less(t, try, 200, "%d wakes", after-before)
	}
}

// A burst from outside wakes each sleeping worker at most once.
func TestBurstWakesEachWorkerOnce(t *testing.T) {
	const workers = 4
	s := start(t, taskgraph.Options{Workers: workers})
	for range 20 {
		gate := s.NewEvent()
		before := s.Stats()
		var events []taskgraph.Event
		for range 1000 {
			events = append(events, s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
				return c.WaitUntilTasksComplete(bg, gate)
			})).After(gate).Launch())
		}
		gate.Trigger()
		wait(t, s, events...)
		// Each worker sleeps at most once for each time it is woken.
		after := s.Stats()
		require.LessOrEqual(t, after.KernelWakes-before.KernelWakes,
			after.Sleeps-before.Sleeps+workers)
	}
}

func TestParallelForCoversEachElementOnce(t *testing.T) {
	for _, w := range []int{1, 2, 4} {
		s := start(t, taskgraph.Options{Workers: w})
		for _, n := range []int{0, 1, 2, 3, 7, 64, 1000, 4097} {
			for _, grain := range []int{0, 1, 3, 64, 5000} {
				seen := make([]int, n) // plain: each element is one caller's
				body := func(lo, hi int) {
					if lo >= hi || grain > 0 && hi-lo > grain {
						panic(fmt.Sprint("range ", lo, " ", hi))
					}
					for i := lo; i < hi; i++ {
						seen[i]++
					}
				}
				require.NoError(t, s.ParallelFor(n, grain, body))
				run(t, s, func(c *taskgraph.Context) error { return c.ParallelFor(n, grain, body) })
				for i, x := range seen {
					require.Equal(t, 2, x, "element %d of %d, grain %d", i, n, grain)
				}
			}
		}
	}
}

func TestParallelForNested(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 4})
	var sum atomics.Int64
	for _, p := range allPriorities {
		sum.Store(0)
		wait(t, s, s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
			return c.ParallelFor(16, 1, func(lo, hi int) {
				if err := s.ParallelFor(100, 7,
					func(lo, hi int) { sum.Add(int64(hi - lo)) }); err != nil {
					panic(err)
				}
			})
		})).Priority(p).Launch())
		require.EqualValues(t, 1600, sum.Load())
	}
}
