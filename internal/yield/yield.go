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

// Wanted reports whether a goroutine is known to wait for a processor.
func Wanted() bool {
	known, some := ask()
	return known && some
}

// IfWanted yields if a goroutine waits for a processor, or may: not every version of Go tells. It takes about 0.1 µs if
// none does, and never blocks.
func IfWanted() {
	if atomics.Modeled() || oneThread {
		atomics.Gosched()
		return
	}
	if known, some := ask(); some || !known {
		atomics.Gosched()
	}
}

// ask reports whether some goroutine waits, as far as this version of Go tells. Who comes while another asks is told of none.
func ask() (known, some bool) {
	if !asking.CompareAndSwap(false, true) {
		return true, false
	}
	metrics.Read(sample)
	v := &sample[0].Value
	if known = v.Kind() == metrics.KindUint64; known {
		some = v.Uint64() > 0
	}
	asking.Store(false)
	return known, some
}
