//go:build heddle_clock

package faults

import "time"

// jump makes the wall clock of this process so many seconds late or early.
func jump(seconds int64) { time.HeddleJump(seconds) }
