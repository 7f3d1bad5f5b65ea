//go:build freebsd

package osthread

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// What this platform supports.
const (
	HasID       = true
	HasName     = true
	HasPriority = false
	HasAffinity = false
	HasSwitches = false

	// MaxName is the length in bytes of the longest thread name, 0 if there is no limit.
	MaxName = 19
)

const maxCPU = 0

// self returns the calling thread's id, which the kernel writes as a C long.
func self() (int, error) {
	var tid int
	if _, _, e := unix.Syscall(unix.SYS_THR_SELF, uintptr(unsafe.Pointer(&tid)), 0, 0); e != 0 {
		return 0, e
	}
	return tid, nil
}

func id() (uint64, error) {
	tid, err := self()
	return uint64(tid), failed("ID", err)
}

func setName(name string) error {
	tid, err := self()
	if err != nil {
		return failed("SetName", err)
	}
	s, err := unix.BytePtrFromString(name)
	if err != nil {
		return failed("SetName", err)
	}
	_, _, e := unix.Syscall(unix.SYS_THR_SET_NAME, uintptr(tid), uintptr(unsafe.Pointer(s)), 0)
	if e != 0 {
		return failed("SetName", e)
	}
	return nil
}
