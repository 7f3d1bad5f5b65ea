package sleepevent_test

import (
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/dev/hang"
	"github.com/heddle-go/heddle/sleepevent"
)

// TestWakeN wakes the lowest numbers, and counts those who search among the n.
func TestWakeN(t *testing.T) {
	eachPark(t, func(t *testing.T, o sleepevent.Options) {
		hang.Watch(t)
		const workers = 7
		o.MaxDrowsers = -1
		g := sleepevent.NewGroup(workers, o)
		require.Zero(t, g.WakeN(3), "nobody is idle")
		var ended sync.WaitGroup
		for i := range workers {
			g.BeginSearch()
			ended.Go(func() { g.Idle(i, nothing) })
		}
		awaitSleep(g)
		idle := func() (n []int) {
			for i := range workers {
				if g.Idles(i) {
					n = append(n, i)
				}
			}
			return n
		}
		require.Zero(t, g.WakeN(0))
		require.Zero(t, g.WakeN(-1))
		require.Zero(t, g.WakeN(math.MinInt))
		require.Equal(t, 3, g.WakeN(3))
		require.Equal(t, []int{3, 4, 5, 6}, idle())
		require.Equal(t, 3, g.Searching(), "counted on their behalf")
		for range 100 {
			require.Zero(t, g.WakeN(3), "a burst makes three wakes")
		}
		require.Equal(t, sleepevent.WakeSearching, g.Wake())
		require.Equal(t, 1, g.WakeN(4), "one more than search already")
		g.EndSearch()
		g.EndSearch()
		require.Equal(t, 1, g.WakeN(3))
		require.Equal(t, 2, g.WakeN(math.MaxInt), "as far as there are idle ones")
		require.Empty(t, idle())
		require.Zero(t, g.WakeN(math.MaxInt))
		ended.Wait()
		require.Equal(t, workers-2, g.Searching())
		require.EqualValues(t, workers, g.Stats().Parks)
		noPermits(t, g)
	})
}

// TestWakeNOrder compares WakeN with its specification over idle sets of several words:
// drowsers before sleepers, the lowest numbers first, and no count too many.
func TestWakeNOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		workers := rapid.IntRange(1, 10*sleepevent.PerWord).Draw(t, "workers")
		g := sleepevent.NewGroup(workers, sleepevent.Options{})
		var order []int // as they are to be woken
		states := rapid.SliceOfN(rapid.IntRange(0, 2), workers, workers).Draw(t, "states")
		for _, s := range []int{1, 2} {
			for i := range workers {
				if states[i] == s {
					g.Publish(i, s == 1)
					order = append(order, i)
				}
			}
		}
		searching := rapid.IntRange(0, 3).Draw(t, "searching")
		for range searching {
			g.BeginSearch()
		}
		for len(order) > 0 && !t.Failed() {
			n := rapid.IntRange(-1, workers+4).Draw(t, "n")
			want := min(max(n-searching, 0), len(order))
			require.Equal(t, want, g.WakeN(n))
			for _, i := range order[:want] {
				require.False(t, g.Idles(i), "worker %d was due", i)
			}
			for _, i := range order[want:] {
				require.True(t, g.Idles(i), "worker %d was not due", i)
			}
			order = order[want:]
			searching += want
			require.Equal(t, searching, g.Searching())
			for range rapid.IntRange(min(searching, 1), searching).Draw(t, "found") {
				g.EndSearch()
				searching--
			}
		}
	})
}

// TestWakeNOfOneIsWake: on the same idle set and count, the two come to the same.
func TestWakeNOfOneIsWake(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		workers := rapid.IntRange(1, 2*sleepevent.PerWord).Draw(t, "workers")
		a := sleepevent.NewGroup(workers, sleepevent.Options{})
		b := sleepevent.NewGroup(workers, sleepevent.Options{})
		for i := range workers {
			if s := rapid.IntRange(0, 3).Draw(t, "state"); s > 1 {
				a.Publish(i, s == 2)
				b.Publish(i, s == 2)
			}
		}
		if rapid.Bool().Draw(t, "searching") {
			a.BeginSearch()
			b.BeginSearch()
		}
		require.Equal(t, a.Wake().Woke(), b.WakeN(1) == 1)
		require.Equal(t, a.Searching(), b.Searching())
		for i := range workers {
			require.Equal(t, a.Idles(i), b.Idles(i))
		}
	})
}

// TestWakeNGivesCountsBack: there are fewer idle workers than WakeN had seen. What is left
// must not stand for nobody, which would stop all later wakes, and whoever relied on it is
// owed a wake.
func TestWakeNGivesCountsBack(t *testing.T) {
	g := sleepevent.NewGroup(70, sleepevent.Options{})
	g.Publish(1, false)
	g.Publish(33, true)
	g.Publish(69, false)
	g.BeginSearch()
	up, again := g.WakeCounted(0, 5)
	require.Zero(t, up, "the count was another")
	require.True(t, again)
	require.Equal(t, 3, g.IdleCount())
	up, again = g.WakeCounted(1, 5)
	require.Equal(t, 3, up)
	require.True(t, again)
	require.Equal(t, 1+3, g.Searching())
	g.Publish(7, false)
	g.Publish(8, false)
	up, again = g.WakeCounted(4, 1)
	require.Equal(t, 1, up)
	require.False(t, again)
	require.Equal(t, 5, g.Searching())
	require.True(t, g.Idles(8))
}

func TestWakeNAllocations(t *testing.T) {
	eachPark(t, func(t *testing.T, o sleepevent.Options) {
		hang.Watch(t)
		const workers = 3
		o.MaxDrowsers = -1
		p := newPool(workers, o)
		defer p.close()
		woken := 0
		got := testing.AllocsPerRun(100, func() {
			p.awaitSleep()
			woken += p.g.WakeN(workers)
		})
		require.Zero(t, got)
		require.Positive(t, woken)
	})
}

// TestWakeNRaces has several wakers with WakeN of all sizes, so that they take workers from
// under each other, with fewer Ps than threads and with more. No worker has a time limit: a
// count that stands for nobody, or a wake that is lost, shows as a hang or in the sum.
func TestWakeNRaces(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, procs := range []int{1, 2, 4} {
		runtime.GOMAXPROCS(procs)
		eachPark(t, func(t *testing.T, o sleepevent.Options) {
			for _, workers := range []int{1, 2, 5, 40} {
				hang.Watch(t)
				n := 300
				if testing.Short() {
					n = 15
				}
				if o.Park == sleepevent.ParkTwoPhase {
					n /= 5 // its threads hold Ps
				}
				p := newPool(workers, o)
				wakeNRaces(p, n)
				p.awaitSleep()
				require.Zero(t, p.g.Searching(), "every count was given back")
				require.Equal(t, workers, p.g.IdleCount())
				p.close()
				require.Zero(t, p.g.Searching())
				noPermits(t, p.g)
			}
		})
	}
}

// wakeNRaces runs producers that each wait for what they queued.
func wakeNRaces(p *pool, n int) {
	var wg sync.WaitGroup
	for k := range 3 {
		wg.Go(func() {
			random := rand.New(rand.NewPCG(uint64(p.g.Workers()), uint64(k)))
			for range n {
				size := 1 + random.IntN(6)
				var left atomics.Int32
				left.Store(int32(size))
				var done sleepevent.Signal
				for range size {
					p.push(func() {
						if left.Add(-1) == 0 {
							done.Trigger()
						}
					})
				}
				p.g.WakeN(1 + random.IntN(2*size))
				done.Wait()
			}
		})
	}
	wg.Wait()
}
