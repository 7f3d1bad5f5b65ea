package sleepevent_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/dev/hang"
	"github.com/heddle-go/heddle/internal/dev/short"
	"github.com/heddle-go/heddle/sleepevent"
)

// TestTrap01_RescanWhileSearching: a wake made while the worker was counted did nothing, so
// the rescan must come after the count was left.
func TestTrap01_RescanWhileSearching(t *testing.T) {
	eachPark(t, func(t *testing.T, o sleepevent.Options) {
		hang.Watch(t)
		g := sleepevent.NewGroup(1, o)
		work := false
		g.BeginSearch()
		require.False(t, work, "the worker looks, and finds nothing")
		work = true
		require.Equal(t, sleepevent.WakeSearching, g.Wake(), "this wake relies on the rescan")
		g.Idle(0, func() bool {
			require.Zero(t, g.Searching(), "the count is left before the rescan")
			return work
		})
		require.Equal(t, 1, g.Searching())
		require.Zero(t, g.Stats().Parks)
		require.EqualValues(t, 1, g.Stats().Withdrawals)
	})
}

// TestTrap01_PublishRescanSleep: work that comes just after the rescan looked meets a worker
// that is published already.
func TestTrap01_PublishRescanSleep(t *testing.T) {
	eachPark(t, func(t *testing.T, o sleepevent.Options) {
		hang.Watch(t)
		g := sleepevent.NewGroup(1, o)
		g.BeginSearch()
		g.Idle(0, func() bool {
			require.Equal(t, 1, g.IdleCount(), "published before the rescan")
			require.Equal(t, sleepevent.WakeDrowsing, g.Wake(), "work came, after the look")
			return false
		})
		require.Equal(t, 1, g.Searching(), "counted by the waker, and once")
		require.Zero(t, g.Stats().Parks)
		require.Zero(t, g.Stats().KernelWakes)
		require.EqualValues(t, 1, g.Stats().DrowseWakes)
	})
}

// TestTrap02_SwallowedWakeIsPassedOn: worker 0 finds one piece of work by itself while a
// waker picks it for another piece. The wake it swallowed must reach worker 1.
func TestTrap02_SwallowedWakeIsPassedOn(t *testing.T) {
	eachPark(t, func(t *testing.T, o sleepevent.Options) {
		hang.Watch(t)
		g := sleepevent.NewGroup(2, o)
		up := make(chan struct{})
		g.BeginSearch()
		go func() {
			g.Idle(1, nothing)
			close(up)
		}()
		hang.Await(func() bool { return g.State(1) == sleepevent.StateSleeping })

		g.BeginSearch()
		g.Idle(0, func() bool {
			// Two pieces of work; the drowsing worker 0 is preferred to the sleeping worker 1.
			require.Equal(t, sleepevent.WakeDrowsing, g.Wake())
			return true
		})
		require.EqualValues(t, 1, g.Stats().Swallowed)
		require.Equal(t, 1, g.Searching(), "the count is the debt")
		require.Equal(t, sleepevent.WakeSearching, g.Wake())
		g.EndSearch() // worker 0 took one piece, and sees the other
		require.Equal(t, sleepevent.WakeSleeping, g.Wake())
		<-up
		require.Equal(t, 1, g.Searching())
	})
}

// TestTrap02_RampUp: one wake brings up as many workers as there is work.
func TestTrap02_RampUp(t *testing.T) {
	eachPark(t, func(t *testing.T, o sleepevent.Options) {
		hang.Watch(t)
		const workers = 4
		p := newPool(workers, o)
		for range short.Scaled(100) {
			p.awaitSleep()
			var all, ran sync.WaitGroup
			all.Add(workers)
			ran.Add(workers)
			for range workers {
				p.push(func() {
					all.Done()
					all.Wait() // needs all workers at once
					ran.Done()
				})
			}
			require.Equal(t, sleepevent.WakeSleeping, p.g.Wake())
			ran.Wait()
		}
		p.close()
		require.Zero(t, p.g.Searching())
	})
}

// TestLateWaker: a waker that is held up between claiming a worker and waking it does so in a
// later rest. That ends the rest early, and every count stays right.
func TestLateWaker(t *testing.T) {
	eachPark(t, func(t *testing.T, o sleepevent.Options) {
		hang.Watch(t)
		g := sleepevent.NewGroup(1, o)
		g.BeginSearch()
		g.Idle(0, func() bool {
			require.True(t, g.Own(0))
			require.False(t, g.Own(0), "owned already")
			return true // the worker leaves by itself; the waker is late
		})
		require.Equal(t, 1, g.Searching())

		done := make(chan struct{})
		go func() {
			g.Idle(0, nothing)
			close(done)
		}()
		hang.Await(func() bool { return g.State(0) == sleepevent.StateSleeping })
		require.Equal(t, sleepevent.WakeSleeping, g.Rouse(0))
		<-done
		require.Equal(t, 1, g.Searching(), "nobody counted for it in this rest, so it did")
		require.Zero(t, g.IdleCount())

		// Late, and another waker owns the rest: one of the two wakes, one counts.
		g.Idle(0, func() bool {
			require.True(t, g.Own(0))
			return true
		})
		done = make(chan struct{})
		go func() {
			g.Idle(0, nothing)
			close(done)
		}()
		hang.Await(func() bool { return g.State(0) == sleepevent.StateSleeping })
		require.True(t, g.Own(0))
		require.Equal(t, sleepevent.WakeSleeping, g.Rouse(0))
		<-done
		require.Equal(t, sleepevent.WakeDrowsing, g.Rouse(0), "nothing left to do")
		require.Equal(t, 1, g.Searching())

		// Later still: the worker is not idle.
		require.Equal(t, sleepevent.StateRunning, g.State(0))
		require.Equal(t, sleepevent.WakeNone, g.WakeWorker(0))
	})
}

// TestIdleTwice: two goroutines must not be one worker.
func TestIdleTwice(t *testing.T) {
	hang.Watch(t)
	g := sleepevent.NewGroup(1, sleepevent.Options{})
	g.BeginSearch()
	g.BeginSearch()
	g.Idle(0, func() bool {
		require.PanicsWithValue(t, "sleepevent: Idle for a worker that is idle already",
			func() { g.Idle(0, nothing) })
		return true
	})
}

// TestNoLostWakeUp hands one piece of work after the other to a pool that idles in between,
// at every distance from the worker's last one: 100,000 pieces in all with ParkOS, fewer with
// the others. A lost wake-up is a hang.
func TestNoLostWakeUp(t *testing.T) {
	t.Parallel()
	for _, workers := range []int{1, 2, 3, 4} {
		t.Run(fmt.Sprint(workers), func(t *testing.T) {
			eachPark(t, func(t *testing.T, o sleepevent.Options) {
				hang.Watch(t)
				n := 25_000
				if testing.Short() {
					n = 500
				}
				if o.Park != sleepevent.ParkOS {
					n /= 10
				}
				handOff(workers, n, o)
			})
		})
	}
}

func handOff(workers, n int, o sleepevent.Options) {
	p := newPool(workers, o)
	var done sleepevent.Signal
	task := func() { done.Trigger() }
	random := rand.New(rand.NewPCG(uint64(workers), 1))
	for range n {
		for range random.IntN(100) {
			atomics.Pause(8)
		}
		p.submit(task)
		done.Wait()
	}
	p.close()
	if s := p.g.Searching(); s != 0 {
		panic(fmt.Sprint("unbalanced count: ", s))
	}
}

// TestNoLostWakeUpByProcs is the same with fewer Ps than threads, and with more.
func TestNoLostWakeUpByProcs(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, procs := range []int{1, 2, 4} {
		runtime.GOMAXPROCS(procs)
		eachPark(t, func(t *testing.T, o sleepevent.Options) {
			for _, workers := range []int{1, 3} {
				hang.Watch(t)
				handOff(workers, short.Scaled(1_000), o)
			}
		})
	}
}

// TestBursts has several producers, wakes of every kind, and bursts smaller and larger than
// the pool. It counts the work, and the counts at the end.
func TestBursts(t *testing.T) {
	eachPark(t, func(t *testing.T, o sleepevent.Options) {
		for _, workers := range []int{1, 2, 3, 40} {
			hang.Watch(t)
			const producers = 3
			n := short.Scaled(2_000)
			p := newPool(workers, o)
			var ran atomics.Int64
			var total atomics.Int64
			var wg sync.WaitGroup
			for k := range producers {
				wg.Go(func() {
					random := rand.New(rand.NewPCG(uint64(workers), uint64(k)))
					for range n {
						batch := sync.WaitGroup{}
						size := 1 + random.IntN(6)
						batch.Add(size)
						total.Add(int64(size))
						for range size {
							p.push(func() { ran.Add(1); batch.Done() })
							if random.IntN(2) == 0 {
								p.g.Wake()
							}
						}
						switch random.IntN(8) {
						case 0:
							p.g.WakeAll()
						case 1:
							p.g.WakeWorker(random.IntN(workers))
						}
						p.g.Wake()
						if random.IntN(2) == 0 {
							batch.Wait()
						}
					}
				})
			}
			wg.Wait()
			hang.Await(func() bool { return ran.Load() == total.Load() })
			p.awaitSleep()
			require.Equal(t, workers, p.g.IdleCount())
			require.Zero(t, p.g.Searching(), "every count was given back")
			p.close()
			require.Zero(t, p.g.Searching())
			s := p.g.Stats()
			require.LessOrEqual(t, s.KernelWakes, s.Parks)
		}
	})
}

// TestTrap15_SleepingWorkerKeepsNoP: with one P, a goroutine that is ready when a worker goes
// to sleep gets to run, and only it can wake the worker. How soon it runs tells whether the
// worker kept the P for a while; that is for BenchmarkStartBesideSleepers to measure, and a
// test of internal/park holds that the default parker gives it away.
func TestTrap15_SleepingWorkerKeepsNoP(t *testing.T) {
	hang.Watch(t)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	rounds := 9
	if testing.Short() {
		rounds = 1
	}
	for _, p := range parks {
		var took []int64
		for range rounds {
			took = append(took, startBesideSleeper(p.park))
		}
		slices.Sort(took)
		t.Logf("%s: a goroutine beside a sleeper started after %d ns (median)", p.name,
			took[len(took)/2])
	}
}

// startBesideSleeper puts the calling goroutine to sleep as a worker, with another one ready
// to run, and returns how long after that the other one started.
func startBesideSleeper(park sleepevent.Park) int64 {
	g := sleepevent.NewGroup(1, sleepevent.Options{Park: park, MaxDrowsers: -1})
	g.BeginSearch()
	// The monitor looks less often the longer it has found nothing to do.
	for end := atomics.Now() + int64(20*time.Millisecond); atomics.Now() < end; {
		atomics.Pause(8)
	}
	var asleep, started int64
	g.Idle(0, func() bool {
		go func() {
			started = atomics.Now()
			g.Wake()
		}()
		asleep = atomics.Now()
		return false
	})
	return started - asleep
}
