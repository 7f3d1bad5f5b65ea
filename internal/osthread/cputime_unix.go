//go:build unix

package osthread

import (
	"time"

	"golang.org/x/sys/unix"
)

// CPUTime returns the processor time that the process has used, in user and system mode
// together, or 0 if the system does not tell.
func CPUTime() time.Duration {
	var u unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
