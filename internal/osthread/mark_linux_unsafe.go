//go:build linux

package osthread

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// A mark is a timer on the clock of the thread's processor time. The kernel ties it to the thread
// itself and not to its id, and says that no time is left once the thread is gone.
type mark struct {
	timer int32
	made  bool
}

// A sigevent is what the kernel reads of struct sigevent, whose size is 64 bytes everywhere.
type sigevent struct {
	value  uintptr
	signal int32
	notify int32
	_      [12]int32
}

const (
	sigevNone       = 1
	threadTimeClock = unix.CLOCK_THREAD_CPUTIME_ID

	// farOff is how much processor time, in seconds, the thread will not use.
	farOff = 1 << 30
)

func newMark() mark {
	ev := sigevent{notify: sigevNone}
	m := mark{made: true}
	_, _, e := unix.RawSyscall(unix.SYS_TIMER_CREATE, threadTimeClock,
		uintptr(unsafe.Pointer(&ev)), uintptr(unsafe.Pointer(&m.timer)))
	if e != 0 {
		return mark{}
	}
	limit := unix.ItimerSpec{Value: unix.Timespec{Sec: farOff}}
	_, _, e = unix.RawSyscall6(unix.SYS_TIMER_SETTIME, uintptr(m.timer), 0,
		uintptr(unsafe.Pointer(&limit)), 0, 0, 0)
	if e != 0 || !m.alive() { // perhaps an emulation that does not fully support such timers
		m.drop()
		return mark{}
	}
	return m
}

func (m mark) alive() bool {
	if !m.made {
		return true
	}
	var left unix.ItimerSpec
	_, _, e := unix.RawSyscall(unix.SYS_TIMER_GETTIME, uintptr(m.timer),
		uintptr(unsafe.Pointer(&left)), 0)
	return e != 0 || left.Value != unix.Timespec{}
}

func (m mark) drop() {
	if m.made {
		unix.RawSyscall(unix.SYS_TIMER_DELETE, uintptr(m.timer), 0, 0)
	}
}
