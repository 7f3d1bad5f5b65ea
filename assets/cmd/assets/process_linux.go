package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// evict takes the pages of a file out of the system's cache. Others that use it just then keep
// them there.
func evict(f fs.File) error {
	file, ok := f.(*os.File)
	if !ok {
		return fmt.Errorf("%T: no file of the system", f)
	}
	// What was not written yet would stay.
	if err := file.Sync(); err != nil {
		return err
	}
	return os.NewSyscallError("fadvise",
		unix.Fadvise(int(file.Fd()), 0, 0, unix.FADV_DONTNEED))
}

// processorTime returns how long the process has run on processors, all of them together.
func processorTime() (time.Duration, error) {
	var u unix.Rusage
	err := unix.Getrusage(unix.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), os.NewSyscallError("getrusage", err)
}

// peak returns the most bytes of memory that the process ever had; 0 if the system does not say.
func peak() int64 {
	status, _ := os.ReadFile("/proc/self/status")
	_, after, _ := bytes.Cut(status, []byte("VmHWM:"))
	if fields := bytes.Fields(after); len(fields) > 0 {
		kib, _ := strconv.ParseInt(string(fields[0]), 10, 64)
		return kib << 10
	}
	return 0
}
