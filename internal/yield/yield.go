package yield

import (
	"runtime"

	"github.com/heddle-go/heddle/internal/atomics"
)

// oneThread: WebAssembly has one thread and nobody who watches timers beside it, so a goroutine
// whose time has come is not counted as one that waits until somebody yields.
const oneThread = runtime.GOARCH == "wasm"

// asking is set while somebody asks the runtime, which answers one at a time: who comes meanwhile
// does not wait.
var (
	asking atomics.Bool
	load   = NewLoad() // of who set asking
)

// IfWanted yields if a goroutine waits for a processor, or may: not every version of Go tells. It
// takes about 0.1 µs if none does, and never blocks.
func IfWanted() {
	if atomics.Modeled() || IsWanted() {
		atomics.Gosched()
	}
}

// IfFull is IfWanted that yields as well if no processor is idle. Then nobody but those who run
// looks at timers, each at its own processor's when it yields: a goroutine whose sleep is over does
// not wait yet.
func IfFull() {
	if atomics.Modeled() { // what the runtime says would make its schedules differ
		atomics.Gosched()
		return
	}
	if wanted, full := ask(); wanted || full {
		atomics.Gosched()
	}
}

// IsWanted reports whether a goroutine waits for a processor, or may. It takes as long, and never
// blocks.
func IsWanted() bool {
	wanted, _ := ask()
	return wanted
}

// ask reports whether a goroutine waits for a processor, and whether no processor is idle, or may.
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
