//go:build unix

package main

import (
	"syscall"
	"time"
)

// cpuTime returns the processor time of this process so far, and false where it cannot be known.
func cpuTime() (time.Duration, bool) {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0, false
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), true
}
