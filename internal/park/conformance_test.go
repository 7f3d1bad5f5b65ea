package park_test

import (
	"math"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/dev/hang"
	"github.com/heddle-go/heddle/internal/dev/short"
	"github.com/heddle-go/heddle/internal/park"
)

var modes = []park.Mode{park.OS, park.Go, park.TwoPhase}

// eachMode runs one suite over all implementations.
func eachMode(t *testing.T, f func(t *testing.T, mode park.Mode)) {
	for _, mode := range modes {
		t.Run(mode.String(), func(t *testing.T) { f(t, mode) })
	}
}

func TestPermit(t *testing.T) {
	eachMode(t, func(t *testing.T, mode park.Mode) {
		hang.Watch(t)
		p := park.New(mode)
		require.False(t, p.TryPark(), "a new one has no permit")
		require.False(t, p.Unpark(), "nobody to wake")
		require.False(t, p.Unpark())
		p.Park() // returns at once
		require.False(t, p.TryPark(), "two permits were one")

		p.Unpark()
		require.True(t, p.TryPark())
		p.Unpark()
		require.True(t, p.Reset())
		require.False(t, p.Reset())
		require.False(t, p.ParkTimeout(0))
		require.False(t, p.ParkTimeout(-time.Second))
		p.Unpark()
		require.True(t, p.ParkTimeout(0), "a pending permit needs no time")
		p.Unpark()
		require.True(t, p.ParkTimeout(math.MaxInt64))
	})
}

func TestZeroValue(t *testing.T) {
	hang.Watch(t)
	var p park.Parker
	done := make(chan struct{})
	go func() { p.Park(); close(done) }()
	hang.Await(p.Waiting)
	require.True(t, p.Unpark())
	<-done
}

func TestUnknownMode(t *testing.T) {
	require.PanicsWithValue(t, "park: unknown mode", func() { park.New(park.TwoPhase + 1) })
	require.Equal(t, "Mode(?)", park.Mode(9).String())
}

func TestSecondWaiterPanics(t *testing.T) {
	eachMode(t, func(t *testing.T, mode park.Mode) {
		hang.Watch(t)
		p := park.New(mode)
		done := make(chan struct{})
		go func() {
			defer close(done)
			p.Park()
		}()
		hang.Await(p.Waiting)
		require.PanicsWithValue(t, "park: two goroutines wait on one Parker", p.Park)
		require.True(t, p.Unpark(), "the first one waits on")
		<-done
	})
}

func TestWakes(t *testing.T) {
	eachMode(t, func(t *testing.T, mode park.Mode) {
		hang.Watch(t)
		p := park.New(mode)
		for _, limit := range []time.Duration{-1, time.Hour, 1000 * time.Hour, math.MaxInt64} {
			got := make(chan bool)
			go func() {
				if limit < 0 {
					p.Park()
					got <- true
				} else {
					got <- p.ParkTimeout(limit)
				}
			}()
			hang.Await(p.Waiting)
			require.True(t, p.Unpark(), "somebody waits")
			require.True(t, <-got, "%v", limit)
		}
	})
}

func TestTimeRunsOut(t *testing.T) {
	eachMode(t, func(t *testing.T, mode park.Mode) {
		hang.Watch(t)
		p := park.New(mode)
		for _, d := range []time.Duration{1, time.Microsecond, time.Millisecond,
			5 * time.Millisecond} {
			start := time.Now()
			require.False(t, p.ParkTimeout(d))
			require.GreaterOrEqual(t, time.Since(start), d, "too early")
		}
		require.False(t, p.Unpark(), "nobody waits any more")
		require.True(t, p.TryPark())
	})
}

// TestTwoPhaseReachesCond waits until the second phase has begun, then wakes it.
func TestTwoPhaseReachesCond(t *testing.T) {
	hang.Watch(t)
	p := park.New(park.TwoPhase)
	for _, limit := range []time.Duration{-1, time.Hour} {
		got := make(chan bool)
		go func() {
			if limit < 0 {
				p.Park()
				got <- true
			} else {
				got <- p.ParkTimeout(limit)
			}
		}()
		hang.Await(p.OnCond)
		require.True(t, p.Unpark())
		require.True(t, <-got)
	}
}

func TestPingPong(t *testing.T) {
	eachMode(t, func(t *testing.T, mode park.Mode) {
		hang.Watch(t)
		n := 100_000
		if testing.Short() {
			n = 3_000
		}
		pingPong(t, mode, n, false)
	})
}

// pingPong hands a plain variable to and fro: the race detector sees whether the wakes order
// it.
func pingPong(t *testing.T, mode park.Mode, n int, lock bool) {
	a, b := park.New(mode), park.New(mode)
	turn := 0
	done := make(chan struct{})
	go func() {
		defer close(done)
		if lock {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
		}
		for range n {
			a.Park()
			turn++
			b.Unpark()
		}
	}()
	for range n {
		turn++
		a.Unpark()
		b.Park()
	}
	<-done
	require.Equal(t, 2*n, turn)
}

func TestLockedThread(t *testing.T) {
	eachMode(t, func(t *testing.T, mode park.Mode) {
		hang.Watch(t)
		pingPong(t, mode, short.Scaled(5_000), true)
	})
}

func TestOneP(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	eachMode(t, func(t *testing.T, mode park.Mode) {
		hang.Watch(t)
		pingPong(t, mode, short.Scaled(10_000), false)
		pingPong(t, mode, short.Scaled(1_000), true)
	})
}

// TestManyWaiters has more waiting threads than Ps, all woken by one goroutine.
func TestManyWaiters(t *testing.T) {
	eachMode(t, func(t *testing.T, mode park.Mode) {
		hang.Watch(t)
		const waiters = 32
		n := short.Scaled(500)
		if mode == park.TwoPhase {
			n /= 10 // threads that hold Ps in their first phase: the harm that OS avoids
		}
		var in, out [waiters]*park.Parker
		var wg sync.WaitGroup
		for i := range waiters {
			in[i], out[i] = park.New(mode), park.New(mode)
			wg.Go(func() {
				for range n {
					in[i].Park()
					out[i].Unpark()
				}
			})
		}
		for range n {
			for i := range waiters {
				in[i].Unpark()
			}
			for i := range waiters {
				out[i].Park()
			}
		}
		wg.Wait()
	})
}

// TestManyUnparkers counts: work is published before each Unpark, so when the last one has
// returned, a waiter that drains after each Park must have seen all.
func TestManyUnparkers(t *testing.T) {
	eachMode(t, func(t *testing.T, mode park.Mode) {
		hang.Watch(t)
		const unparkers = 4
		n := short.Scaled(20_000)
		p := park.New(mode)
		var published atomics.Int64
		var wg sync.WaitGroup
		for range unparkers {
			wg.Go(func() {
				for range n {
					published.Add(1)
					p.Unpark()
				}
			})
		}
		for seen := 0; seen < unparkers*n; {
			p.Park()
			seen += int(published.Swap(0))
		}
		wg.Wait()
	})
}

// TestTimeoutRacesUnpark lets the time limit and a permit come at once: whichever the Park
// reports, the permit is neither lost nor doubled.
func TestTimeoutRacesUnpark(t *testing.T) {
	eachMode(t, func(t *testing.T, mode park.Mode) {
		hang.Watch(t)
		p := park.New(mode)
		start, gone := park.New(park.Go), park.New(park.Go)
		n := short.Scaled(5_000)
		go func() {
			for i := range n {
				start.Park()
				for range i % 64 {
					atomics.Pause(8)
				}
				p.Unpark()
				gone.Unpark()
			}
		}()
		timeouts := 0
		for i := range n {
			start.Unpark()
			got := p.ParkTimeout(time.Duration(i%100) * time.Microsecond)
			gone.Park()
			if !got {
				timeouts++
			}
			require.Equal(t, !got, p.TryPark(), "round %d: the permit is there if it was not taken",
				i)
		}
		t.Logf("%d of %d timed out", timeouts, n)
	})
}

// TestGCWhileParked collects while goroutines wait whose stacks hold the only references to
// live memory, and lets stacks shrink and move between waits.
func TestGCWhileParked(t *testing.T) {
	eachMode(t, func(t *testing.T, mode park.Mode) {
		hang.Watch(t)
		const waiters = 8
		n := short.Scaled(100)
		var in, out [waiters]*park.Parker
		var wg sync.WaitGroup
		for i := range waiters {
			in[i], out[i] = park.New(mode), park.New(mode)
			wg.Go(func() {
				for k := range n {
					out[i].Unpark()
					if got := deep(k%200, in[i]); got != k%200 {
						t.Errorf("waiter %d: stack holds %d, want %d", i, got, k%200)
					}
				}
			})
		}
		for range n {
			for i := range waiters {
				out[i].Park()
			}
			runtime.GC()
			for i := range waiters {
				in[i].Unpark()
			}
		}
		wg.Wait()
	})
}

// deep parks at the bottom of a stack of about n KiB, each frame of which points to the heap.
//
//go:noinline
func deep(n int, p *park.Parker) int {
	var frame [1024]byte
	here := new(int)
	*here = 1
	if n == 0 {
		p.Park()
		return 0
	}
	frame[n%len(frame)] = byte(n)
	below := deep(n-1, p)
	if frame[n%len(frame)] != byte(n) {
		return -1 << 20
	}
	return below + *here
}

func TestAllocations(t *testing.T) {
	eachMode(t, func(t *testing.T, mode park.Mode) {
		hang.Watch(t)
		p, back := park.New(mode), park.New(mode)
		var stop atomics.Bool
		done := make(chan struct{})
		go func() {
			defer close(done)
			for !stop.Load() {
				p.Park()
				back.Unpark()
			}
		}()
		got := testing.AllocsPerRun(200, func() {
			p.Unpark()
			back.Park()
			back.TryPark()
		})
		stop.Store(true)
		p.Unpark()
		<-done
		require.Zero(t, got)
	})
}
