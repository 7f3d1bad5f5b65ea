//go:build windows

package park

import (
	"syscall"
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

// waitWord waits while *w == inKernel, for limit at most, rounded up to milliseconds. The
// system looks at its clock once a tick, so a wait that nobody ends may last up to a tick,
// commonly 15.6 ms, longer; that is no harm to the result, since the caller looks at its own
// clock. Meanwhile the thread keeps its P, until the runtime's monitor takes it.
//
// SyscallN, not LazyProc.Call: that makes an error of the call's last error, which for a
// time-out allocates. The word is reachable from the caller, as is compareTo for ever, and
// the runtime moves no stack during a call into the system.
func waitWord(w *atomics.Uint32, limit time.Duration) {
	ms := (limit + time.Millisecond - 1) / time.Millisecond
	// Woken, expired or too late: the caller looks at the word.
	_, _, _ = syscall.SyscallN(procWaitOnAddress.Addr(), uintptr(unsafe.Pointer(w)),
		uintptr(unsafe.Pointer(&compareTo)), unsafe.Sizeof(compareTo), uintptr(ms))
}

// wakeWord wakes one thread that waits on w.
func wakeWord(w *atomics.Uint32) {
	_, _, _ = syscall.SyscallN(procWakeByAddressOnce.Addr(), uintptr(unsafe.Pointer(w)))
}
