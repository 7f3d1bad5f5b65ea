//go:build !modelcheck

package sleepevent

// How the drowse loop goes: a pause grows from 1 to drowsePause processor pauses, and after
// drowseRound of those, which is a few microseconds, the loop yields.
const (
	drowsePause = 4
	drowseRound = 64
)
