package main

import (
	"time"

	"golang.org/x/sys/unix"
)

// sleepExactly sleeps in a system call: the runtime's timers, which count in milliseconds while
// the process is idle, wake up to a millisecond late.
func sleepExactly(d time.Duration) {
	left := unix.NsecToTimespec(int64(d))
	for d > 0 && unix.ClockNanosleep(unix.CLOCK_MONOTONIC, 0, &left, &left) == unix.EINTR {
	}
}
