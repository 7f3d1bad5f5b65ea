package main

import (
	"syscall"
	"time"
)

// sleep sleeps for a time, and a little longer, or shorter if a signal comes.
func sleep(d time.Duration) {
	t := syscall.NsecToTimespec(int64(d))
	_ = syscall.Nanosleep(&t, nil) // who waits looks at the clock afterwards
}
