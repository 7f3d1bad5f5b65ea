package park

import "github.com/heddle-go/heddle/internal/atomics"

// A Mode says how a [Parker] waits.
type Mode uint8

const (
	// OS is the platform's best: a wait in the kernel without a P where [HandsOff] is
	// true; else as TwoPhase.
	OS Mode = iota

	// Go waits on a sync.Cond. It is the one mode in which a waiter counts as durably
	// blocked for testing/synctest.
	Go

	// TwoPhase yields, waits a short while in the kernel through an ordinary system call,
	// then on a sync.Cond. It is what OS means where the P cannot be given away, and can
	// be asked for elsewhere so that both are compared in one run. Where the platform has
	// no wait on a word it is Go.
	TwoPhase
)

// HandsOff reports whether the mode OS waits in the kernel without a P. That depends on the
// platform and, on Linux, on what the runtime of this program offers, which the first call finds
// out. In a model it does.
func HandsOff() bool { return canHandOff() || atomics.Modeled() }

// String returns the constant's name.
func (m Mode) String() string {
	switch m {
	case OS:
		return "OS"
	case Go:
		return "Go"
	case TwoPhase:
		return "TwoPhase"
	}
	return "Mode(?)"
}

// A way is what a mode means on this platform.
type way uint8

const (
	wayCond     way = iota // sync.Cond
	wayHandOff             // kernel wait, P given away
	wayTwoPhase            // kernel wait for BriefLimit, then wayCond
)

// way resolves m. The result is the same for the life of a program, except that a model has each of
// the three ways on every platform.
func (m Mode) way() way {
	switch {
	case m == OS && HandsOff():
		return wayHandOff
	case m != Go && (hasWordWait || atomics.Modeled()):
		return wayTwoPhase
	}
	return wayCond
}
