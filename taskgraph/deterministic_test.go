package taskgraph_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/namedthread"
	"github.com/heddle-go/heddle/taskgraph"
)

// seeded starts a system in deterministic mode.
func seeded(seed uint64) *taskgraph.System {
	return taskgraph.Start(taskgraph.Options{Deterministic: &taskgraph.Deterministic{Seed: seed}})
}

// orders returns how often f, which is run with many seeds, yields what.
func orders(seeds uint64, f func(s *taskgraph.System) string) map[string]int {
	seen := map[string]int{}
	for seed := range seeds {
		s := seeded(seed)
		seen[f(s)]++
		_ = s.Shutdown(bg)
	}
	return seen
}

// goldenProgram uses a bit of everything and returns the trace.
func goldenProgram(t testing.TB, seed uint64) string {
	var b bytes.Buffer
	reg := namedthread.NewRegistry()
	th, err := reg.Start("render", namedthread.Options{})
	require.NoError(t, err)
	defer func() { th.Quit(); <-th.Done() }()
	s := taskgraph.Start(taskgraph.Options{Threads: reg,
		Deterministic: &taskgraph.Deterministic{Seed: seed, Trace: &b}})
	pipe, sem := s.NewPipe(), s.NewSemaphore(1)
	ctx, cancel := s.WithTimeout(bg, 3*time.Millisecond)
	defer cancel()
	a := s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		c.Nest(taskgraph.Do(func() {}))
		j := c.Fork(func(c *taskgraph.Context, a *taskgraph.Args) { c.Go(func() {}); a.A++ },
			taskgraph.Args{})
		j.Wait()
		return c.ParallelFor(4, 1, func(int, int) {})
	})).Name("a").Launch()
	draw := s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		return c.WaitUntilTasksComplete(c, c.Go(func() {}))
	})).Name("draw").On(th).After(a).Launch()
	var piped []taskgraph.Event
	for i := range 3 {
		piped = append(piped, s.Task(taskgraph.Do(func() {})).Name(fmt.Sprint("piped",
			i)).In(pipe).Launch())
	}
	unit := s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		if err := c.Acquire(bg, sem); err != nil {
			return err
		}
		c.Blocking(func() {})
		sem.Release()
		return nil
	})).Name("unit").Launch()
	var g taskgraph.GraphBuilder
	first := g.Task(taskgraph.Do(func() {})).Name("first")
	for i := range 3 {
		g.Task(taskgraph.Do(func() {})).Name(fmt.Sprint("then", i)).After(first)
	}
	graph, err := g.Build()
	require.NoError(t, err)
	ran := s.LaunchGraph(graph, a)
	rounds := 0
	tick := s.Every(ctx, time.Millisecond, taskgraph.Do(func() { rounds++ }))
	group := s.NewGroup()
	calls := s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		group.Go(s, func() {})
		for range 2 {
			group.Go(c, func() {})
		}
		return group.Wait(c)
	})).Name("calls").Launch()
	own := s.Task(taskgraph.Do(func() {})).Name("own").OnOwnThread().After(s.AfterDelay(time.Hour)).
		Launch()
	low := s.Task(taskgraph.Do(func() {})).Name("low").Priority(taskgraph.PriorityBackgroundLow).
		Launch()
	fails := s.Task(taskgraph.Do(func() { panic("on purpose") })).Name("fails").Launch()
	skipped := s.Task(taskgraph.Do(func() {})).After(fails).Launch()

	require.NoError(t, s.WaitUntilTasksComplete(bg,
		append(piped, draw, unit, ran, own, low, calls)...))
	require.ErrorIs(t, s.WaitUntilTasksComplete(bg, skipped), graphevent.ErrSkipped)
	require.ErrorIs(t, tick.Err(), context.DeadlineExceeded)
	require.LessOrEqual(t, rounds, 3)
	require.NoError(t, s.Shutdown(bg))
	return b.String()
}

// The same seed means the same on every platform: the digests of many traces and one trace as a
// text are in testdata. UPDATE_GOLDEN=1 writes them anew.
func TestDeterministicGolden(t *testing.T) {
	var b strings.Builder
	for seed := range uint64(64) {
		h := fnv.New64a()
		fmt.Fprint(h, goldenProgram(t, seed))
		fmt.Fprintf(&b, "seed %d: %016x\n", seed, h.Sum64())
	}
	fmt.Fprintf(&b, "\nseed 1:\n%s", goldenProgram(t, 1))
	const file = "testdata/deterministic.txt"
	if os.Getenv("UPDATE_GOLDEN") != "" {
		require.NoError(t, os.WriteFile(file, []byte(b.String()), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, strings.ReplaceAll(string(want), "\r", ""), b.String())
}

func TestDeterministicThousandSeeds(t *testing.T) {
	seen := map[string]bool{}
	seeds := uint64(1000)
	if testing.Short() {
		seeds = 30
	}
	for seed := range seeds {
		one := smallProgram(seed)
		require.Equal(t, one, smallProgram(seed), "seed %d", seed)
		seen[one] = true
	}
	require.Greater(t, len(seen), int(seeds)/2, "seeds hardly matter")
}

// smallProgram runs a program drawn by the seed, in an order picked by it, and returns the trace.
func smallProgram(seed uint64) string {
	var b bytes.Buffer
	s := taskgraph.Start(taskgraph.Options{Deterministic: &taskgraph.Deterministic{Seed: seed,
		Trace: &b}})
	var events []taskgraph.Event
	x := seed
	next := func(n uint64) uint64 {
		x = x*6364136223846793005 + 1442695040888963407
		return x >> 33 % n
	}
	for range 3 + next(6) {
		t := s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
			e := c.Go(func() {})
			if next(2) == 0 {
				return c.WaitUntilTasksComplete(c, e)
			}
			return nil
		})).Priority(taskgraph.Priority(next(5)))
		if len(events) > 0 && next(2) == 0 {
			t = t.After(events[next(uint64(len(events)))])
		}
		events = append(events, t.Launch())
	}
	_ = s.WaitUntilTasksComplete(bg, events...)
	_ = s.Shutdown(bg)
	return b.String()
}

func TestDeterministicEveryOrderOfReadyTasks(t *testing.T) {
	seen := orders(uint64(brief(300, 60)), func(s *taskgraph.System) string {
		var order string
		gate := s.NewEvent()
		var events []taskgraph.Event
		for _, name := range []string{"a", "b", "c"} {
			events = append(events,
				s.Task(taskgraph.Do(func() { order += name })).After(gate).Launch())
		}
		gate.Trigger()
		wait(t, s, events...)
		return order
	})
	require.Len(t, seen, 6, "%v", seen)
}

func TestDeterministicTaskBeforeAndAfterItsLauncherGoesOn(t *testing.T) {
	seeds := uint64(brief(50, 20))
	seen := orders(seeds, func(s *taskgraph.System) string {
		var order string
		wait(t, s, s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
			e := c.Go(func() { order += "k" })
			order += "l"
			return c.WaitUntilTasksComplete(c, e)
		})).Launch())
		return order
	})
	require.Len(t, seen, 2, "%v", seen)
	seen = orders(seeds, func(s *taskgraph.System) string {
		var order string
		e := s.Go(func() { order += "k" })
		order += "m"
		wait(t, s, e)
		return order
	})
	require.Len(t, seen, 2, "%v", seen)
}

func TestDeterministicAnyWaiterGoesOnFirst(t *testing.T) {
	seeds := uint64(400)
	if testing.Short() {
		seeds = 50 // show all orders too
	}
	seen := orders(seeds, func(s *taskgraph.System) string {
		var order string
		e := s.NewEvent()
		var events []taskgraph.Event
		for _, name := range []string{"a", "b", "c"} {
			events = append(events, s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
				err := c.WaitUntilTasksComplete(c, e)
				order += name
				return err
			})).Launch())
		}
		s.Task(taskgraph.Do(func() { e.Trigger() })).After(s.AfterDelay(time.Second)).Launch()
		wait(t, s, events...)
		return order
	})
	require.Len(t, seen, 6, "%v", seen)
}

func TestDeterministicAwaitedTaskRunsInPlaceOrElsewhere(t *testing.T) {
	seen := orders(uint64(brief(60, 20)), func(s *taskgraph.System) string {
		same := false
		wait(t, s, s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
			me := goroutineName()
			return c.WaitUntilTasksComplete(c, c.Go(func() { same = goroutineName() == me }))
		})).Launch())
		return fmt.Sprint(same)
	})
	require.Len(t, seen, 2, "%v", seen)
}

func goroutineName() string {
	buf := make([]byte, 64)
	name, _, _ := strings.Cut(string(buf[:runtime.Stack(buf, false)]), "[")
	return name
}

func TestDeterministicRangesOfALoopInAnyOrder(t *testing.T) {
	seeds := uint64(brief(100, 20))
	seen := orders(seeds, func(s *taskgraph.System) string {
		var order []int
		require.NoError(t, s.ParallelFor(3, 1, func(lo, _ int) { order = append(order, lo) }))
		return fmt.Sprint(order)
	})
	require.Greater(t, len(seen), 1, "%v", seen)
	bodies := orders(seeds, func(s *taskgraph.System) string {
		var order []int
		require.NoError(t, s.ParallelFor(2, 1, func(lo, _ int) {
			_ = s.WaitUntilTasksComplete(bg, s.Go(func() {}))
			order = append(order, lo)
		}))
		return fmt.Sprint(order)
	})
	require.Len(t, bodies, 2, "%v", bodies)
}

func TestDeterministicPrioritiesHold(t *testing.T) {
	for seed := range uint64(brief(100, 25)) {
		s := taskgraph.Start(taskgraph.Options{Workers: 1,
			Deterministic: &taskgraph.Deterministic{Seed: seed}})
		var order []taskgraph.Priority
		prios := []taskgraph.Priority{taskgraph.PriorityBackgroundLow, taskgraph.PriorityNormal,
			taskgraph.PriorityBackgroundHigh,
			taskgraph.PriorityHigh, taskgraph.PriorityBackgroundNormal}
		run(t, s, func(c *taskgraph.Context) error { // it has the one worker
			for _, p := range prios {
				c.Task(taskgraph.Do(func() { order = append(order, p) })).Priority(p).Launch()
			}
			return nil
		})
		require.NoError(t, s.Shutdown(bg))
		require.Equal(t, []taskgraph.Priority{taskgraph.PriorityHigh, taskgraph.PriorityNormal,
			taskgraph.PriorityBackgroundHigh,
			taskgraph.PriorityBackgroundNormal, taskgraph.PriorityBackgroundLow}, order)
	}
}

func TestDeterministicWorkersBoundBodiesInProgress(t *testing.T) {
	most := 0
	for seed := range uint64(brief(100, 25)) {
		s := taskgraph.Start(taskgraph.Options{Workers: 3,
			Deterministic: &taskgraph.Deterministic{Seed: seed}})
		in := 0
		var events []taskgraph.Event
		for range 8 {
			events = append(events, s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
				in++
				most = max(most, in)
				c.Go(func() {}) // others may go on here
				in--
				return nil
			})).Launch())
		}
		wait(t, s, events...)
		require.NoError(t, s.Shutdown(bg))
	}
	require.Equal(t, 3, most)
}

func TestDeterministicBodiesThatWaitUnseenDoNotStarveOthers(t *testing.T) {
	for seed := range uint64(brief(50, 15)) {
		s := taskgraph.Start(taskgraph.Options{Workers: 1,
			Deterministic: &taskgraph.Deterministic{Seed: seed}})
		var rec func(depth int) error
		rec = func(depth int) error {
			if depth == 0 {
				return nil
			}
			return s.WaitUntilTasksComplete(bg,
				s.Task(taskgraph.Try(func() error { return rec(depth - 1) })).Launch())
		}
		require.NoError(t, rec(20))
		require.NoError(t, s.Shutdown(bg))
	}
}

func TestDeterministicPlainSchedule(t *testing.T) {
	var order string
	s := taskgraph.Start(
		taskgraph.Options{Deterministic: &taskgraph.Deterministic{Schedule: []byte{}}})
	var events []taskgraph.Event
	for _, name := range []string{"a", "b", "c"} {
		events = append(events, s.Go(func() { order += name }))
		order += "."
	}
	wait(t, s, events...)
	require.NoError(t, s.Shutdown(bg))
	require.Equal(t, "...abc", order)
}

func TestDeterministicPlainScheduleStarvesNobody(t *testing.T) {
	s := taskgraph.Start(taskgraph.Options{Workers: 2,
		Deterministic: &taskgraph.Deterministic{Schedule: []byte{}}})
	done := false
	busy := s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		for !done {
			c.Go(func() {})
		}
		return nil
	})).Launch()
	set := s.Go(func() { done = true })
	wait(t, s, busy, set)
	require.NoError(t, s.Shutdown(bg))
}

func TestDeterministicTimeIsVirtual(t *testing.T) {
	began := time.Now()
	for seed := range uint64(brief(20, 6)) {
		s := seeded(seed)
		start := s.Now()
		var order string
		long := s.Task(taskgraph.Do(func() {
			order += "l"
		})).After(s.AfterDelay(1000 * time.Hour)).Launch()
		short := s.Task(taskgraph.Do(func() {
			order += "s"
		})).After(s.AfterDelay(time.Hour)).Launch()
		wait(t, s, long, short)
		require.Equal(t, "sl", order)
		require.Equal(t, 1000*time.Hour, s.Now().Sub(start))

		ticks := 0
		e := s.Every(bg, time.Minute, taskgraph.Try(func() error {
			if ticks++; ticks == 60 {
				return errors.New("enough")
			}
			return nil
		}))
		require.EqualError(t, s.WaitUntilTasksComplete(bg, e), "enough")
		require.Equal(t, 1001*time.Hour, s.Now().Sub(start))

		never := s.NewEvent()
		ctx, cancel := s.WithTimeout(bg, time.Hour)
		require.ErrorIs(t, s.WaitUntilTasksComplete(ctx, never), context.DeadlineExceeded)
		require.ErrorIs(t, ctx.Err(), context.DeadlineExceeded)
		at, ok := ctx.Deadline()
		require.True(t, ok)
		require.Equal(t, s.Now(), at)
		cancel()
		never.Trigger()
		require.NoError(t, s.Shutdown(bg))
	}
	require.Less(t, time.Since(began), hangLimit)
}

func TestWithTimeoutAndNowOutsideOfTheMode(t *testing.T) {
	s := start(t, taskgraph.Options{})
	require.WithinDuration(t, time.Now(), s.Now(), time.Minute)
	ctx, cancel := s.WithTimeout(bg, time.Hour)
	_, ok := ctx.Deadline()
	require.True(t, ok)
	require.NoError(t, ctx.Err())
	cancel()
	require.ErrorIs(t, ctx.Err(), context.Canceled)
	done := make(chan struct{})
	s.Outside(func() { wait(t, s, s.Go(func() {})); close(done) })
	<-done
}

func TestDeterministicDelaysOfOneTimeEndInAnyOrder(t *testing.T) {
	seen := orders(uint64(brief(100, 25)), func(s *taskgraph.System) string {
		var order string
		a := s.Task(taskgraph.Do(func() { order += "a" })).After(s.AfterDelay(time.Second)).Launch()
		b := s.Task(taskgraph.Do(func() { order += "b" })).After(s.AfterDelay(time.Second)).Launch()
		wait(t, s, a, b)
		return order
	})
	require.Len(t, seen, 2, "%v", seen)
}

func TestDeterministicDeadlockIsReportedAtOnce(t *testing.T) {
	for seed := range uint64(brief(50, 15)) {
		s := seeded(seed)
		e := s.NewEvent()
		a := s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
			return c.WaitUntilTasksComplete(c, e)
		})).Name("a").Launch()
		b := s.Task(taskgraph.Do(func() {})).Name("b").After(a).Launch()
		err := s.WaitUntilTasksComplete(bg, b)
		var stuck *taskgraph.StuckError
		require.ErrorAs(t, err, &stuck)
		require.GreaterOrEqual(t, len(stuck.Tasks), 3)
		require.ErrorContains(t, err, `task "a"`)

		// The system goes on where it was.
		require.False(t, b.IsComplete())
		e.Trigger()
		wait(t, s, b)
		require.NoError(t, s.Shutdown(bg))
	}
}

func TestDeterministicCycleOfWaits(t *testing.T) {
	stuck, seeds := 0, brief(50, 20)
	for seed := range uint64(seeds) {
		s := seeded(seed)
		p, q := s.NewSemaphore(1), s.NewSemaphore(1)
		both := func(one, two *taskgraph.Semaphore) taskgraph.Event {
			return s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
				if err := c.Acquire(bg, one); err != nil {
					return err
				}
				defer one.Release()
				c.Go(func() {}) // between the two anything may happen
				if err := c.Acquire(bg, two); err != nil {
					return err
				}
				two.Release()
				return nil
			})).Launch()
		}
		a, b := both(p, q), both(q, p)
		if err := s.WaitUntilTasksComplete(bg, a, b); err != nil {
			require.ErrorAs(t, err, new(*taskgraph.StuckError))
			stuck++
			require.ErrorAs(t, s.Shutdown(bg), new(*taskgraph.StuckError))
			continue
		}
		require.NoError(t, s.Shutdown(bg))
	}
	require.NotZero(t, stuck, "no seed finds it")
	require.Less(t, stuck, seeds, "each seed finds it")
}

func TestDeterministicStuckShutdown(t *testing.T) {
	for seed := range uint64(20) {
		s := taskgraph.Start(taskgraph.Options{StuckAfter: time.Hour,
			Deterministic: &taskgraph.Deterministic{Seed: seed}})
		e := s.NewEvent()
		s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
			return c.WaitUntilTasksComplete(c,
				e)
		})).Launch()
		// unseen
		s.Task(taskgraph.Try(func() error { return s.WaitUntilTasksComplete(bg, e) })).Launch()
		s.Task(taskgraph.Do(func() {})).Name("held")
		err := s.Shutdown(bg)
		require.ErrorAs(t, err, new(*taskgraph.StuckError))
		require.ErrorContains(t, err, "held")
	}
}

// A wait that cannot return an error panics.
func TestDeterministicStuckPump(t *testing.T) {
	reg := namedthread.NewRegistry()
	th, err := reg.Attach("game", namedthread.Options{})
	require.NoError(t, err)
	defer func() { require.NoError(t, th.Detach()) }()
	s := taskgraph.Start(taskgraph.Options{Threads: reg,
		Deterministic: new(taskgraph.Deterministic)})
	defer func() { require.NoError(t, s.Shutdown(bg)) }()
	defer func() {
		_, ok := recover().(*taskgraph.StuckError)
		require.True(t, ok)
	}()
	_, _ = th.PumpUntilQuit(namedthread.QueueMain)
	t.Error("a pump that nobody ends has ended")
}

func TestDeterministicAttachedThread(t *testing.T) {
	for seed := range uint64(30) {
		reg := namedthread.NewRegistry()
		th, err := reg.Attach("game", namedthread.Options{})
		require.NoError(t, err)
		s := taskgraph.Start(taskgraph.Options{Threads: reg,
			Deterministic: &taskgraph.Deterministic{Seed: seed}})
		var order string
		a := s.Task(taskgraph.Do(func() { order += "a" })).Launch()
		b := s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
			require.Equal(t, th, c.Thread())
			current, err := namedthread.Current()
			require.NoError(t, err)
			require.Equal(t, th, current)
			order += "b"
			return nil
		})).On(th).After(a).Launch()
		wait(t, s, b) // runs it
		require.Equal(t, "ab", order)

		begin := s.Now()
		s.Task(taskgraph.Do(func() { order += "c" })).On(th).After(s.AfterDelay(time.Hour)).Launch()
		_, err = th.PumpFor(namedthread.QueueMain, 2*time.Hour)
		require.NoError(t, err)
		require.Equal(t, "abc", order)
		require.Equal(t, 2*time.Hour, s.Now().Sub(begin))
		require.NoError(t, s.Shutdown(bg))
		require.NoError(t, th.Detach())
	}
}

// A named thread is what it is, with one turn at a time, and itself again after the shutdown.
func TestDeterministicNamedThreads(t *testing.T) {
	orders := map[string]bool{}
	for seed := range uint64(brief(60, 20)) {
		reg := namedthread.NewRegistry()
		var threads []*namedthread.Thread
		for _, name := range []string{"render", "audio"} {
			th, err := reg.Start(name, namedthread.Options{})
			require.NoError(t, err)
			threads = append(threads, th)
		}
		s := taskgraph.Start(taskgraph.Options{Threads: reg,
			Deterministic: &taskgraph.Deterministic{Seed: seed}})
		late, err := reg.Start("late", namedthread.Options{}) // joins with its first task
		require.NoError(t, err)
		threads = append(threads, late)
		order := ""
		var events []taskgraph.Event
		for i, th := range threads {
			for k := range 2 {
				events = append(events, s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
					current, err := namedthread.Current()
					require.NoError(t, err)
					require.Equal(t, th, current)
					order += fmt.Sprint(i, k, " ")
					return c.WaitUntilTasksComplete(c,
						c.Task(taskgraph.Do(func() {})).On(th).Launch())
				})).On(th).Launch())
			}
		}
		wait(t, s, events...)
		require.Less(t, strings.Index(order, "0 0"), strings.Index(order, "0 1"),
			"a thread runs its tasks in order")
		orders[order] = true
		require.NoError(t, s.Shutdown(bg))
		for _, th := range threads {
			ran := make(chan struct{})
			require.NoError(t, th.Post(namedthread.QueueMain, namedthread.PriorityNormal,
				namedthread.Func(func() { close(ran) }), 0))
			<-ran
			th.Quit()
			<-th.Done()
		}
	}
	require.Greater(t, len(orders), 5)
}

func TestDeterministicThreadThatQuitsOrExits(t *testing.T) {
	for seed := range uint64(40) {
		reg := namedthread.NewRegistry()
		th, err := reg.Start("brief", namedthread.Options{})
		require.NoError(t, err)
		s := taskgraph.Start(taskgraph.Options{Threads: reg,
			Deterministic: &taskgraph.Deterministic{Seed: seed}})
		exits := s.Task(taskgraph.Do(runtime.Goexit)).On(th).Launch()
		require.ErrorIs(t, s.WaitUntilTasksComplete(bg, exits), graphevent.ErrGoexit)
		wait(t, s, s.Task(taskgraph.Do(func() {})).On(th).Launch())
		quits := s.Task(taskgraph.Do(th.Quit)).On(th).Launch()
		after := s.Task(taskgraph.Do(func() {})).On(th).Launch()
		wait(t, s, quits)
		if err := s.WaitUntilTasksComplete(bg, after); err != nil {
			require.True(t, errors.Is(err, graphevent.ErrClosed) ||
				errors.Is(err, graphevent.ErrCanceled), "%v", err)
		}
		require.NoError(t, s.Shutdown(bg))
		<-th.Done()
	}
}

func TestDeterministicThreadOfAnotherGoroutine(t *testing.T) {
	reg := namedthread.NewRegistry()
	attached, end, ended := make(chan struct{}), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		th, err := reg.Attach("other", namedthread.Options{})
		if err == nil {
			close(attached)
			<-end
			_ = th.Detach()
		}
	}()
	<-attached
	require.PanicsWithValue(t,
		`taskgraph: in deterministic mode: namedthread "other" is attached by a goroutine that does not take part`,
		func() {
			taskgraph.Start(taskgraph.Options{Workers: 1, Threads: reg,
				Deterministic: new(taskgraph.Deterministic)})
		})
	close(end)
	<-ended
}

func TestDeterministicFailures(t *testing.T) {
	for seed := range uint64(brief(50, 15)) {
		s := seeded(seed)
		boom := s.Go(func() { panic("boom") })
		exit := s.Go(runtime.Goexit)
		var p *graphevent.PanicError
		require.ErrorAs(t, s.WaitUntilTasksComplete(bg, boom), &p)
		require.Equal(t, "boom", p.Value)
		require.ErrorIs(t, s.WaitUntilTasksComplete(bg, exit), graphevent.ErrGoexit)
		require.ErrorIs(t, s.WaitUntilTasksComplete(bg,
			s.Task(taskgraph.Do(func() {})).After(boom).Launch()), graphevent.ErrSkipped)
		ctx, cancel := context.WithCancel(bg)
		cancel()
		require.ErrorIs(t, s.WaitUntilTasksComplete(bg,
			s.Task(taskgraph.Do(func() {})).Context(ctx).Launch()), graphevent.ErrCanceled)
		require.NoError(t, s.Shutdown(bg))
		require.ErrorIs(t, s.Go(func() {}).Err(), graphevent.ErrClosed)
	}
}

// The end of a context is noticed by turn too.
func TestDeterministicCancelledWait(t *testing.T) {
	for seed := range uint64(brief(50, 15)) {
		s := seeded(seed)
		ctx, cancel := context.WithCancel(bg)
		never := s.NewEvent()
		waits := s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
			return c.WaitUntilTasksComplete(ctx, never)
		})).Launch()
		s.Go(cancel)
		require.ErrorIs(t, s.WaitUntilTasksComplete(bg, waits), context.Canceled)
		never.Trigger()
		require.NoError(t, s.Shutdown(bg))
	}
}

func TestDeterministicOutside(t *testing.T) {
	seen := orders(uint64(brief(100, 25)), func(s *taskgraph.System) string {
		var order []string
		var events []taskgraph.Event
		for _, name := range []string{"a", "b"} {
			e := s.NewEvent()
			events = append(events, e)
			s.Outside(func() {
				wait(t, s, s.Go(func() { order = append(order, name) }))
				e.Trigger()
			})
		}
		wait(t, s, events...)
		return strings.Join(order, "")
	})
	require.Len(t, seen, 2, "%v", seen)
}

func TestDeterministicOtherGoroutinePanics(t *testing.T) {
	s := seeded(0)
	said := make(chan any)
	go func() {
		defer func() { said <- recover() }()
		s.Go(func() {})
	}()
	require.Contains(t, (<-said).(string),
		"taskgraph: a goroutine that the simulation does not know")
	go func() {
		defer func() { said <- recover() }()
		_ = s.NewEvent().Wait(bg)
	}()
	require.Contains(t, (<-said).(string),
		"taskgraph: a goroutine that the simulation does not know")
	require.NoError(t, s.Shutdown(bg))
}

func TestDeterministicBoundThatBlocks(t *testing.T) {
	for seed := range uint64(50) {
		s := taskgraph.Start(taskgraph.Options{MaxTasks: 2, WhenFull: taskgraph.FullBlock,
			Deterministic: &taskgraph.Deterministic{Seed: seed}})
		ran := 0
		for range 20 {
			s.Go(func() { ran++ })
		}
		require.NoError(t, s.Shutdown(bg))
		require.Equal(t, 20, ran)
	}
}

func TestDeterministicTraceSaysWhatHappens(t *testing.T) {
	var b bytes.Buffer
	s := taskgraph.Start(taskgraph.Options{Deterministic: &taskgraph.Deterministic{Trace: &b,
		Schedule: []byte{}}})
	a := s.Task(taskgraph.Do(func() {})).Name("a").Launch()
	s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		return c.WaitUntilTasksComplete(c, s.AfterDelay(time.Microsecond))
	})).Name("b").After(a).Launch()
	s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		return c.WaitUntilTasksComplete(c, s.AfterDelay(time.Millisecond))
	})).Name("c").OnOwnThread().Launch()
	require.NoError(t, s.Shutdown(bg))
	trace := strings.Split(b.String(), "\n")
	for _, want := range []string{`main readies task "a"`, `takes task "a"`, `readies task "b"`,
		`in task "b" waits for event`, `the thread of a task in task "c" waits for event`,
		"the time is 1000 ns"} {
		require.True(t, slices.ContainsFunc(trace,
			func(line string) bool { return strings.Contains(line, want) }), "%s\n%s", want,
			b.String())
	}
}

// A broadcast comes to each place once, in any order; a meeting is one, and one that cannot be is
// called off in virtual time.
func TestDeterministicBroadcast(t *testing.T) {
	seen := map[string]bool{}
	for seed := range uint64(brief(60, 15)) {
		run := func() string {
			var b bytes.Buffer
			reg := namedthread.NewRegistry()
			th, err := reg.Start("render", namedthread.Options{})
			require.NoError(t, err)
			defer func() { th.Quit(); <-th.Done() }()
			s := taskgraph.Start(taskgraph.Options{Workers: 3, Threads: reg,
				Deterministic: &taskgraph.Deterministic{Seed: seed, Trace: &b}})
			var where []int
			f := func(worker int, th *namedthread.Thread) { where = append(where, worker) }
			check := func(err error) error {
				got := slices.Clone(where)
				slices.Sort(got)
				require.Equal(t, []int{-1, 0, 1, 2}, got)
				seen[fmt.Sprint(where)] = true
				where = nil
				return err
			}
			for range 5 {
				s.Go(func() {})
			}
			require.NoError(t, check(s.Broadcast(bg, f)))
			wait(t, s, s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
				c.Go(func() {})
				if err := check(c.System().Rendezvous(c, f)); err != nil {
					return err
				}
				return check(c.System().Broadcast(c, f))
			})).Launch())

			never := s.NewEvent()
			blind := s.Task(taskgraph.Try(func() error {
				return s.WaitUntilTasksComplete(bg,
					never)
			})).Launch()
			wait(t, s, s.AfterDelay(time.Second)) // by then it waits, and holds its worker
			ctx, cancel := s.WithTimeout(bg, time.Hour)
			defer cancel()
			err = s.Rendezvous(ctx, f)
			require.ErrorAs(t, err, new(*taskgraph.BroadcastError))
			require.ErrorIs(t, err, context.DeadlineExceeded)
			require.Empty(t, where)
			never.Trigger()
			wait(t, s, blind)
			require.NoError(t, s.Shutdown(bg))
			return b.String()
		}
		require.Equal(t, run(), run())
	}
	require.Greater(t, len(seen), 4)
}

// The watchdog's report comes at once too.
func TestDeterministicWatchdog(t *testing.T) {
	told := 0
	s := taskgraph.Start(taskgraph.Options{OnStuck: func(r *taskgraph.StuckReport) {
		told++
	}, Deterministic: new(taskgraph.Deterministic)})
	e := s.NewEvent()
	a := s.Task(taskgraph.Do(func() {})).After(e).Launch()
	err := s.WaitUntilTasksComplete(bg, a)
	require.ErrorContains(t, err, "taskgraph: stuck with ")
	require.Equal(t, 1, told)
	e.Trigger()
	wait(t, s, a)
	require.NoError(t, s.Shutdown(bg))
}
