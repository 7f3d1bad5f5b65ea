//go:build !linux || !gc || heddle_nolinkname || modelcheck || race || heddle_count

package park

// Steers reports whether [Parker.UnparkElsewhere] differs from Unpark in the mode OS of this build.
const Steers = false

// GoElsewhere does nothing in this build.
func GoElsewhere() {}
