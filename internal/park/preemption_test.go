//go:build !wasm

package park_test

import (
	"runtime"
	"sync"
	"testing"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/dev/hang"
	"github.com/heddle-go/heddle/internal/park"
)

// TestPreemption parks and wakes among goroutines that never yield, so that every step of the
// two is cut by the runtime's preemption signals.
func TestPreemption(t *testing.T) {
	eachMode(t, func(t *testing.T, mode park.Mode) {
		hang.Watch(t)
		var stop atomics.Bool
		var wg sync.WaitGroup
		for range runtime.GOMAXPROCS(0) {
			wg.Go(func() {
				for !stop.Load() {
					burn()
				}
			})
		}
		rounds := 100 // in each of which both may wait until the runtime preempts somebody
		if testing.Short() {
			rounds = 4
		}
		pingPong(t, mode, rounds, false)
		stop.Store(true)
		wg.Wait()
	})
}

// burn computes for a while. It is a call with a frame large enough to need a check of the
// stack, so that with asynchronous preemption switched off its caller can be preempted there.
//
//go:noinline
func burn() byte {
	var b [4096]byte
	for i := range uint32(1 << 16) {
		b[i%4096] += b[(i*i+7)%4096] + byte(i)
	}
	return b[0]
}
