//go:build linux && gc && !heddle_nolinkname && !modelcheck && !race && !heddle_count

package park

import (
	"math/bits"
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Steers reports whether [Parker.UnparkElsewhere] differs from Unpark in the mode OS of this build.
// If words are instrumented it does not, since instrumented code must not run between the runtime's
// two marks.
const Steers = true

// steer binds the thread that waits at b to the other one of the two processors on which it may
// run. If there are more, nobody knows which is idle, and a kernel that takes the first would put
// all sleepers there.
func (b *berth) steer() { b.steerBy(otherOfTwo, bindToOther) }

// GoElsewhere moves the calling goroutine's thread to the other one of the two processors on which
// it may run, for a caller who sees that another thread that should be awake makes no progress: it
// may be queued behind the caller. GoElsewhere does nothing where UnparkElsewhere is Unpark.
func GoElsewhere() {
	runtime.LockOSThread() // the same thread must be bound and freed
	defer runtime.UnlockOSThread()
	const self = 0
	if mask, ok := otherOfTwo(self); ok && bindToOther(self, mask) {
		_, _, _ = syscall.RawSyscall(unix.SYS_SCHED_SETAFFINITY, self, unsafe.Sizeof(mask),
			uintptr(unsafe.Pointer(&mask)))
	}
}

// otherOfTwo returns the processors on which a thread may run, and whether they are two, one of
// them the caller's. With more than 64 processors the kernel returns an error.
func otherOfTwo(thread uint32) (mask uint64, ok bool) {
	n, _, _ := syscall.RawSyscall(unix.SYS_SCHED_GETAFFINITY, uintptr(thread), unsafe.Sizeof(mask),
		uintptr(unsafe.Pointer(&mask)))
	return mask, int(n) > 0 && bits.OnesCount64(mask) == 2 && mask&ownProcessor() != 0
}

// bindToOther binds a thread to the processors in mask that are not the caller's.
func bindToOther(thread uint32, mask uint64) bool {
	mask &^= ownProcessor()
	_, _, errno := syscall.RawSyscall(unix.SYS_SCHED_SETAFFINITY, uintptr(thread),
		unsafe.Sizeof(mask), uintptr(unsafe.Pointer(&mask)))
	return errno == 0
}

func ownProcessor() uint64 {
	var processor uint32
	_, _, _ = syscall.RawSyscall(unix.SYS_GETCPU, uintptr(unsafe.Pointer(&processor)), 0, 0)
	return 1 << (processor % 64)
}

// enterThread is the enter of the calling thread, between the two marks of futexWaitNoP.
//
//go:nosplit
func (b *berth) enterThread() {
	thread, _, _ := syscall.RawSyscall(unix.SYS_GETTID, 0, 0, 0)
	b.enter(uint32(thread))
}

// leaveThread ends enterThread. If the thread was bound, it is free again on return. A waker that
// is binding it needs only a microsecond, and runs on the processor that this thread may not use.
//
//go:nosplit
func (b *berth) leaveThread() {
	for {
		done, wasBound := b.leave()
		if wasBound {
			_, _, _ = syscall.RawSyscall(unix.SYS_SCHED_SETAFFINITY, 0, unsafe.Sizeof(b.mask),
				uintptr(unsafe.Pointer(&b.mask)))
		}
		if done {
			return
		}
		_, _, _ = syscall.RawSyscall(unix.SYS_SCHED_YIELD, 0, 0, 0)
	}
}
