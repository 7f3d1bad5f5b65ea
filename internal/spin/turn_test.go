package spin

import (
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/atomics"
)

// Waits of one round each never ask whether a goroutine waits, but when its turn has come one whose sleep is over runs,
// which counts as one that sleeps until somebody yields.
func TestTurns(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var w Wait
	w.Pause(roundPauses)
	require.Equal(t, w.now+turnEvery, w.turn, "a waiter begins with a while of its own")
	for try := 0; ; try++ {
		require.Less(t, try, 1000)
		var ran atomics.Bool
		begin := atomics.Now()
		go func() {
			time.Sleep(turnEvery)
			ran.Store(true)
		}()
		for atomics.Gosched(); atomics.Now()-begin < 3*turnEvery; { // it sleeps, and should be awake
		}
		if ran.Load() { // the runtime has preempted this goroutine
			continue
		}
		for n := 0; !ran.Load(); n++ {
			require.Less(t, n, 10, "pauses after the turn has come")
			w.Begin()
			w.turn = 1 // it has come
			w.Pause(roundPauses)
			require.Greater(t, w.turn, w.now)
		}
		return
	}
}

// A turn that took long is followed by as long a time without one.
func TestTurnsAreFair(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var w Wait
	const long = 30 * turnEvery
	for n := 0; ; n++ {
		require.Less(t, n, 1000)
		var began, ended atomics.Int64
		go func() {
			for began.Store(atomics.Now()); atomics.Now()-began.Load() < long; {
			}
			ended.Store(atomics.Now())
		}()
		w.Begin()
		w.turn = 1 // it has come
		w.Pause(roundPauses)
		if took := ended.Load() - began.Load(); ended.Load() != 0 { // else it was preempted, or not there yet
			require.GreaterOrEqual(t, w.turn-w.now, 2*took)
			return
		}
	}
}
