//go:build !unix

package main

import (
	"runtime"
	"time"
)

func rusage() (time.Duration, int64, error) {
	return 0, 0, absent("the use of the processor cannot be read on " + runtime.GOOS)
}
