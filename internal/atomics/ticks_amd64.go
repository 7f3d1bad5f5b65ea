//go:build !modelcheck

package atomics

// Ticks reads the processor's counter of time, which is cheaper than Now. Its unit and its origin
// are the machine's; TicksAreSteady says whether it serves as a clock.
//
//go:noescape
func Ticks() int64

// TicksAreSteady reports whether Ticks counts at one rate on all processors, whatever their
// frequency is and even while they sleep: the "invariant TSC" of amd64.
func TicksAreSteady() bool {
	_, d := extended(0x80000007)
	return d>>8&1 != 0
}
