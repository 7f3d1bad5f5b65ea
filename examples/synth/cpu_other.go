//go:build !unix

package main

import "time"

// cpuTime returns the processor time of this process so far, and false where it cannot be known.
func cpuTime() (time.Duration, bool) { return 0, false }
