//go:build linux && go1.26 && !go1.27 && !heddle_nolinkname && !modelcheck

package park

import (
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/heddle-go/heddle/internal/atomics"
)

// This is the one file that reaches into the runtime. Its build tags name the Go versions
// that the tests ran on; on any other one, handoff_none.go takes its place.
// docs/adr/0001-parker-linkname.md says why.

const canHandOff = true

//go:linkname entersyscallblock runtime.entersyscallblock
func entersyscallblock()

//go:linkname exitsyscall runtime.exitsyscall
func exitsyscall()

// waitWordHandOff waits while *w == inKernel without a P; limit < 0: for ever.
func waitWordHandOff(w *atomics.Uint32, limit time.Duration) {
	if limit < 0 {
		futexWaitNoP(unsafe.Pointer(w), nil)
		return
	}
	ts := unix.NsecToTimespec(int64(limit))
	futexWaitNoP(unsafe.Pointer(w), unsafe.Pointer(&ts))
}

// futexWaitNoP makes the system call between the runtime's two marks.
//
// Between them there is no P, so nothing may allocate, grow the stack, take a write barrier
// or be instrumented: the one call there is nosplit assembly behind a nosplit wrapper, and
// its arguments are values in registers or in this frame. The stack does not move either,
// because the runtime never moves one that is in a system call; so ts may lie on it. The
// result is of no use: whatever ended the wait, the caller looks at the word.
//
//go:nosplit
//go:noinline
func futexWaitNoP(w, ts unsafe.Pointer) {
	entersyscallblock()
	syscall.RawSyscall6(unix.SYS_FUTEX, uintptr(w), futexWaitPrivate,
		uintptr(inKernel), uintptr(ts), 0, 0)
	exitsyscall()
}
