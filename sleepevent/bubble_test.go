package sleepevent_test

import (
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/sleepevent"
)

// TestBubble: with ParkGo a pool lives inside a synctest bubble: its sleepers let the clock
// advance.
func TestBubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPool(3, sleepevent.Options{Park: sleepevent.ParkGo})
		synctest.Wait() // returns only if all sleep durably
		require.Equal(t, 3, p.g.IdleCount())

		start := time.Now()
		ran := 0
		for range 10 {
			time.Sleep(time.Hour)
			p.submit(func() { ran++ })
			synctest.Wait()
		}
		require.Equal(t, 10, ran)
		require.Equal(t, 10*time.Hour, time.Since(start))

		s := sleepevent.NewSignal(sleepevent.Options{Park: sleepevent.ParkGo})
		require.False(t, s.WaitTimeout(time.Hour))
		require.Equal(t, 11*time.Hour, time.Since(start))
		p.close()
	})
}

// TestBubbleTimeouts: in a bubble time limits are exact to the nanosecond, whatever ends the
// others.
func TestBubbleTimeouts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := sleepevent.NewGroup(2, sleepevent.Options{Park: sleepevent.ParkGo})
		start := time.Now()
		g.BeginSearch()
		for _, d := range []time.Duration{1, 999, time.Second, 24 * time.Hour} {
			before := time.Now()
			require.False(t, g.IdleTimeout(0, nothing, d))
			require.Equal(t, d, time.Since(before))
			require.False(t, g.IdleTimeout(0, nothing, 0))
			require.Equal(t, d, time.Since(before), "no time was given, none was taken")
		}

		// The wake comes one nanosecond before the limit, or one after.
		for _, early := range []time.Duration{1, -1} {
			var got bool
			var after time.Duration
			before := time.Now()
			go func() {
				got = g.IdleTimeout(0, nothing, time.Minute)
				after = time.Since(before)
			}()
			time.Sleep(time.Minute - early)
			result := g.Wake()
			synctest.Wait()
			require.Equal(t, early > 0, got)
			require.Equal(t, min(time.Minute, time.Minute-early), after)
			if early > 0 {
				require.Equal(t, sleepevent.WakeSleeping, result)
			} else {
				require.Equal(t, sleepevent.WakeSearching, result, "it is counted already")
			}
			noPermits(t, g)
		}

		// A worker without a limit does not mind the clock, and Close ends all.
		g.BeginSearch()
		var ended atomics.Int32
		go func() { g.Idle(0, nothing); ended.Add(1) }()
		go func() { g.IdleTimeout(1, nothing, 1000*time.Hour); ended.Add(1) }()
		time.Sleep(999 * time.Hour)
		synctest.Wait()
		require.Zero(t, ended.Load())
		before := time.Now()
		g.Close()
		synctest.Wait()
		require.EqualValues(t, 2, ended.Load())
		require.Zero(t, time.Since(before))
		require.Equal(t, 2, g.Searching())
		require.Positive(t, time.Since(start))
	})
}

// TestBubbleLateUnpark: the limit passes between the two halves of a wake. The worker waits
// for the second, and no longer.
func TestBubbleLateUnpark(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := sleepevent.NewGroup(1, sleepevent.Options{Park: sleepevent.ParkGo})
		g.BeginSearch()
		back := false
		go func() { back = g.IdleTimeout(0, nothing, time.Second) }()
		synctest.Wait()
		require.True(t, g.Own(0))
		require.True(t, g.EndState(0))
		time.Sleep(time.Hour)
		synctest.Wait()
		require.False(t, back, "the permit is still to come")
		g.Unpark(0)
		synctest.Wait()
		require.True(t, back)
		noPermits(t, g)
		require.Equal(t, 1, g.Searching())
	})
}

// TestBubbleSignal: the limits of a Signal, at their ends too.
func TestBubbleSignal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := sleepevent.NewSignal(sleepevent.Options{Park: sleepevent.ParkGo})
		start := time.Now()
		for _, d := range []time.Duration{0, -1, math.MinInt64} {
			require.False(t, s.WaitTimeout(d))
			s.Trigger()
			require.True(t, s.WaitTimeout(d), "what is set needs no time")
		}
		require.Zero(t, time.Since(start))
		require.False(t, s.WaitTimeout(1))
		require.EqualValues(t, 1, time.Since(start))

		got := false
		go func() { got = s.WaitTimeout(math.MaxInt64) }()
		time.Sleep(100 * 365 * 24 * time.Hour)
		synctest.Wait()
		require.False(t, got)
		require.True(t, s.Trigger())
		synctest.Wait()
		require.True(t, got)
	})
}

// TestBubbleHousekeeping is a pool one worker of which wakes every minute, on time, while the
// others sleep through.
func TestBubbleHousekeeping(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const workers = 3
		g := sleepevent.NewGroup(workers, sleepevent.Options{Park: sleepevent.ParkGo})
		start := time.Now()
		var rounds []time.Duration
		for i := range workers {
			g.BeginSearch()
			go func() {
				for !g.Closed() {
					if i > 0 {
						g.Idle(i, nothing)
					} else if !g.IdleTimeout(i, nothing, time.Minute) {
						rounds = append(rounds, time.Since(start))
					}
				}
				g.EndSearch()
			}()
		}
		time.Sleep(10*time.Minute + time.Second)
		g.Close()
		synctest.Wait()
		require.Len(t, rounds, 10)
		for i, at := range rounds {
			require.Equal(t, time.Duration(i+1)*time.Minute, at)
		}
		require.EqualValues(t, workers-1+11, g.Stats().Parks)
		require.Zero(t, g.Searching())
	})
}

// TestKernelWakesAreCounted: a wake of a worker that sleeps counts, and one of a worker that has
// not come to its sleep does not.
func TestKernelWakesAreCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := sleepevent.NewGroup(1, sleepevent.Options{Park: sleepevent.ParkGo})
		for n := range uint64(3) {
			g.BeginSearch()
			go func() {
				g.Idle(0, nothing)
				g.EndSearch()
			}()
			synctest.Wait() // it sleeps
			require.Equal(t, n, g.Stats().KernelWakes)
			g.Wake()
			synctest.Wait()
			require.Equal(t, n+1, g.Stats().KernelWakes)
		}
	})
}
