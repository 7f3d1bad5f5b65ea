//go:build linux

package park

import (
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/heddle-go/heddle/internal/atomics"
)

// FUTEX_WAIT and FUTEX_WAKE with FUTEX_PRIVATE_FLAG, which x/sys does not name.
const (
	futexWaitPrivate = 0 | 128
	futexWakePrivate = 1 | 128
)

const hasWordWait = true

// waitWord waits while *w == inKernel, for limit at most.
//
// SYS_FUTEX and unix.Timespec agree on every platform: where the fields are 32 bits wide, so
// is the call's timespec, and longLimit keeps the seconds in range.
func waitWord(w *atomics.Uint32, limit time.Duration) {
	ts := unix.NsecToTimespec(int64(limit))
	// Woken, expired, interrupted or too late: the caller looks at the word.
	_, _, _ = unix.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(w)), futexWaitPrivate,
		uintptr(inKernel), uintptr(unsafe.Pointer(&ts)), 0, 0)
}

// wakeWord wakes one thread that waits on w. It does not block, so it needs none of the
// runtime's preparation for a system call that might.
func wakeWord(w *atomics.Uint32) {
	_, _, _ = unix.RawSyscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(w)), futexWakePrivate,
		1, 0, 0, 0)
}
