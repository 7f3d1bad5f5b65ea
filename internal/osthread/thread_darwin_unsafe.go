//go:build darwin

package osthread

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// What this platform supports.
const (
	HasID       = true
	HasName     = true
	HasPriority = false
	HasAffinity = false // the kernel takes hints only
	HasSwitches = false

	// MaxName is the length in bytes of the longest thread name, 0 if there is no limit.
	MaxName = 63
)

const maxCPU = 0

func id() (uint64, error) {
	tid, _, e := unix.RawSyscall(unix.SYS_THREAD_SELFID, 0, 0, 0)
	if e != 0 {
		return 0, failed("ID", e)
	}
	return uint64(tid), nil
}

// The call of proc_info with which a thread gives itself a name.
const (
	setControl = 5
	threadName = 2
)

func setName(name string) error {
	b, err := unix.BytePtrFromString(name)
	if err != nil {
		return failed("SetName", err)
	}
	_, _, e := unix.Syscall6(unix.SYS_PROC_INFO, setControl, uintptr(os.Getpid()), threadName, 0,
		uintptr(unsafe.Pointer(b)), uintptr(len(name)))
	if e != 0 {
		return failed("SetName", e)
	}
	return nil
}
