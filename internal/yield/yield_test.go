package yield_test

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/yield"
)

// With one P, a goroutine that is ready runs when another one yields to it, long before the runtime
// would preempt that.
func TestIfWantedLetsOthersRun(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for range 100 {
		var ran atomics.Bool
		go ran.Store(true)
		for n := 0; !ran.Load(); n++ {
			require.Less(t, n, 1000)
			yield.IfWanted()
		}
	}
}

func TestIfWantedAllocatesNothing(t *testing.T) {
	yield.IfWanted()
	require.Zero(t, testing.AllocsPerRun(1000, yield.IfWanted))
}

func TestManyAsk(t *testing.T) {
	done := make(chan struct{})
	for range 4 {
		go func() {
			for range 10_000 {
				yield.IfWanted()
			}
			done <- struct{}{}
		}()
	}
	for range 4 {
		<-done
	}
}

func BenchmarkIfWanted(b *testing.B) {
	for b.Loop() {
		yield.IfWanted()
	}
}
