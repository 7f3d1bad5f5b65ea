//go:build linux

package main

import (
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/heddle-go/heddle/internal/atomics"
)

const hasFutex = true

// FUTEX_WAIT and FUTEX_WAKE with FUTEX_PRIVATE_FLAG, which x/sys does not name.
const (
	futexWaitPrivate = 0 | 128
	futexWakePrivate = 1 | 128
)

// futexWait waits while the word has the value, or not at all, or wakes for no reason.
func futexWait(w *atomics.Uint32, value uint32) {
	_, _, _ = unix.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(w)), futexWaitPrivate,
		uintptr(value), 0, 0, 0)
}

// futexWake wakes one thread that waits on the word.
func futexWake(w *atomics.Uint32) {
	_, _, _ = unix.RawSyscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(w)), futexWakePrivate,
		1, 0, 0, 0)
}
