//go:build !linux

package main

import "time"

// sleep sleeps for a time, and maybe a good deal longer.
func sleep(d time.Duration) { time.Sleep(d) }
