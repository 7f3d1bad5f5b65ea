//go:build !wasm

package yield

import (
	"runtime"

	"github.com/heddle-go/heddle/internal/atomics"
)

// asking is set while a goroutine asks the runtime, which answers one at a time; others do not wait
// for that.
var (
	asking atomics.Bool
	load   = NewLoad() // for whoever set asking
)

// ask reports whether a goroutine waits for a processor, and whether no processor is idle, or
// whether these may be so.
func ask() (wanted, full bool) {
	if !asking.CompareAndSwap(false, true) {
		return false, false
	}
	running, ready, ok := load.Read()
	asking.Store(false)
	return !ok || ready > 0, !ok || running >= runtime.GOMAXPROCS(0)
}
