package taskgraph_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/taskgraph"
)

func TestPipeKeepsItsOrder(t *testing.T) {
	for _, w := range []int{1, 2, 4} {
		s := start(t, taskgraph.Options{Workers: w})
		p := s.NewPipe()
		var got, want []int // the pipe is what protects got
		for i := range 2000 {
			want = append(want, i)
			s.Task(taskgraph.Do(func() { got = append(got, i) })).In(p).Launch()
		}
		require.NoError(t, s.WaitUntilTasksComplete(bg, p.Idle()))
		require.Equal(t, want, got)
	}
}

func TestTasksOfAPipeDoNotOverlap(t *testing.T) {
	for _, w := range []int{1, 2, 4, 16} {
		s := start(t, taskgraph.Options{Workers: w})
		pipes := []*taskgraph.Pipe{s.NewPipe(), s.NewPipe(), s.NewPipe()}
		// ran is plain: -race looks
		in, ran := make([]atomics.Int32, len(pipes)), make([]int, len(pipes))
		body := func(i int) taskgraph.Body {
			return taskgraph.Do(func() {
				if in[i].Add(1) != 1 {
					panic("two tasks of one pipe run")
				}
				if ran[i]++; ran[i]%8 == 0 {
					runtime.Gosched()
				}
				in[i].Add(-1)
			})
		}
		const launchers, each = 4, 300
		var done sync.WaitGroup
		for range launchers {
			done.Go(func() {
				for i := range each {
					s.Task(body(i % len(pipes))).In(pipes[i%len(pipes)]).Launch()
				}
			})
		}
		wait(t, s, s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
			for i := range each {
				c.Task(body(i % len(pipes))).In(pipes[i%len(pipes)]).Launch()
			}
			return nil
		})).Launch())
		done.Wait()
		total := 0
		for i, p := range pipes {
			require.NoError(t, s.WaitUntilTasksComplete(bg, p.Idle()))
			total += ran[i]
		}
		require.Equal(t, (launchers+1)*each, total)
	}
}

// What a task adds to its completion belongs to its time in the pipe.
func TestTrap09_PipeReleasedAtCompletion(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 2})
	p := s.NewPipe()
	var steps []string
	nested := s.NewEvent()
	returned := make(chan struct{})
	s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		c.DontCompleteUntil(nested)
		inner := c.Task(taskgraph.Do(func() {
			steps = append(steps,
				"inner")
			close(returned)
		})).Launch()
		c.DontCompleteUntil(inner)
		return nil
	})).In(p).Launch()
	next := s.Task(taskgraph.Do(func() { steps = append(steps, "next") })).In(p).Launch()
	<-returned
	wait(t, s, s.Go(func() {})) // the workers have come by
	require.False(t, next.IsComplete())
	require.Equal(t, graphevent.StateReady, next.State())
	nested.Trigger()
	wait(t, s, next)
	require.Equal(t, []string{"inner", "next"}, steps)
}

func TestBlockedTaskDoesNotBlockItsPipe(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 2})
	p := s.NewPipe()
	before := s.NewEvent()
	var got []int
	blocked := s.Task(taskgraph.Do(func() { got = append(got, 0) })).In(p).After(before).Launch()
	later := s.Task(taskgraph.Do(func() { got = append(got, 1) })).In(p).Launch()
	wait(t, s, later)
	require.False(t, blocked.IsComplete())
	before.Trigger()
	wait(t, s, blocked)
	require.Equal(t, []int{1, 0}, got)
}

// However a task ends, the next one comes in.
func TestEveryEndGivesThePlaceBack(t *testing.T) {
	guard(t)
	boom := errors.New("boom")
	ends := []taskgraph.Body{
		taskgraph.Try(func() error { return boom }),
		taskgraph.Do(func() { panic("boom") }),
		taskgraph.Do(func() { runtime.Goexit() }),
		taskgraph.Run(func(c *taskgraph.Context) error {
			failed := c.System().NewEvent()
			failed.Fail(boom)
			c.DontCompleteUntil(failed)
			return nil
		}),
		taskgraph.Do(func() {}),
	}
	for _, w := range []int{1, 2} {
		s := taskgraph.Start(taskgraph.Options{Workers: w})
		p, l, m := s.NewPipe(), s.NewLimiter(1), s.NewSemaphore(1)
		for range 20 {
			for _, b := range ends {
				e := s.Task(b).In(p).Launch()
				f := s.Task(b).Limit(l).Launch()
				skipped := s.Task(taskgraph.Do(m.Release)).In(p).Limit(l).Acquire(m).After(e).
					Launch()
				always := s.Task(taskgraph.Do(func() {})).In(p).Limit(l).After(e).Always().Launch()
				_ = s.WaitUntilTasksComplete(bg, e, f)
				require.Equal(t, e.Err() != nil,
					errors.Is(s.WaitUntilTasksComplete(bg, skipped), graphevent.ErrSkipped))
				wait(t, s, always)
				require.True(t, m.TryAcquire())
				m.Release()
			}
		}
		require.NoError(t, s.WaitUntilTasksComplete(bg, p.Idle()))
		require.NoError(t, s.WaitUntilTasksComplete(bg, l.Idle()))
		wait(t, s, s.Task(taskgraph.Do(func() {})).In(p).Limit(l).Launch())
		_ = s.Shutdown(bg)
	}
}

// A body that never begins gives its unit back: it belongs to the body.
func TestUnitOfABodyThatDoesNotBeginComesBack(t *testing.T) {
	reg, ths := threads(t, "Gone")
	s := taskgraph.Start(taskgraph.Options{Workers: 1, Threads: reg})
	m, l := s.NewSemaphore(1), s.NewLimiter(1)
	ths[0].Quit()
	<-ths[0].Done()
	for range 10 {
		e := s.Task(taskgraph.Do(func() { panic("runs") })).On(ths[0]).Limit(l).Acquire(m).Launch()
		require.ErrorIs(t, s.WaitUntilTasksComplete(bg, e), graphevent.ErrClosed)
	}
	require.NoError(t, m.Acquire(bg)) // it may come a moment after the end of the task
	m.Release()
	require.NoError(t, s.Shutdown(bg))
}

func TestTasksInGatesAndForNamedThreads(t *testing.T) {
	reg, ths := threads(t, "Log")
	s := start(t, taskgraph.Options{Workers: 2, Threads: reg})
	p := s.NewPipe()
	var got []int
	for i := range 200 {
		b := s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
			if (c.Thread() == ths[0]) != (i%2 == 0) {
				panic("on the wrong thread")
			}
			got = append(got, i)
			return nil
		})).In(p)
		if i%2 == 0 {
			b = b.On(ths[0])
		}
		b.Launch()
	}
	require.NoError(t, s.WaitUntilTasksComplete(bg, p.Idle()))
	require.Len(t, got, 200)
	require.True(t, slices.IsSorted(got))
}

// A body on a named thread waits for a task of the same thread that stands in a gate.
func TestWaitOnNamedThreadForATaskInAGate(t *testing.T) {
	reg, ths := threads(t, "Game")
	for _, w := range []int{1, 2} {
		s := start(t, taskgraph.Options{Workers: w, Threads: reg})
		for range 50 {
			p := s.NewPipe()
			hold := s.NewEvent()
			first := s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
				c.DontCompleteUntil(hold)
				return nil
			})).In(p).On(ths[0]).Launch()
			second := s.Task(taskgraph.Do(func() {
				if !first.IsComplete() {
					panic("in the pipe beside another")
				}
			})).In(p).On(ths[0]).Launch()
			e := s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
				c.Go(func() { hold.Trigger() })
				return c.Wait(second)
			})).On(ths[0]).Launch()
			wait(t, s, e)
		}
	}
}

func TestLimiterHoldsItsNumber(t *testing.T) {
	for _, w := range []int{1, 2, 4, 16} {
		for _, n := range []int{1, 3, 8} {
			s := start(t, taskgraph.Options{Workers: w})
			l := s.NewLimiter(n)
			var in, most atomics.Int32
			// buffers are plain: -race looks
			used, buffers := make([]atomics.Bool, n), make([]int, n)
			body := taskgraph.Run(func(c *taskgraph.Context) error {
				if v := in.Add(1); v > most.Load() {
					most.Store(v)
				}
				place := c.Place(l)
				if used[place].Swap(true) {
					panic("a place has two tasks")
				}
				buffers[place]++
				if buffers[place]%4 == 0 {
					runtime.Gosched()
				}
				used[place].Store(false)
				in.Add(-1)
				return nil
			})
			const tasks = 500
			for range tasks {
				s.Task(body).Limit(l).Launch()
			}
			require.NoError(t, s.WaitUntilTasksComplete(bg, l.Idle()))
			require.LessOrEqual(t, most.Load(), int32(n))
			sum := 0
			for _, b := range buffers {
				sum += b
			}
			require.Equal(t, tasks, sum)
		}
	}
}

// A limiter does not keep its tasks apart either: it lets in as many as it says.
func TestLimiterLetsInAsManyAsItSays(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 4})
	l := s.NewLimiter(3)
	var meet sync.WaitGroup
	meet.Add(3)
	var seen [3]atomics.Bool
	for range 3 {
		s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
			seen[c.Place(l)].Store(true)
			meet.Done()
			meet.Wait()
			return nil
		})).Limit(l).Launch()
	}
	require.NoError(t, s.WaitUntilTasksComplete(bg, l.Idle()))
	for i := range seen {
		require.True(t, seen[i].Load())
	}
	require.Equal(t, 3, l.Places())
}

func TestWaitForALimiterHonoursItsContext(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 2})
	l, p := s.NewLimiter(2), s.NewPipe()
	require.NoError(t, s.WaitUntilTasksComplete(bg, l.Idle()))
	require.True(t, p.Idle().IsComplete())
	hold := s.NewEvent()
	a := s.Task(taskgraph.Do(func() {})).Limit(l).In(p).After(hold).Launch()
	ctx, cancel := context.WithCancelCause(bg)
	cause := errors.New("enough")
	cancel(cause)
	require.ErrorIs(t, s.WaitUntilTasksComplete(ctx, l.Idle()), cause)
	require.ErrorIs(t, s.WaitUntilTasksComplete(ctx, p.Idle()), cause)
	idle := l.Idle()
	require.Equal(t, idle, l.Idle())
	require.False(t, idle.IsComplete())
	hold.Trigger()
	wait(t, s, idle, a)
	require.NoError(t, s.WaitUntilTasksComplete(bg, l.Idle()))
	// A body waits for the event; its worker goes on.
	run(t, s, func(c *taskgraph.Context) error {
		c.Task(taskgraph.Do(func() {})).Limit(l).Launch()
		return c.Wait(l.Idle())
	})
}

func TestWaitsForALimiterEndOneByOne(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 2})
	l := s.NewLimiter(2)
	var waiters sync.WaitGroup
	for range 4 {
		waiters.Go(func() {
			for range 300 {
				e := s.Task(taskgraph.Do(func() {})).Limit(l).Launch()
				if err := s.WaitUntilTasksComplete(bg, l.Idle()); err != nil || !e.IsComplete() {
					panic("a wait has ended before the tasks that it is for")
				}
			}
		})
	}
	waiters.Wait()
}

func TestSemaphoreAcrossTasks(t *testing.T) {
	for _, w := range []int{1, 2, 4} {
		s := start(t, taskgraph.Options{Workers: w})
		m := s.NewSemaphore(2)
		var units atomics.Int32
		for range 300 {
			first := s.Task(taskgraph.Do(func() {
				if units.Add(1) > 2 {
					panic("more units than there are")
				}
			})).Acquire(m).Launch()
			s.Task(taskgraph.Do(func() { units.Add(-1); m.Release() })).After(first).Launch()
		}
		wait(t, s, s.Task(taskgraph.Do(m.Release)).Acquire(m).Launch())
		for range 2 { // all are back: the tasks before have got theirs, in order
			require.NoError(t, m.Acquire(bg))
		}
		require.False(t, m.TryAcquire())
		require.Zero(t, units.Load())
		m.Release()
		m.Release()
		require.PanicsWithValue(t, "taskgraph: Release of a Semaphore of which no unit is taken",
			m.Release)
	}
}

// Goroutines, bodies with and without a Context, and tasks, all after one unit.
// An askedContext is a context of a user, who does something when it is asked whether it has ended.
type askedContext struct {
	context.Context
	asked func() error
}

func (c askedContext) Err() error { return c.asked() }

// A wait for a unit that panics keeps none, whether it has got one by then or not: here what panics
// is the context.
func TestSemaphoreOfAWaitThatPanics(t *testing.T) {
	for _, inBody := range []bool{false, true} {
		for _, got := range []bool{false, true} {
			s := start(t, taskgraph.Options{Workers: 1})
			m := s.NewSemaphore(1)
			require.True(t, m.TryAcquire())
			looks := 0
			ctx := askedContext{bg, func() error {
				if looks++; looks == 1 {
					return nil // it has to wait
				}
				if got {
					m.Release()
				}
				panic("asked")
			}}
			acquire := func(c *taskgraph.Context) error {
				assert.PanicsWithValue(t, "asked", func() {
					if inBody {
						_ = c.Acquire(ctx, m)
					} else {
						_ = m.Acquire(ctx)
					}
				})
				return nil
			}
			if inBody {
				run(t, s, acquire)
			} else {
				_ = acquire(nil)
			}
			require.Equal(t, 2, looks)
			if !got {
				m.Release()
			}
			require.True(t, m.TryAcquire())
			m.Release()
			require.Panics(t, m.Release)
		}
	}
}

func TestSemaphoreStress(t *testing.T) {
	for _, w := range []int{1, 2, 4} {
		s := start(t, taskgraph.Options{Workers: w})
		m := s.NewSemaphore(1)
		count := 0 // plain: -race looks
		const each = 100
		var outside sync.WaitGroup
		for range 2 {
			outside.Go(func() {
				for i := range each {
					ctx, cancel := context.WithCancel(bg)
					if i%4 == 0 {
						go cancel()
					}
					if m.Acquire(ctx) == nil {
						count++
						m.Release()
					}
					cancel()
				}
			})
		}
		got := atomics.Int32{}
		for range each {
			s.Task(taskgraph.Do(func() { count++; m.Release() })).Acquire(m).Launch()
			s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
				if err := c.Acquire(c, m); err != nil {
					return err
				}
				count++
				got.Add(1)
				m.Release()
				return nil
			})).Launch()
		}
		outside.Wait()
		wait(t, s, s.Task(taskgraph.Do(m.Release)).Acquire(m).Launch())
		require.NoError(t, m.Acquire(bg))
		require.GreaterOrEqual(t, count, each)
		m.Release()
	}
}

// A body that waits for a unit gives its worker away: the only worker runs what gives it back.
func TestAcquireInABodyGivesTheWorkerAway(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 1})
	m := s.NewSemaphore(1)
	require.True(t, m.TryAcquire())
	var bodies []taskgraph.Event
	for range 10 {
		bodies = append(bodies, s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
			if err := c.Acquire(c, m); err != nil {
				return err
			}
			m.Release()
			return nil
		})).Launch())
	}
	s.Go(m.Release)
	wait(t, s, bodies...)
	ctx, cancel := context.WithCancel(bg)
	require.True(t, m.TryAcquire())
	e := s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		return c.Acquire(ctx,
			m)
	})).Launch()
	cancel()
	require.ErrorIs(t, s.WaitUntilTasksComplete(bg, e), context.Canceled)
	require.ErrorIs(t, m.Acquire(ctx), context.Canceled)
	m.Release()
	require.True(t, m.TryAcquire(), "who has given up does not take a unit")
	m.Release()
}

// A wait for a task that stands in the queue of a gate cannot run it early, and need not hang for
// that: ten bodies on one worker, each waits for a task that stands behind the next body.
func TestWaitForATaskInAGateTenDeep(t *testing.T) {
	for _, w := range []int{1, 2} {
		s := start(t, taskgraph.Options{Workers: w})
		const depth = 10
		pipes := make([]*taskgraph.Pipe, depth)
		for i := range pipes {
			pipes[i] = s.NewPipe()
		}
		for range 20 {
			var ran atomics.Int32
			var nest func(i int) taskgraph.Body
			nest = func(i int) taskgraph.Body {
				return taskgraph.Run(func(c *taskgraph.Context) error {
					ran.Add(1)
					if i == depth {
						return nil
					}
					c.Task(nest(i + 1)).In(pipes[i]).Launch() // takes the place
					behind := c.Task(taskgraph.Do(func() { ran.Add(1) })).In(pipes[i]).Launch()
					return c.Wait(behind)
				})
			}
			wait(t, s, s.Task(nest(0)).Launch())
			require.Equal(t, int32(2*depth+1), ran.Load())
		}
	}
}

// A wait does not run past the gate what it waits for.
func TestWaitDoesNotBypassTheGate(t *testing.T) {
	s := startUnwatched(t, taskgraph.Options{Workers: 1})
	p := s.NewPipe()
	hold := s.NewEvent()
	var in atomics.Bool
	first := s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		in.Store(true)
		c.DontCompleteUntil(hold)
		return nil
	})).In(p).Launch()
	second := s.Task(taskgraph.Do(func() {
		if !first.IsComplete() {
			panic("in the pipe beside another")
		}
	})).In(p).Launch()
	waiter := s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		if !in.Load() {
			panic("not in order")
		}
		return c.Wait(second)
	})).Launch()
	wait(t, s, s.Go(func() {}))
	require.False(t, second.IsComplete())
	hold.Trigger()
	wait(t, s, waiter)
}

// Tasks with several gates, named in every order, come through.
func TestSeveralGatesDoNotDeadlock(t *testing.T) {
	for _, w := range []int{1, 2, 4} {
		s := start(t, taskgraph.Options{Workers: w})
		p, q, l, m := s.NewPipe(), s.NewPipe(), s.NewLimiter(2), s.NewSemaphore(2)
		inP, inQ := 0, 0 // plain: -race looks
		var inL, inM atomics.Int32
		add := []func(b taskgraph.Task) taskgraph.Task{
			func(b taskgraph.Task) taskgraph.Task { return b.In(p) },
			func(b taskgraph.Task) taskgraph.Task { return b.In(q) },
			func(b taskgraph.Task) taskgraph.Task { return b.Limit(l) },
			func(b taskgraph.Task) taskgraph.Task { return b.Acquire(m) },
		}
		var events []taskgraph.Event
		const tasks = 600
		for i := range tasks {
			b := s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
				inP++
				inQ++
				if inL.Add(1) > 2 || inM.Add(1) > 2 || c.Place(l) > 1 {
					panic("too many")
				}
				inL.Add(-1)
				inM.Add(-1)
				m.Release()
				return nil
			}))
			for k := range add { // rotated and reversed
				at := (k + i) % len(add)
				if i%3 == 0 {
					at = len(add) - 1 - at
				}
				b = add[at](b)
			}
			events = append(events, b.Launch())
		}
		wait(t, s, events...)
		require.Equal(t, []int{tasks, tasks}, []int{inP, inQ})
	}
}

func TestMisuseOfGatesPanics(t *testing.T) {
	s, other := start(t, taskgraph.Options{Workers: 1}), start(t, taskgraph.Options{Workers: 1})
	nop := taskgraph.Do(func() {})
	p, l, m := s.NewPipe(), s.NewLimiter(1), s.NewSemaphore(1)
	b := s.Task(nop).In(p).Limit(l).Acquire(m)
	for what, f := range map[string]func(){
		"taskgraph: In twice with the same one":      func() { b.In(p) },
		"taskgraph: Limit twice with the same one":   func() { b.Limit(l) },
		"taskgraph: Acquire twice with the same one": func() { b.Acquire(m) },
	} {
		require.PanicsWithValue(t, what, f)
	}
	for what, f := range map[string]func(){
		"taskgraph: In with one of another system":    func() { b.In(other.NewPipe()) },
		"taskgraph: In with one that no System made":  func() { b.In(new(taskgraph.Pipe)) },
		"taskgraph: Limit with one of another system": func() { b.Limit(other.NewLimiter(1)) },
		"taskgraph: Acquire with one of another system": func() {
			b.Acquire(other.NewSemaphore(1))
		},
		"taskgraph: NewLimiter with 0 places":   func() { s.NewLimiter(0) },
		"taskgraph: NewSemaphore with -1 units": func() { s.NewSemaphore(-1) },
	} {
		require.PanicsWithValue(t, what, f)
	}
	e := b.Launch()
	wait(t, s, e)
	m.Release()
	for what, f := range map[string]func(){
		"taskgraph: In of a task that was launched before":      func() { b.In(p) },
		"taskgraph: Limit of a task that was launched before":   func() { b.Limit(l) },
		"taskgraph: Acquire of a task that was launched before": func() { b.Acquire(m) },
	} {
		require.PanicsWithValue(t, what, f)
	}
	run(t, s, func(c *taskgraph.Context) error {
		require.PanicsWithValue(t, "taskgraph: Place in a Limiter that the task is not in", func() {
			c.Place(l)
		})
		require.PanicsWithValue(t, "taskgraph: Acquire with one of another system", func() {
			_ = c.Acquire(c, other.NewSemaphore(1))
		})
		return nil
	})
	wait(t, s, s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		c.Fork(func(c *taskgraph.Context, _ *taskgraph.Args) {
			require.PanicsWithValue(t, "taskgraph: Place inside a forked call", func() {
				c.Place(l)
			})
		}, taskgraph.Args{}).Wait()
		require.Zero(t, c.Place(l))
		return nil
	})).Limit(l).Launch())
}

// A clean shutdown runs what stands in the queues of gates.
func TestShutdownRunsWhatStandsInAGate(t *testing.T) {
	guard(t)
	s := taskgraph.Start(taskgraph.Options{Workers: 2})
	p, l := s.NewPipe(), s.NewLimiter(2)
	var ran atomics.Int32
	for range 500 {
		s.Task(taskgraph.Do(func() { ran.Add(1) })).In(p).Launch()
		s.Task(taskgraph.Do(func() { ran.Add(1) })).Limit(l).Launch()
	}
	require.NoError(t, s.Shutdown(bg))
	require.Equal(t, int32(1000), ran.Load())
}

// A shutdown that gives up completes them.
func TestShutdownAbandonsWhatStandsInAGate(t *testing.T) {
	guard(t)
	for _, stuck := range []bool{true, false} {
		s := taskgraph.Start(taskgraph.Options{Workers: 1, StuckAfter: time.Millisecond})
		p, l, m := s.NewPipe(), s.NewLimiter(2), s.NewSemaphore(1)
		var events []taskgraph.Event
		never, release := s.NewEvent(), make(chan struct{})
		require.NoError(t, m.Acquire(bg)) // and nobody gives it back
		var runs taskgraph.Event          // its body does not return before the Shutdown
		if stuck {
			s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
				c.DontCompleteUntil(never)
				return nil
			})).In(p).Launch()
		} else {
			running := make(chan struct{})
			runs = s.Task(taskgraph.Do(func() {
				close(running)
				<-release
			})).In(p).Limit(l).Launch()
			<-running
		}
		run := taskgraph.Do(func() {
			if !stuck {
				panic("runs")
			}
		})
		const tasks = 3000 // would be as many frames if each completed the next
		for range tasks {
			events = append(events, s.Task(run).In(p).Launch())
		}
		for range 10 {
			events = append(events,
				s.Task(run).In(p).Limit(l).Launch(),
				s.Task(taskgraph.Do(func() { panic("runs") })).Acquire(m).Launch(),
				s.Task(taskgraph.Do(func() { panic("runs") })).Limit(l).Acquire(m).Launch(),
				s.Task(taskgraph.Do(func() { panic("runs") })).In(p).After(never).Launch())
		}
		held := s.Task(run).In(p).Limit(l) // never launched
		waiting := make(chan error)
		go func() { waiting <- m.Acquire(bg) }()
		ctx, cancel := context.WithCancel(bg)
		if !stuck {
			cancel()
		}
		var stuckError *taskgraph.StuckError
		require.ErrorAs(t, s.Shutdown(ctx), &stuckError)
		cancel()
		require.Contains(t, stuckError.Error()+fmt.Sprint(stuckError.Tasks),
			"ready  [a place in pipe 1 ")
		for _, e := range append(events, held.Event()) {
			require.True(t, e.IsComplete())
			require.ErrorIs(t, e.Err(), graphevent.ErrClosed)
		}
		require.ErrorIs(t, <-waiting, graphevent.ErrClosed)
		require.ErrorIs(t, m.Acquire(bg), graphevent.ErrClosed)
		close(release)
		require.NoError(t, runs.Wait(bg))
		isIdleSoon(t, s, p)
		isIdleSoon(t, s, l)
		require.ErrorIs(t, s.Task(run).In(p).Limit(l).Acquire(m).Launch().Err(),
			graphevent.ErrClosed)
		m.Release() // finds entries of tasks that are complete
	}
}

// A task that runs again keeps its places between its rounds.
func TestTaskThatRunsAgainKeepsItsPlace(t *testing.T) {
	for _, w := range []int{1, 2} {
		s := start(t, taskgraph.Options{Workers: w})
		p, l := s.NewPipe(), s.NewLimiter(1)
		rounds, after := 0, s.NewEvent() // rounds is plain: -race looks
		first := s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
			if rounds++; rounds < 10 {
				c.Again(c.Task(taskgraph.Do(func() {})).After(after).Launch())
			}
			if c.Place(l) != 0 {
				panic("the place has changed")
			}
			return nil
		})).In(p).Limit(l).Launch()
		second := s.Task(taskgraph.Do(func() {
			if rounds != 10 {
				panic("in between")
			}
		})).In(p).Launch()
		after.Trigger()
		wait(t, s, first, second)
	}
}

// isIdleSoon waits for a gate of a system that is shut down. Whoever completes its last task may
// not have told the gate yet: till then a wait does not hang, but ends.
func isIdleSoon(t *testing.T, s *taskgraph.System, gate interface{ Idle() taskgraph.Event }) {
	t.Helper()
	for {
		err := s.WaitUntilTasksComplete(bg, gate.Idle())
		if err == nil {
			return
		}
		require.ErrorIs(t, err, graphevent.ErrClosed)
		runtime.Gosched()
	}
}

// A shutdown that gives up in the middle of everything, launches from outside included: nothing is
// left behind, and nothing runs beside another.
func TestShutdownInTheMiddleOfGates(t *testing.T) {
	guard(t)
	most := brief(5000, 1000)
	for round := range brief(30, 4) {
		s := taskgraph.Start(taskgraph.Options{Workers: 1 + round%4, StuckAfter: time.Millisecond})
		p, l, m := s.NewPipe(), s.NewLimiter(2), s.NewSemaphore(2)
		inP := 0 // plain: -race looks
		var inL atomics.Int32
		body := taskgraph.Run(func(c *taskgraph.Context) error {
			defer m.Release()
			inP++
			if inL.Add(1) > 2 {
				panic("too many")
			}
			inL.Add(-1)
			inner := c.Task(taskgraph.Do(func() {})).Limit(l).Launch()
			if inP%8 == 0 {
				return c.Wait(s.NewEvent()) // nobody triggers it
			}
			_ = inner
			return nil
		})
		var launchers sync.WaitGroup
		var events [3][]taskgraph.Event
		launched := make(chan struct{}, 3)
		for i := range events {
			launchers.Go(func() {
				for k := 0; ; k++ {
					b := s.Task(body).In(p).Acquire(m)
					if i == 0 {
						b = b.Limit(s.NewLimiter(1)).Always()
					}
					e := b.Launch()
					events[i] = append(events[i], e)
					if k == 20 {
						launched <- struct{}{}
					}
					if e.IsComplete() && errors.Is(e.Err(), graphevent.ErrClosed) || k == most {
						return
					}
				}
			})
		}
		for range events {
			<-launched
		}
		ctx, cancel := context.WithCancel(bg)
		if round%2 == 0 {
			cancel()
		}
		err := s.Shutdown(ctx)
		cancel()
		launchers.Wait()
		var stuckError *taskgraph.StuckError
		require.ErrorAs(t, err, &stuckError)
		for i := range events {
			for _, e := range events[i] {
				// a body that was slow to return completes its task after the Shutdown
				_ = e.Wait(bg)
			}
		}
		isIdleSoon(t, s, p)
		isIdleSoon(t, s, l)
	}
}

func TestGatesAllocateNothing(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 1})
	p, l, m := s.NewPipe(), s.NewLimiter(2), s.NewSemaphore(1)
	body := taskgraph.Do(func() {})
	release := taskgraph.Do(m.Release)
	const tasks = 512
	for name, f := range map[string]func(c *taskgraph.Context){
		"pipe":      func(c *taskgraph.Context) { c.Task(body).In(p).Launch() },
		"limiter":   func(c *taskgraph.Context) { c.Task(body).Limit(l).Launch() },
		"semaphore": func(c *taskgraph.Context) { c.Task(release).Acquire(m).Launch() },
		"all": func(c *taskgraph.Context) {
			c.Task(release).In(p).Limit(l).Acquire(m).Launch()
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := taskgraph.Run(func(c *taskgraph.Context) error {
				for range tasks {
					f(c)
				}
				return nil
			})
			idle := []taskgraph.Event{{}}
			round := func() {
				idle[0] = s.Task(b).Launch()
				wait(t, s, idle...)
				for _, g := range []interface{ Idle() taskgraph.Event }{p, l} {
					idle[0] = g.Idle()
					wait(t, s, idle...)
				}
				require.NoError(t, m.Acquire(bg)) // after all who asked before
				m.Release()
			}
			// A node makes what it needs for gates once, and how many nodes are in use depends on
			// who is faster: at last there is a new piece of a gate's queue now and then, and what
			// the waits take.
			allocs := float64(tasks)
			for range 20 {
				if allocs = testing.AllocsPerRun(50, round); allocs < 20 {
					break
				}
			}
			require.Less(t, allocs, 20.0, "for %d tasks", tasks)
		})
	}
}

// One pipe for ever, and no stack that grows with what stands in it.
func TestHundredThousandTasksThroughAPipe(t *testing.T) {
	tasks := 100_000
	if testing.Short() {
		tasks = 10_000
	}
	s := start(t, taskgraph.Options{Workers: 2})
	p := s.NewPipe()
	ran := 0
	body := taskgraph.Do(func() { ran++ })
	hold := s.NewEvent()
	s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		c.DontCompleteUntil(hold)
		return nil
	})).In(p).Launch()
	deep := 0
	for i := range tasks {
		if i == tasks/2 {
			s.Task(taskgraph.Do(func() {
				deep = runtime.Callers(0,
					make([]uintptr, 1000))
			})).In(p).Launch()
			continue
		}
		s.Task(body).In(p).Launch()
	}
	hold.Trigger()
	require.NoError(t, s.WaitUntilTasksComplete(bg, p.Idle()))
	require.Equal(t, tasks-1, ran)
	require.Less(t, deep, 30)
}

// A pipe is as cheap as a chain: whoever ends a task runs the next, and wakes nobody for it.
func TestPipeWakesNobody(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 2})
	p := s.NewPipe()
	body := taskgraph.Do(func() {})
	wakes := func() uint64 { st := s.Stats(); return st.KernelWakes + st.DrowseWakes }
	for try := 0; ; try++ {
		hold := s.NewEvent()
		wait(t, s, s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
			c.Task(taskgraph.Run(func(c *taskgraph.Context) error {
				c.DontCompleteUntil(hold)
				return nil
			})).In(p).Launch()
			for range 2000 {
				c.Task(body).In(p).Launch()
			}
			return nil
		})).Launch())
		before := wakes()
		hold.Trigger()
		require.NoError(t, s.WaitUntilTasksComplete(bg, p.Idle()))
		woken := wakes() - before
		if woken <= 4 {
			return
		}
		// On a busy machine the worker may stand still for long enough that another is asked to
		// look after it.
		require.Less(t, try, 100, "%d wakes", woken)
	}
}

func ExamplePipe() {
	ctx := context.Background()
	sys := taskgraph.Start(taskgraph.Options{})
	defer sys.Shutdown(ctx)

	log := sys.NewPipe() // what a mutex would be for, without blocking a worker
	var lines []string
	for i := range 3 {
		sys.Task(taskgraph.Do(func() {
			lines = append(lines,
				fmt.Sprint("line ", i))
		})).In(log).Launch()
	}
	if err := sys.WaitUntilTasksComplete(ctx, log.Idle()); err != nil {
		fmt.Println(err)
	}
	fmt.Println(lines)
	// Output: [line 0 line 1 line 2]
}

// At most two at a time, each with a buffer of its own.
func ExampleLimiter() {
	ctx := context.Background()
	sys := taskgraph.Start(taskgraph.Options{})
	defer sys.Shutdown(ctx)

	two := sys.NewLimiter(2)
	var sums [2]int // no lock: one task at a time has a place
	for i := range 10 {
		sys.Task(taskgraph.Run(func(c *taskgraph.Context) error {
			sums[c.Place(two)] += i
			return nil
		})).Limit(two).Launch()
	}
	if err := sys.WaitUntilTasksComplete(ctx, two.Idle()); err != nil {
		fmt.Println(err)
	}
	fmt.Println(sums[0] + sums[1])
	// Output: 45
}

// No more than two frames are under way; the task that ends one gives the unit back.
func ExampleSemaphore() {
	ctx := context.Background()
	sys := taskgraph.Start(taskgraph.Options{})
	defer sys.Shutdown(ctx)

	frames := sys.NewSemaphore(2)
	var drawn taskgraph.Event
	for range 5 {
		begun := sys.Task(taskgraph.Do(func() {})).Acquire(frames).Launch()
		drawn = sys.Task(taskgraph.Do(frames.Release)).After(begun, drawn).Launch()
	}
	fmt.Println(sys.WaitUntilTasksComplete(ctx, drawn))
	// Output: <nil>
}
