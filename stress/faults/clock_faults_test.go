//go:build heddle_faults && !modelcheck

package faults_test

import (
	"errors"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/dev/short"
	"github.com/heddle-go/heddle/internal/park"
	"github.com/heddle-go/heddle/namedthread"
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
// it should be: programs with delays and sleeps too do what they should.
func TestClockStops(t *testing.T) {
	watched(t)
	for _, every := range []time.Duration{100 * time.Microsecond, 5 * time.Millisecond} {
		clock(t, func(now int64) int64 { return now - now%int64(every) })
		require.NoError(t, mixed(short.Scaled(120), uint64(every)))
	}
}

// A clock that leaps, by an hour at about every 500th look: limits come early, and nothing else
// differs. Nobody who waits without a limit is told that it is over.
func TestClockLeaps(t *testing.T) {
	watched(t)
	var looks atomics.Int64
	clock(t, func(now int64) int64 {
		return now + looks.Add(1)/500*int64(time.Hour)
	})
	require.NoError(t, mixed(short.Scaled(200), 1))
	grinds(t, 100)
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
			if r.Stuck > 0 {
				t.Errorf("reported as stuck:\n%v", r)
			}
		}}, namedthread.Options{})
	m.onThread = false
	require.NoError(t, m.grind(short.Scaled(300)))
	require.NoError(t, end())
}

// One leap of the clock, such as after a stop of the whole process, while Shutdown waits for a
// thread that comes a little later: nothing is abandoned.
func TestClockLeapsInShutdown(t *testing.T) {
	if !park.HandsOff() {
		t.Skip("the wait of Shutdown cannot be made to look at the clock")
	}
	watched(t)
	const leap = int64(time.Hour)
	var leapt, looks atomics.Int64
	clock(t, func(now int64) int64 { looks.Add(1); return now + leapt.Load() })
	threads := namedthread.NewRegistry()
	th, err := threads.Attach("late", namedthread.Options{})
	require.NoError(t, err)
	s := taskgraph.Start(taskgraph.Options{Workers: 1, Threads: threads,
		StuckAfter: time.Duration(leap)})
	// Waits look at the clock again and again.
	kernel(t, &park.Faults{Early: func() bool { time.Sleep(time.Microsecond); return true }})
	ran := false
	e := s.Task(taskgraph.Do(func() { ran = true })).On(th).Launch()
	ended := make(chan error, 1)
	atomics.Go(func() { ended <- s.Shutdown(bg) })
	for !errors.Is(s.Go(func() {}).Err(), graphevent.ErrClosed) {
		runtime.Gosched()
	}
	awaitLooks := func() {
		for from := looks.Load(); looks.Load() < from+100 && len(ended) == 0; {
			runtime.Gosched()
		}
	}
	awaitLooks()
	leapt.Store(leap)
	awaitLooks()
	_, err = th.PumpUntilIdle(namedthread.QueueMain)
	require.NoError(t, err)
	require.NoError(t, <-ended)
	require.NoError(t, e.Err())
	require.True(t, ran)
	require.NoError(t, th.Detach())
}
