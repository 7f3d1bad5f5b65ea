package yield

import (
	"runtime"

	"github.com/heddle-go/heddle/internal/atomics"
)

// oneThread: WebAssembly has one thread, and nobody else watches timers, so a goroutine whose timer
// has expired does not count as ready until somebody yields.
const oneThread = runtime.GOARCH == "wasm"

// asking is set while a goroutine asks the runtime, which answers one at a time; others do not wait
// for that.
var (
	asking atomics.Bool
	load   = NewLoad() // for whoever set asking
)

// IfWanted yields if a goroutine waits for a processor, or may wait: not every version of Go tells.
// It takes about 0.1 µs if none does, and never blocks.
func IfWanted() {
	if atomics.Modeled() || IsWanted() {
		atomics.Gosched()
	}
}

// IfFull is IfWanted that also yields if no processor is idle. Then timers are checked only when a
// running goroutine yields, so a goroutine whose sleep is over does not count as waiting yet.
func IfFull() {
	if atomics.Modeled() { // the runtime's answers would make its schedules differ
		atomics.Gosched()
		return
	}
	if wanted, full := ask(); wanted || full {
		atomics.Gosched()
	}
}

// IsWanted reports whether a goroutine waits for a processor, or may wait. It takes as long as
// IfWanted, and never blocks.
func IsWanted() bool {
	wanted, _ := ask()
	return wanted
}

// ask reports whether a goroutine waits for a processor, and whether no processor is idle, or
// whether these may be so.
func ask() (wanted, full bool) {
	if oneThread {
		return true, true
	}
	if !asking.CompareAndSwap(false, true) {
		return false, false
	}
	running, ready, ok := load.Read()
	asking.Store(false)
	return !ok || ready > 0, !ok || running >= runtime.GOMAXPROCS(0)
}
