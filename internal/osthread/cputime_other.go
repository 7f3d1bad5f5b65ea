//go:build !unix

package osthread

import "time"

// CPUTime returns the processor time that the process has used, in user and system mode
// together, or 0 if the system does not tell.
func CPUTime() time.Duration { return 0 }
