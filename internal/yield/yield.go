package yield

import "github.com/heddle-go/heddle/internal/atomics"

// IfWanted yields if a goroutine waits for a processor, or may wait: not every version of Go tells.
// It takes about 0.1 µs if none does, and never blocks.
func IfWanted() {
	if atomics.Modeled() || IsWanted() {
		atomics.Gosched()
	}
}

// IfFull is IfWanted that also yields if no processor is idle. Then timers are checked only when a
// running goroutine yields, so a goroutine whose sleep is over does not count as waiting yet.
func IfFull() {
	// In a model the runtime's answers would make its schedules differ.
	if atomics.Modeled() || isFull() {
		atomics.Gosched()
	}
}

// IsWanted reports whether a goroutine waits for a processor, or may wait. It takes as long as
// IfWanted, and never blocks.
func IsWanted() bool {
	wanted, _ := ask()
	return wanted
}

// isFull reports whether IfFull yields.
func isFull() bool {
	wanted, full := ask()
	return wanted || full
}
