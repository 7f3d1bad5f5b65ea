package yield

import (
	"runtime"
	"runtime/metrics"

	"github.com/heddle-go/heddle/internal/atomics"
)

// oneThread: WebAssembly has one thread and nobody who watches timers beside it, so a goroutine whose time has come
// is not counted as one that waits until somebody yields.
const oneThread = runtime.GOARCH == "wasm"

// asking is set while somebody asks the runtime, which answers one at a time: who comes meanwhile does not wait.
var (
	asking atomics.Bool
	sample = []metrics.Sample{{Name: "/sched/goroutines/runnable:goroutines"}} // of who set asking
)

// IfWanted yields if a goroutine waits for a processor, or may: not every version of Go tells. It takes about 0.1 µs if
// none does, and never blocks.
func IfWanted() {
	if atomics.Modeled() || IsWanted() {
		atomics.Gosched()
	}
}

// IsWanted reports whether a goroutine waits for a processor, or may. It takes as long, and never blocks.
func IsWanted() bool {
	if oneThread {
		return true
	}
	if !asking.CompareAndSwap(false, true) {
		return false
	}
	metrics.Read(sample)
	v := &sample[0].Value
	w := v.Kind() != metrics.KindUint64 || v.Uint64() > 0
	asking.Store(false)
	return w
}
