//go:build heddle_faults && !modelcheck

package faults_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/dev/short"
	"github.com/heddle-go/heddle/internal/park"
)

// kernel makes waits and wakes of words go wrong for the rest of the test, and requires that there
// were some.
func kernel(t *testing.T, f *park.Faults) {
	t.Helper()
	var times atomics.Int64
	counted := &park.Faults{}
	if f.Early != nil {
		counted.Early = func() bool { times.Add(1); return f.Early() }
	}
	if f.Late != nil {
		counted.Late = func() { times.Add(1); f.Late() }
	}
	park.SetFaults(counted)
	t.Cleanup(func() {
		park.SetFaults(nil)
		if park.HandsOff() {
			require.Positive(t, times.Load(), "nobody waited in the kernel")
		}
	})
}

// Every wait in the kernel is over at once, for ever, as if a signal came each time: that costs
// time, and nothing is lost. (The real call gives the processor away before it fails.)
func TestFutexEndsEarly(t *testing.T) {
	watched(t)
	kernel(t, &park.Faults{Early: func() bool { runtime.Gosched(); return true }})
	require.NoError(t, mixed(short.Scaled(30), 2)) // all who wait keep the processors busy
	grinds(t, 20)
}

// Most waits are over before they have begun, and some are not.
func TestFutexEndsEarlyAtTimes(t *testing.T) {
	watched(t)
	var waits atomics.Int64
	kernel(t, &park.Faults{Early: func() bool { return waits.Add(1)%5 != 0 }})
	require.NoError(t, mixed(short.Scaled(200), 3))
	grinds(t, 200)
}

// Wakes come late: long after the permit, so that they also find later waits and other ones.
func TestFutexWakesLate(t *testing.T) {
	watched(t)
	var wakes atomics.Int64
	kernel(t, &park.Faults{Late: func() {
		if n := wakes.Add(1); n%3 == 0 {
			time.Sleep(time.Duration(n%7) * 50 * time.Microsecond)
		}
	}})
	require.NoError(t, mixed(short.Scaled(200), 4))
	grinds(t, 100)
}

// Both, and time limits as well.
func TestParkerBetweenFaults(t *testing.T) {
	watched(t)
	var n atomics.Int64
	kernel(t, &park.Faults{
		Early: func() bool { return n.Add(1)%2 == 0 },
		Late: func() {
			if n.Add(1)%4 == 0 {
				time.Sleep(20 * time.Microsecond)
			}
		},
	})
	for _, mode := range []park.Mode{park.OS, park.TwoPhase} {
		there, back := park.New(mode), park.New(mode)
		rounds := short.Scaled(3000)
		atomics.Go(func() {
			for range rounds {
				there.Park()
				back.Unpark()
			}
		})
		for i := range rounds {
			there.UnparkElsewhere()
			if i%2 == 0 {
				back.Park()
				continue
			}
			for !back.ParkTimeout(time.Duration(i%5) * 30 * time.Microsecond) {
				runtime.Gosched()
			}
		}
		require.False(t, there.TryPark() || back.TryPark(), "a permit is left")
	}
}
