//go:build unix

package main

import (
	"time"

	"golang.org/x/sys/unix"
)

// rusage returns the processor time and the context switches of this process so far.
func rusage() (cpu time.Duration, switches int64, err error) {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		return 0, 0, err
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), int64(u.Nvcsw) + int64(u.Nivcsw), nil
}
