//go:build windows

package park

import (
	"time"
	"unsafe"

	"golang.org/x/sys/windows"

	"github.com/heddle-go/heddle/internal/atomics"
)

const hasWordWait = true

var (
	synch                 = windows.NewLazySystemDLL("api-ms-win-core-synch-l1-2-0.dll")
	procWaitOnAddress     = synch.NewProc("WaitOnAddress")
	procWakeByAddressOnce = synch.NewProc("WakeByAddressSingle")
)

// compareTo is what waitWord compares with: a variable that lasts, because the address of
// a local one would move it to the heap at each call.
var compareTo = inKernel

// waitWord waits while *w == inKernel, for limit at most, rounded up to milliseconds.
func waitWord(w *atomics.Uint32, limit time.Duration) {
	ms := (limit + time.Millisecond - 1) / time.Millisecond
	// Woken, expired or too late: the caller looks at the word.
	_, _, _ = procWaitOnAddress.Call(uintptr(unsafe.Pointer(w)), uintptr(unsafe.Pointer(&compareTo)),
		unsafe.Sizeof(compareTo), uintptr(ms))
}

// wakeWord wakes one thread that waits on w.
func wakeWord(w *atomics.Uint32) {
	_, _, _ = procWakeByAddressOnce.Call(uintptr(unsafe.Pointer(w)))
}
