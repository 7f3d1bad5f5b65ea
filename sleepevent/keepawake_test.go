package sleepevent_test

import (
	"math"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/dev/hang"
	"github.com/heddle-go/heddle/sleepevent"
)

// restAgain is a worker that finds nothing until the group is closed. It returns how often it came
// back.
func restAgain(g *sleepevent.Group, worker int) (returns int) {
	for ; !g.Closed(); returns++ {
		g.Idle(worker, nothing)
	}
	return returns
}

// TestKeepAwakeEndsSleepInTime: nobody wakes the sleepers but a timer of their own, and then they
// drowse.
func TestKeepAwakeEndsSleepInTime(t *testing.T) {
	eachPark(t, func(t *testing.T, o sleepevent.Options) {
		hang.Watch(t)
		o.MaxDrowsers = 2
		for set := false; !set; {
			set = endsSleepInTime(t, o)
		}
	})
}

// endsSleepInTime reports whether two sleepers have set their timers: who comes back after the time
// has none, and a busy machine may have one come so late.
func endsSleepInTime(t *testing.T, o sleepevent.Options) bool {
	g := sleepevent.NewGroup(3, o)
	var ended sync.WaitGroup
	for i := range g.Workers() {
		g.BeginSearch()
		ended.Go(func() { restAgain(g, i) })
	}
	defer ended.Wait()
	defer g.Close()
	awaitSleep(g)
	// They sleep without a limit, and so are woken to hear of the time; only the first two are
	// meant.
	const in = 30 * time.Millisecond
	begin := time.Now()
	g.KeepAwake(2, in, time.Hour)
	both := func() bool { return g.Limited(0) && g.Limited(1) }
	hang.Await(func() bool { return both() || time.Since(begin) > in })
	if !both() {
		return false
	}
	hang.Await(func() bool { return g.Stats().Timeouts == 2 })
	if o.Park != sleepevent.ParkGo { // there nobody drowses
		hang.Await(func() bool { return g.DrowsingCount() == 2 })
		require.Equal(t, sleepevent.StateSleeping, g.State(2))
	}
	require.LessOrEqual(t, g.Stats().KernelWakes, uint64(2), "woken not only to hear of it")
	return true
}

// TestKeepAwakeIsOver: after the time they sleep again, until a wake.
func TestKeepAwakeIsOver(t *testing.T) {
	hang.Watch(t)
	g := sleepevent.NewGroup(1, sleepevent.Options{MaxDrowsers: 1})
	g.BeginSearch()
	var ended sync.WaitGroup
	ended.Go(func() { restAgain(g, 0) })
	begin := time.Now()
	for _, in := range []time.Duration{-1, 0, time.Microsecond} {
		parks := g.Stats().Parks
		begin = time.Now()
		g.KeepAwake(1, in, time.Millisecond)
		hang.Await(func() bool {
			return g.Stats().Parks > parks || g.State(0) == sleepevent.StateSleeping
		})
		awaitSleep(g)
	}
	// The last of these sleeps may have had the beginning of the time as its limit, and a busy
	// machine may end it late. Rests that begin after the time are without.
	hang.Await(func() bool { return time.Since(begin) > 10*time.Millisecond })
	for g.Wake() != sleepevent.WakeSleeping {
		runtime.Gosched()
	}
	timeouts := g.Stats().Timeouts
	for range 10 {
		awaitSleep(g)
		hang.Await(func() bool { return g.HasNoLimit(0) })
		require.Equal(t, sleepevent.WakeSleeping, g.Wake())
	}
	require.Equal(t, timeouts, g.Stats().Timeouts)
	g.Close()
	ended.Wait()
}

// TestKeepAwakeForEver: the extremes do not overflow, and a Close ends it.
func TestKeepAwakeForEver(t *testing.T) {
	hang.Watch(t)
	g := sleepevent.NewGroup(1, sleepevent.Options{MaxDrowsers: 1, DrowseBudget: 1})
	g.BeginSearch()
	g.KeepAwake(math.MaxInt, math.MinInt64, math.MaxInt64)
	var ended sync.WaitGroup
	ended.Go(func() { restAgain(g, 0) })
	hang.Await(func() bool { return g.DrowsingCount() == 1 })
	time.Sleep(time.Millisecond) // far beyond its budget
	require.Equal(t, sleepevent.StateDrowsing, g.State(0))
	require.Zero(t, g.Stats().Parks)
	g.KeepAwake(0, math.MaxInt64, math.MaxInt64)
	awaitSleep(g)
	g.Close()
	ended.Wait()
}

// TestKeepAwakeIsNoLimit: who sleeps until a later moment of its own, and comes back at that of
// KeepAwake, is told that its own has not come.
func TestKeepAwakeIsNoLimit(t *testing.T) {
	eachPark(t, func(t *testing.T, o sleepevent.Options) {
		hang.Watch(t)
		g := sleepevent.NewGroup(1, o)
		for range 3 {
			timeouts := g.Stats().Timeouts
			for back := false; g.Stats().Timeouts == timeouts; require.True(t, back) {
				// The moment has passed if a busy machine has the worker sleep so late.
				g.KeepAwake(1, 4*time.Millisecond, time.Millisecond)
				g.BeginSearch()
				slept := time.AfterFunc(time.Second, func() { g.Wake() })
				back = g.IdleTimeout(0, nothing, time.Hour)
				slept.Stop()
				g.EndSearch()
			}
		}
	})
}
