//go:build linux

package refuse

import (
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A Call is one that fails with Errno: a system call by its number, with the given low 32 bits in
// some of its arguments.
type Call struct {
	Number uintptr
	Args   map[int]uint32
	Errno  unix.Errno
}

// From linux/seccomp.h. Numbers are read as on a machine with the low bytes first.
const (
	setModeFilter = 1
	flagAll       = 1 // all threads
	actAllow      = 0x7fff0000
	actErrno      = 0x00050000
	offsetNumber  = 0
	offsetArgs    = 16
	sizeArg       = 8
)

// Thread has the calls fail in the calling thread for the rest of its life. The goroutine must have
// locked itself to it, and never unlock itself. The error is that of a kernel that cannot do it.
func Thread(calls ...Call) error { return install(0, calls) }

// Process has the calls fail in all threads for the rest of the process.
func Process(calls ...Call) error {
	runtime.LockOSThread() // what the first call allows belongs to the thread
	defer runtime.UnlockOSThread()
	return install(flagAll, calls)
}

func install(flags uintptr, calls []Call) error {
	filter := filterOf(calls)
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	_, _, e := unix.Syscall(unix.SYS_SECCOMP, setModeFilter, flags,
		uintptr(unsafe.Pointer(&program)))
	if e != 0 {
		return e
	}
	return nil
}

// filterOf returns the program with which the kernel judges each call.
func filterOf(calls []Call) (filter []unix.SockFilter) {
	load := func(offset uint32) {
		filter = append(filter, unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS,
			K: offset})
	}
	same := func(v uint32, skip int) { // else it skips so many instructions
		filter = append(filter, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K,
			K: v, Jf: uint8(skip)})
	}
	result := func(v uint32) {
		filter = append(filter, unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: v})
	}
	for _, c := range calls {
		rest := 2*len(c.Args) + 1
		load(offsetNumber)
		same(uint32(c.Number), rest)
		for i, v := range c.Args {
			rest -= 2
			load(offsetArgs + sizeArg*uint32(i))
			same(v, rest)
		}
		result(actErrno | uint32(c.Errno))
	}
	result(actAllow)
	return filter
}
