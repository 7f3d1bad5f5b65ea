//go:build !heddle_faults

package park

// What a test can make the kernel do wrong in a build with the tag heddle_faults. Here it does
// nothing, and the compiler leaves it out.

// endsEarly reports whether a wait on the word is over before it has begun.
func endsEarly() bool { return false }

// comesLate delays a wake of the word.
func comesLate() {}
