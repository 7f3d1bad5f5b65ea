//go:build !wasm

package yield

import (
	"runtime"

	"github.com/heddle-go/heddle/internal/atomics"
)

// An asker asks the runtime, which answers one at a time, for one goroutine at a time: others do
// not wait for that.
type asker struct {
	asking atomics.Bool // the right to call read
	read   func() (running, ready int, ok bool)
}

var runtimeAsker = asker{read: NewLoad().Read}

// ask reports whether a goroutine waits for a processor, and whether no processor is idle, or
// whether these may be so.
func ask() (wanted, full bool) { return runtimeAsker.ask() }

// ask is ask with what read says.
func (a *asker) ask() (wanted, full bool) {
	if !a.asking.CompareAndSwap(false, true) { // Y1
		return false, false
	}
	running, ready, ok := a.read() // Y2
	a.asking.Store(false)          // Y3
	return !ok || ready > 0, !ok || running >= runtime.GOMAXPROCS(0)
}
