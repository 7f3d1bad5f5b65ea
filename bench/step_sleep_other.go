//go:build !linux

package main

import "time"

// sleepExactly sleeps as well as it can be done here.
func sleepExactly(d time.Duration) { time.Sleep(d) }
