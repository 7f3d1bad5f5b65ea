//go:build heddle_faults && !modelcheck

package faults_test

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/dev/short"
	"github.com/heddle-go/heddle/internal/park"
	"github.com/heddle-go/heddle/namedthread"
	"github.com/heddle-go/heddle/sleepevent"
	"github.com/heddle-go/heddle/taskgraph"
)

// clock makes the clock wrong for the rest of the test.
func clock(t *testing.T, f func(now int64) int64) {
	t.Helper()
	atomics.SetClock(f)
	t.Cleanup(func() { atomics.SetClock(nil) })
}

// A clock that stands still for ever: all that is done without a time limit is done. What waits for
// a time on that clock, as SleepUntil does, waits until it goes on, as it should.
func TestClockStandsStill(t *testing.T) {
	watched(t)
	at := atomics.Now()
	clock(t, func(int64) int64 { return at })
	grinds(t, 200)
}

// A clock that stands still again and again, for as long as many programs take, and then is where
// it should be: programs with delays and sleeps too do what they should, and no limit is over
// before that clock says so.
func TestClockStops(t *testing.T) {
	watched(t)
	for _, every := range []time.Duration{100 * time.Microsecond, 5 * time.Millisecond} {
		clock(t, func(now int64) int64 { return now - now%int64(every) })
		require.NoError(t, mixed(short.Scaled(120), uint64(every)))
		for i := range short.Scaled(60) {
			limits(t, time.Duration(i%4+1)*every/4)
		}
	}
}

// A clock that leaps, by an hour at about every 500th look: limits come early, and nothing else
// differs. Nobody who waits without a limit is told that it is over, and nobody with a limit waits
// for ever because it passed while he began to wait.
func TestClockLeaps(t *testing.T) {
	watched(t)
	var looks atomics.Int64
	clock(t, func(now int64) int64 {
		return now + looks.Add(1)/500*int64(time.Hour)
	})
	require.NoError(t, mixed(short.Scaled(200), 1))
	grinds(t, 100)
	clock(t, func(now int64) int64 { // often enough to hit each place between two looks
		return now + looks.Add(1)/7*int64(time.Hour)
	})
	for i := range short.Scaled(400) {
		limits(t, time.Duration(i%5*20+1)*time.Microsecond)
	}
}

// limits waits in each of the ways that have a time limit, for what does not come. In the kernel a
// limit is one of the clock as it is, right or wrong; elsewhere of the timers of Go's runtime.
func limits(t *testing.T, d time.Duration) {
	t.Helper()
	for _, mode := range []sleepevent.Park{sleepevent.ParkOS, sleepevent.ParkGo} {
		th, err := namedthread.NewRegistry().Attach("limited", namedthread.Options{Park: mode})
		require.NoError(t, err)
		signal := sleepevent.NewSignal(sleepevent.Options{Park: mode})
		group := sleepevent.NewGroup(1, sleepevent.Options{Park: mode})
		group.BeginSearch()
		s := taskgraph.Start(taskgraph.Options{Workers: 2, Park: mode})
		for name, wait := range map[string]func() (ended bool, err error){
			"WaitTimeout": func() (bool, error) { return signal.WaitTimeout(d), nil },
			"IdleTimeout": func() (bool, error) {
				return group.IdleTimeout(0, func() bool { return false }, d), nil
			},
			"PumpFor": func() (bool, error) {
				_, err := th.PumpFor(namedthread.QueueMain, d)
				return false, err
			},
			"SleepUntil": func() (bool, error) {
				return false, s.SleepUntil(bg, time.Now().Add(d))
			},
			"SleepUntil in a body": func() (bool, error) {
				return false, s.Run(bg, taskgraph.Run(func(c *taskgraph.Context) error {
					return s.SleepUntil(c, time.Now().Add(d))
				}))
			},
		} {
			from := atomics.Now()
			ended, err := wait()
			took := time.Duration(atomics.Now() - from)
			require.NoError(t, err, name)
			require.False(t, ended, "%s: nobody ends it", name)
			// The moment of SleepUntil is one of the true clock.
			if mode == sleepevent.ParkOS && park.HandsOff() && name[:5] != "Sleep" {
				require.GreaterOrEqual(t, took, d, "%s is over before its time", name)
			}
		}
		require.NoError(t, s.Shutdown(bg))
		require.NoError(t, th.Detach())
	}
}

// After a leap of the clock a task of Every does not make up for the ticks that it has missed.
func TestClockLeapsUnderEvery(t *testing.T) {
	watched(t)
	var leaps atomics.Int64
	clock(t, func(now int64) int64 { return now + leaps.Load()*int64(time.Hour) })
	const period, between = time.Millisecond, 10
	rounds := int64(short.Scaled(20))
	s := taskgraph.Start(taskgraph.Options{Workers: 2})
	ctx, cancel := context.WithCancel(bg)
	runs, from := int64(0), time.Now()
	e := s.Every(ctx, period, taskgraph.Do(func() {
		if runs++; runs%between == 0 && leaps.Add(1) == rounds {
			cancel()
		}
	}))
	require.ErrorIs(t, s.WaitUntilTasksComplete(bg, e), graphevent.ErrCanceled)
	// One for each tick of the true time, and for each leap one whose tick came with it.
	most := int64(time.Since(from)/period) + leaps.Load() + 2
	require.LessOrEqual(t, runs, most)
	require.NoError(t, s.Shutdown(bg))
}

// A clock that leaps to the end of its range: sums with a time limit pass it, and mean for ever.
func TestClockEnds(t *testing.T) {
	watched(t)
	clock(t, func(now int64) int64 { return 1<<63 - 1 - int64(time.Hour) + now })
	var waits, over atomics.Bool
	kernel(t, &park.Faults{Early: func() bool { waits.Store(true); return false }})
	for _, mode := range []park.Mode{park.OS, park.TwoPhase} {
		waits.Store(false)
		over.Store(false)
		p := park.New(mode)
		atomics.Go(func() {
			// A limit that wraps may be over before there is a wait in the kernel.
			for park.HandsOff() && !waits.Load() && !over.Load() {
				runtime.Gosched()
			}
			p.Unpark()
		})
		ended := p.ParkTimeout(1 << 62)
		over.Store(true)
		require.True(t, ended, "a limit after the end of time")
	}
	m, end := newMill(taskgraph.Options{Workers: 2, SlowAfter: 1 << 62, StuckAfter: 1 << 62,
		OnStuck: func(*taskgraph.StuckReport) { t.Error("nothing is stuck") }},
		namedthread.Options{})
	require.NoError(t, m.grind(short.Scaled(100)))
	require.NoError(t, end())
}

// With a clock that leaps the watchdog looks early, but reports nothing that workers are about to
// run. (What a named thread is about to run counts as stuck after StuckAfter, which then is over at
// once.)
func TestClockLeapsUnderTheWatchdog(t *testing.T) {
	watched(t)
	var looks atomics.Int64
	clock(t, func(now int64) int64 { return now + looks.Add(1)*int64(time.Minute) })
	m, end := newMill(taskgraph.Options{Workers: 2, StuckAfter: time.Millisecond,
		OnStuck: func(r *taskgraph.StuckReport) {
			// Where the caller loses its processor before Launch, its task is stuck in truth.
			if slices.ContainsFunc(r.Tasks[:r.Stuck], func(task taskgraph.StuckTask) bool {
				return task.State != graphevent.StateHeld.String()
			}) {
				t.Errorf("reported as stuck:\n%v", r)
			}
		}}, namedthread.Options{})
	m.onThread = false
	require.NoError(t, m.grind(short.Scaled(300)))
	yields := 20
	if runtime.GOMAXPROCS(0) == 1 {
		yields = 2 // at each the watchdog, which never waits, has the one processor for long
	}
	for range short.Scaled(1000) { // what is queued or runs will trigger what others wait for
		first := m.s.NewEvent()
		m.s.Go(func() {
			for range yields {
				runtime.Gosched()
			}
			first.Trigger()
		})
		second := m.s.Task(taskgraph.Do(func() {})).After(first).Launch()
		require.NoError(t, m.s.WaitUntilTasksComplete(bg, second))
	}
	require.NoError(t, end())
}

// What waits is not stuck because the clock has leapt, once or twice, since it began: that takes
// looks of the watchdog that see the same, one StuckAfter after the other, and then it says so.
func TestClockLeapsBeforeAReport(t *testing.T) {
	if !park.HandsOff() {
		t.Skip("the wait of the watchdog cannot be made to look at the clock")
	}
	watched(t)
	l := leaping(t)
	var reports atomics.Int64
	s := taskgraph.Start(taskgraph.Options{Workers: 1, StuckAfter: l.by,
		OnStuck: func(*taskgraph.StuckReport) { reports.Add(1) }})
	require.NoError(t, s.WaitUntilTasksComplete(bg, s.Go(func() {}))) // the worker has begun
	round := func(enough func(leaps int) bool) {
		first := s.NewEvent()
		second := s.Task(taskgraph.Do(func() {})).After(first).Launch()
		for s.Stats().Active > 0 { // nobody but the watchdog looks at the clock then
			runtime.Gosched()
		}
		l.leap(0) // and it waits
		for n := 1; !enough(n); n++ {
			l.leap(1)
		}
		first.Trigger()
		require.NoError(t, s.WaitUntilTasksComplete(bg, second))
	}
	for i := range short.Scaled(20) {
		round(func(leaps int) bool { return leaps > 1+i%2 })
		require.Zero(t, reports.Load(), "round %d", i)
	}
	round(func(int) bool { return reports.Load() > 0 })
	require.NoError(t, s.Shutdown(bg))
}

// What waits for a delay is not stuck, however long that is overdue by a clock that has leapt: a
// timer of Go's runtime, which knows better, will end it.
func TestClockLeapsPastADelay(t *testing.T) {
	if !park.HandsOff() {
		t.Skip("the wait of the watchdog cannot be made to look at the clock")
	}
	watched(t)
	l := leaping(t)
	s := taskgraph.Start(taskgraph.Options{Workers: 1, StuckAfter: l.by,
		OnStuck: func(r *taskgraph.StuckReport) { t.Errorf("reported as stuck:\n%v", r) }})
	e := s.Task(taskgraph.Do(func() {})).After(s.AfterDelay(l.by)).Launch()
	for range 5 {
		l.leap(1)
	}
	ctx, cancel := context.WithCancel(bg)
	cancel() // nobody wants to wait for so long
	require.ErrorIs(t, s.Shutdown(ctx), context.Canceled)
	require.ErrorIs(t, e.Err(), graphevent.ErrClosed)
}

// A leap has a clock that leaps when a test says so, and waits in the kernel that look at it again
// and again.
type leap struct {
	by           time.Duration
	leapt, looks atomics.Int64
	over         func() bool // whether nobody looks any more
}

func leaping(t *testing.T) *leap {
	l := &leap{by: time.Hour, over: func() bool { return false }}
	clock(t, func(now int64) int64 { l.looks.Add(1); return now + l.leapt.Load() })
	kernel(t, &park.Faults{Early: func() bool { time.Sleep(time.Microsecond); return true }})
	return l
}

// leap makes the clock leap, or not, and returns once it was looked at often.
func (l *leap) leap(times int) {
	l.leapt.Add(int64(times) * int64(l.by))
	for from := l.looks.Load(); l.looks.Load() < from+100 && !l.over(); {
		runtime.Gosched()
	}
}

// One leap of the clock, such as after a stop of the whole process, while Shutdown waits for a
// thread that comes a little later: nothing is abandoned.
func TestClockLeapsInShutdown(t *testing.T) {
	if !park.HandsOff() {
		t.Skip("the wait of Shutdown cannot be made to look at the clock")
	}
	watched(t)
	l := leaping(t)
	threads := namedthread.NewRegistry()
	th, err := threads.Attach("late", namedthread.Options{})
	require.NoError(t, err)
	s := taskgraph.Start(taskgraph.Options{Workers: 1, Threads: threads,
		StuckAfter: l.by})
	ran := false
	e := s.Task(taskgraph.Do(func() { ran = true })).On(th).Launch()
	ended := make(chan error, 1)
	atomics.Go(func() { ended <- s.Shutdown(bg) })
	for !errors.Is(s.Go(func() {}).Err(), graphevent.ErrClosed) {
		runtime.Gosched()
	}
	l.over = func() bool { return len(ended) > 0 }
	l.leap(0)
	l.leap(1)
	_, err = th.PumpUntilIdle(namedthread.QueueMain)
	require.NoError(t, err)
	require.NoError(t, <-ended)
	require.NoError(t, e.Err())
	require.True(t, ran)
	require.NoError(t, th.Detach())
}
