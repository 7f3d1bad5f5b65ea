//go:build !modelcheck

package atomics

// Ticks reads the processor's counter of time, which is cheaper than Now. Its unit and its origin
// are the machine's; TicksAreSteady says whether it serves as a clock.
//
//go:noescape
func Ticks() int64

// TicksAreSteady reports whether Ticks counts at one rate on all processors, whatever their
// frequency is and even while they sleep: the virtual counter of arm64 does.
func TicksAreSteady() bool { return true }
