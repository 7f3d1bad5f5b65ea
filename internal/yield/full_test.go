package yield_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/yield"
)

// A goroutine whose sleep is over does not wait for a processor until somebody looks at the timers: IfFull does, as no
// processor is idle.
func TestIfFullEndsSleeps(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	const sleep = 100_000
	for try := 0; ; try++ {
		require.Less(t, try, 1000)
		var ran atomics.Bool
		begin := atomics.Now()
		go func() {
			time.Sleep(sleep)
			ran.Store(true)
		}()
		for atomics.Gosched(); atomics.Now()-begin < 3*sleep; { // it sleeps, and should be awake
		}
		if ran.Load() { // the runtime has preempted this goroutine
			continue
		}
		for n := 0; !ran.Load(); n++ {
			require.Less(t, n, 10)
			yield.IfFull()
		}
		return
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
