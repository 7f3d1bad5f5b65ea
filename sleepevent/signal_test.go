package sleepevent_test

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
	"github.com/heddle-go/heddle/sleepevent"
)

func TestSignal(t *testing.T) {
	eachPark(t, func(t *testing.T, o sleepevent.Options) {
		hang.Watch(t)
		s := sleepevent.NewSignal(o)
		require.False(t, s.WaitTimeout(0))
		require.False(t, s.WaitTimeout(time.Millisecond))
		require.False(t, s.Reset())

		require.False(t, s.Trigger(), "nobody waits")
		s.Trigger()
		s.Wait()
		require.False(t, s.WaitTimeout(0), "two triggers were one, and the wait reset it")

		s.Trigger()
		require.True(t, s.Reset())
		require.False(t, s.Reset())

		for _, d := range []time.Duration{time.Hour, math.MaxInt64, 1, 0, -1, math.MinInt64} {
			s.Trigger()
			require.True(t, s.WaitTimeout(d), "what is set needs no time")
		}
		require.False(t, s.WaitTimeout(-1))
		require.False(t, s.WaitTimeout(math.MinInt64))

		got := make(chan bool)
		for _, d := range []time.Duration{time.Hour, math.MaxInt64} {
			go func() { got <- s.WaitTimeout(d) }()
			s.Trigger()
			require.True(t, <-got)
		}
	})
}

func TestSignalZeroValue(t *testing.T) {
	hang.Watch(t)
	var s sleepevent.Signal
	data := 0
	go func() {
		data = 1
		s.Trigger()
	}()
	s.Wait()
	require.Equal(t, 1, data)
	require.PanicsWithValue(t, "sleepevent: unknown Options.Park",
		func() { sleepevent.NewSignal(sleepevent.Options{Park: 77}) })
}

// TestSignalTakesAll: with any number of triggers, a waiter that takes what it finds after
// each wait has taken everything when the last one is in.
func TestSignalTakesAll(t *testing.T) {
	eachPark(t, func(t *testing.T, o sleepevent.Options) {
		hang.Watch(t)
		const sources = 3
		n := short.Scaled(10_000)
		s := sleepevent.NewSignal(o)
		var published atomics.Int64
		var wg sync.WaitGroup
		for range sources {
			wg.Go(func() {
				for range n {
					published.Add(1)
					s.Trigger()
				}
			})
		}
		for i, seen := 0, 0; seen < sources*n; i++ {
			if i%2 == 0 {
				s.Wait()
			} else if !s.WaitTimeout(time.Duration(i%50) * time.Microsecond) {
				continue
			}
			seen += int(published.Swap(0))
		}
		wg.Wait()
	})
}

// waiting starts a goroutine that waits for s over and over, and returns a function that
// returns when the next wait is about to begin.
func waiting(t *testing.T, s *sleepevent.Signal) (next func()) {
	var stop atomics.Bool
	begun := make(chan struct{}, 1)
	var wg sync.WaitGroup
	wg.Go(func() {
		for !stop.Load() {
			begun <- struct{}{}
			s.Wait()
		}
	})
	t.Cleanup(func() {
		stop.Store(true)
		select {
		case <-begun:
		default:
		}
		s.Trigger()
		wg.Wait()
	})
	return func() { <-begun }
}

// severalProcessors sees to it that a waiter may stay awake.
func severalProcessors(t *testing.T) {
	procs := runtime.GOMAXPROCS(3)
	t.Cleanup(func() { runtime.GOMAXPROCS(procs) })
	if runtime.GOMAXPROCS(0) == 1 {
		t.Skip("this port has one P, and nobody spins")
	}
}

// Who has stayed awake is not woken through the kernel.
func TestSignalStaysAwake(t *testing.T) {
	hang.Watch(t)
	severalProcessors(t)
	s := sleepevent.NewSignal(sleepevent.Options{})
	s.KeepAwake(int64(time.Hour))
	for next := waiting(t, s); ; {
		next()
		time.Sleep(time.Millisecond)
		if !s.Trigger() {
			return
		}
	}
}

// Who stays awake sleeps when goroutines want its processor.
func TestSignalMakesRoom(t *testing.T) {
	hang.Watch(t)
	severalProcessors(t)
	s := sleepevent.NewSignal(sleepevent.Options{})
	s.KeepAwake(int64(time.Hour))
	var stop atomics.Bool
	defer stop.Store(true)
	for range 8 {
		go func() {
			for !stop.Load() {
				atomics.Gosched()
			}
		}()
	}
	for next := waiting(t, s); ; {
		next()
		time.Sleep(time.Millisecond)
		if s.Trigger() {
			return
		}
	}
}

// A waiter that nobody triggers stays awake for shorter and shorter; one that a whole budget would
// have spared the sleep begins anew.
func TestSignalLearns(t *testing.T) {
	hang.Watch(t)
	severalProcessors(t)
	var s sleepevent.Signal
	s.WaitTimeout(1)
	full := s.Budget()
	require.Positive(t, full)
	for s.Budget() > full/2 {
		s.WaitTimeout(time.Millisecond)
	}
	for next := waiting(t, &s); s.Budget() < full; {
		next()
		for begin := atomics.Now(); atomics.Now()-begin < full*2/3; {
			atomics.Pause(1)
		}
		s.Trigger()
	}
}

func TestSignalWithParkGoNeverSpins(t *testing.T) {
	severalProcessors(t)
	s := sleepevent.NewSignal(sleepevent.Options{Park: sleepevent.ParkGo})
	s.WaitTimeout(1)
	require.Zero(t, s.Budget())
}
