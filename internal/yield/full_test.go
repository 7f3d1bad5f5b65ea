package yield_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/yield"
)

// A goroutine whose sleep is over does not wait for a processor until somebody looks at the timers:
// IfFull does, as no processor is idle.
func TestIfFullEndsSleeps(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	const sleep = 100_000
	for tries, failed := 0, 0; ; tries++ {
		require.Less(t, tries, 1000)
		var due atomics.Int64
		var ran atomics.Bool
		go func() {
			due.Store(atomics.Now() + sleep)
			time.Sleep(sleep)
			ran.Store(true)
		}()
		for due.Load() == 0 { // the runtime lets this goroutine go first now and then
			atomics.Gosched()
		}
		for atomics.Now() < due.Load()+2*sleep { // it sleeps, and should be awake
		}
		if ran.Load() { // the runtime has preempted this goroutine
			continue
		}
		for range 10 {
			yield.IfFull()
		}
		if ran.Load() {
			return
		}
		failed++ // preempted before it slept, once perhaps
		require.Less(t, failed, 3)
	}
}

func TestIfFullAllocatesNothing(t *testing.T) {
	yield.IfFull()
	require.Zero(t, testing.AllocsPerRun(1000, yield.IfFull))
}

func BenchmarkIfFull(b *testing.B) {
	for b.Loop() {
		yield.IfFull()
	}
}
