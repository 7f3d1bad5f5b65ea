package spin

import (
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/atomics"
)

// Waits of one round each never ask whether a goroutine waits, but when its turn has come one whose
// sleep is over runs, which counts as one that sleeps until somebody yields.
func TestTurns(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var w Wait
	w.Pause(roundPauses)
	require.Equal(t, w.now+turnEvery, w.turn, "a waiter begins with a while of its own")
	for try, failed := 0, 0; ; try++ {
		require.Less(t, try, 1000)
		var due atomics.Int64
		var ran atomics.Bool
		go func() {
			due.Store(atomics.Now() + turnEvery)
			time.Sleep(turnEvery)
			ran.Store(true)
		}()
		for due.Load() == 0 { // the runtime lets this goroutine go first now and then
			atomics.Gosched()
		}
		for atomics.Now() < due.Load()+2*turnEvery { // it sleeps, and should be awake
		}
		if ran.Load() { // the runtime has preempted this goroutine
			continue
		}
		for n := 0; n < 10 && !ran.Load(); n++ {
			w.Begin()
			w.turn = 1 // it has come
			w.Pause(roundPauses)
			require.Greater(t, w.turn, w.now)
		}
		if ran.Load() {
			return
		}
		failed++ // preempted before it slept, once perhaps
		require.Less(t, failed, 3, "tries that did not run in ten pauses after the turn had come")
	}
}

// A turn that took long is followed by as long a time without one.
func TestTurnsAreFair(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var w Wait
	const long = 30 * turnEvery
	for n, failed := 0, 0; ; n++ {
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
		// Else it was preempted, or not there yet, or began before the turn.
		took := ended.Load() - began.Load()
		if ended.Load() == 0 || began.Load() < w.now {
			continue
		}
		if w.turn-w.now >= 2*took {
			return
		}
		failed++ // preempted, and ended after the turn was over, once perhaps
		require.Less(t, failed, 3, "the next turn comes %d ns after one that took %d",
			w.turn-w.now, took)
	}
}
