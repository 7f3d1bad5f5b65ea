package sleepevent_test

import (
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/dev/hang"
	"github.com/heddle-go/heddle/internal/dev/short"
	"github.com/heddle-go/heddle/internal/park"
	"github.com/heddle-go/heddle/sleepevent"
)

// noPermits holds I4 to account: a worker outside Idle has no permit.
func noPermits(t *testing.T, g *sleepevent.Group) {
	t.Helper()
	for i := range g.Workers() {
		require.False(t, g.TakePermit(i), "worker %d has a permit left over", i)
	}
}

func TestIdleTimeoutExpires(t *testing.T) {
	eachPark(t, func(t *testing.T, o sleepevent.Options) {
		hang.Watch(t)
		g := sleepevent.NewGroup(2, o)
		g.BeginSearch()
		limits := []time.Duration{1, time.Microsecond, 100 * time.Microsecond, time.Millisecond,
			3 * time.Millisecond}
		for i, d := range limits {
			start := time.Now()
			require.False(t, g.IdleTimeout(1, nothing, d))
			require.GreaterOrEqual(t, time.Since(start), d, "too early")
			require.Equal(t, 1, g.Searching(), "counted again")
			require.Zero(t, g.IdleCount())
			require.Equal(t, sleepevent.StateRunning, g.State(1))
			require.EqualValues(t, i+1, g.Stats().Timeouts)
			require.EqualValues(t, i+1, g.Stats().Withdrawals)
			noPermits(t, g)
		}
		require.Zero(t, g.Stats().KernelWakes)
		require.Zero(t, g.Stats().DrowseWakes)
	})
}

// TestIdleTimeoutWithoutTime looks once, after leaving the count, and does not wait.
func TestIdleTimeoutWithoutTime(t *testing.T) {
	eachPark(t, func(t *testing.T, o sleepevent.Options) {
		hang.Watch(t)
		g := sleepevent.NewGroup(1, o)
		g.BeginSearch()
		for _, d := range []time.Duration{0, -1, math.MinInt64} {
			looks := 0
			look := func(found bool) func() bool {
				return func() bool {
					looks++
					require.Zero(t, g.Searching())
					require.Equal(t, 1, g.IdleCount())
					return found
				}
			}
			require.False(t, g.IdleTimeout(0, look(false), d))
			require.Equal(t, 1, looks)
			require.True(t, g.IdleTimeout(0, look(true), d), "not the limit, but the look")
			require.Equal(t, 2, looks)
			require.True(t, g.IdleTimeout(0, func() bool {
				require.Equal(t, sleepevent.WakeDrowsing, g.Wake())
				return false
			}, d), "a waker took it first")
			require.Equal(t, 1, g.Searching())
		}
		s := g.Stats()
		require.EqualValues(t, 3, s.Timeouts)
		require.Zero(t, s.Parks+s.Drowses)
		g.Close()
		require.True(t, g.IdleTimeout(0, func() bool {
			t.Error("rescan after Close")
			return false
		}, 0))
		require.Equal(t, 1, g.Searching())
		noPermits(t, g)
	})
}

// TestIdleTimeoutWoken: with much time, or more than any clock has, it is Idle.
func TestIdleTimeoutWoken(t *testing.T) {
	eachPark(t, func(t *testing.T, o sleepevent.Options) {
		hang.Watch(t)
		g := sleepevent.NewGroup(1, o)
		g.BeginSearch()
		for _, d := range []time.Duration{time.Hour, 1 << 60, math.MaxInt64} {
			got := make(chan bool)
			go func() { got <- g.IdleTimeout(0, nothing, d) }()
			awaitSleep(g)
			require.Equal(t, sleepevent.WakeSleeping, g.Wake())
			require.True(t, <-got)
			require.Equal(t, 1, g.Searching())
			noPermits(t, g)
		}
		require.Zero(t, g.Stats().Timeouts)
		go g.Close()
		require.True(t, g.IdleTimeout(0, nothing, time.Hour))
	})
}

// TestIdleTimeoutDrowsing: the limit ends a drowse as well, and no sleep follows.
func TestIdleTimeoutDrowsing(t *testing.T) {
	hang.Watch(t)
	g := sleepevent.NewGroup(1, sleepevent.Options{MaxDrowsers: 1, DrowseBudget: math.MaxInt64})
	g.BeginSearch()
	require.False(t, g.IdleTimeout(0, nothing, time.Millisecond))
	s := g.Stats()
	require.EqualValues(t, 1, s.Drowses)
	require.Zero(t, s.Parks)
	require.EqualValues(t, 1, s.Timeouts)
	require.Zero(t, g.Drowsers())
	require.Equal(t, int64(math.MaxInt64), g.Budget(0), "it was not spent")

	done := make(chan bool)
	go func() { done <- g.IdleTimeout(0, nothing, time.Hour) }()
	hang.Await(func() bool { return g.Drowsers() == 1 })
	require.Equal(t, sleepevent.WakeDrowsing, g.Wake())
	require.True(t, <-done)
	require.Equal(t, int64(math.MaxInt64), g.Budget(0),
		"this one did, and the budget grows without overflow")
}

// TestIdleTimeoutAllocations: a limit costs nothing if it is met in the kernel or not at all.
func TestIdleTimeoutAllocations(t *testing.T) {
	hang.Watch(t)
	options := []sleepevent.Options{{MaxDrowsers: 1, DrowseBudget: time.Hour}}
	if park.HandsOff() {
		options = append(options, sleepevent.Options{MaxDrowsers: -1})
	}
	for _, o := range options {
		g := sleepevent.NewGroup(1, o)
		g.BeginSearch()
		require.Zero(t, testing.AllocsPerRun(100, func() {
			g.IdleTimeout(0, nothing, 50*time.Microsecond)
			g.IdleTimeout(0, nothing, 0)
		}))
	}
}

// TestTimeoutOwnsTheWakeOrNot lets the limit and a waker come at once, with one worker and one
// waker: the waker woke it if and only if IdleTimeout says so, there is one count, and no permit
// is left.
func TestTimeoutOwnsTheWakeOrNot(t *testing.T) {
	eachPark(t, func(t *testing.T, o sleepevent.Options) {
		hang.Watch(t)
		wakes := map[string]func(g *sleepevent.Group) bool{
			"Wake":       func(g *sleepevent.Group) bool { return g.Wake().Woke() },
			"WakeN":      func(g *sleepevent.Group) bool { return g.WakeN(3) > 0 },
			"WakeWorker": func(g *sleepevent.Group) bool { return g.WakeWorker(0).Woke() },
			"WakeAll":    func(g *sleepevent.Group) bool { return g.WakeAll() > 0 },
		}
		for name, wake := range wakes {
			g := sleepevent.NewGroup(1, o)
			g.BeginSearch()
			var start, gone sleepevent.Signal
			var woke bool
			n := short.Scaled(1_000)
			go func() {
				random := rand.New(rand.NewPCG(1, 2))
				for range n {
					start.Wait()
					hang.Await(func() bool { return g.IdleCount() > 0 || g.Searching() > 0 })
					for range random.IntN(128) {
						atomics.Pause(8)
					}
					woke = wake(g)
					gone.Trigger()
				}
			}()
			random := rand.New(rand.NewPCG(1, 1))
			timeouts := 0
			for i := range n {
				start.Trigger()
				got := g.IdleTimeout(0, nothing, time.Duration(random.IntN(100))*time.Microsecond)
				gone.Wait()
				require.Equal(t, got, woke, "%s, round %d", name, i)
				require.Equal(t, 1, g.Searching(), "%s, round %d", name, i)
				require.Zero(t, g.IdleCount())
				noPermits(t, g)
				if !got {
					timeouts++
				}
			}
			require.EqualValues(t, timeouts, g.Stats().Timeouts)
			t.Logf("%s: %d of %d timed out", name, timeouts, n)
		}
	})
}

// TestTimeoutMeetsLateUnpark: a waker ended the worker's state, and the limit comes before the
// waker's Unpark. The worker takes that permit with it.
func TestTimeoutMeetsLateUnpark(t *testing.T) {
	eachPark(t, func(t *testing.T, o sleepevent.Options) {
		hang.Watch(t)
		o.MaxDrowsers = -1
		for caught := 0; caught < 5; {
			g := sleepevent.NewGroup(1, o)
			g.BeginSearch()
			const limit = 2 * time.Millisecond
			got := make(chan bool, 1)
			begin := time.Now()
			go func() { got <- g.IdleTimeout(0, nothing, limit) }()
			hang.Await(func() bool { return g.State(0) != sleepevent.StateRunning || len(got) > 0 })
			hang.Await(func() bool { return g.State(0) != sleepevent.StateDrowsing })
			if !g.Own(0) {
				require.False(t, <-got)
				continue // the limit was first
			}
			owed := g.EndState(0)
			hang.Await(func() bool { return time.Since(begin) > 2*limit })
			if owed {
				caught++
				require.Empty(t, got, "its permit is yet to come")
				g.Unpark(0)
			}
			require.True(t, <-got, "the wake is its own")
			noPermits(t, g)
			require.Equal(t, 1, g.Searching())
		}
	})
}

// TestTimeoutMeetsLateWaker: a waker that claimed the worker is held up; the limit ends the
// rest, and the wake belongs to the worker all the same.
func TestTimeoutMeetsLateWaker(t *testing.T) {
	eachPark(t, func(t *testing.T, o sleepevent.Options) {
		hang.Watch(t)
		g := sleepevent.NewGroup(1, o)
		g.BeginSearch()
		require.True(t, g.IdleTimeout(0, func() bool {
			require.True(t, g.Own(0))
			return false
		}, time.Millisecond))
		require.Zero(t, g.Stats().Timeouts)
		require.Equal(t, 1, g.Searching(), "the waker's count")
		require.Equal(t, sleepevent.WakeDrowsing, g.Rouse(0), "it finds nothing to do")
		noPermits(t, g)
	})
}

// TestCloseRaces closes among time limits and wakes of all kinds: every worker comes back,
// counted once, with no permit.
func TestCloseRaces(t *testing.T) {
	eachPark(t, func(t *testing.T, o sleepevent.Options) {
		hang.Watch(t)
		random := rand.New(rand.NewPCG(3, 3))
		for range short.Scaled(1_000) {
			workers := 1 + random.IntN(4)
			g := sleepevent.NewGroup(workers, o)
			var ended sync.WaitGroup
			for i := range workers {
				g.BeginSearch()
				limit := time.Duration(random.IntN(60)) * time.Microsecond
				ended.Go(func() {
					for !g.Closed() {
						if i%2 == 0 {
							g.IdleTimeout(i, nothing, limit)
						} else {
							g.Idle(i, nothing)
						}
					}
				})
			}
			n := random.IntN(5)
			ended.Go(func() { g.WakeN(n); g.Wake() })
			for range random.IntN(200) {
				atomics.Pause(8)
			}
			g.Close()
			ended.Wait()
			require.Equal(t, workers, g.Searching())
			require.Zero(t, g.IdleCount())
			require.Zero(t, g.Drowsers())
			noPermits(t, g)
		}
	})
}

// TestHousekeeping runs pools in which some workers rest with time limits and others without,
// while producers wake by every call. The workers without a limit would hang on a lost wake.
func TestHousekeeping(t *testing.T) {
	for _, procs := range []int{1, 2, 4} {
		eachPark(t, func(t *testing.T, o sleepevent.Options) {
			hang.Watch(t)
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
			const workers, producers = 3, 2
			n := 2_000
			if testing.Short() {
				n = 100
			}
			p := newTimedPool(workers, o, func(worker int) time.Duration {
				if worker == 0 {
					return -1
				}
				return time.Duration(10*worker) * time.Microsecond
			})
			var wg sync.WaitGroup
			for k := range producers {
				wg.Go(func() {
					random := rand.New(rand.NewPCG(uint64(procs), uint64(k)))
					var done sleepevent.Signal
					var left atomics.Int32
					task := func() {
						if left.Add(-1) == 0 {
							done.Trigger()
						}
					}
					for range n {
						size := 1 + random.IntN(3)
						left.Store(int32(size))
						for range size {
							p.push(task)
						}
						for range random.IntN(100) {
							atomics.Pause(8)
						}
						switch random.IntN(3) {
						case 0:
							p.g.Wake()
						case 1:
							p.g.WakeN(size)
						case 2:
							p.g.WakeAll()
						}
						done.Wait()
					}
				})
			}
			wg.Wait()
			p.close()
			require.Zero(t, p.g.Searching())
			noPermits(t, p.g)
		})
	}
}
