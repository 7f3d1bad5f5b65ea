//go:build !linux || !gc || heddle_nolinkname || modelcheck || race || heddle_count

package park

// CanMove reports whether [GoElsewhere] could move the caller's thread: not in this build.
func CanMove() bool { return false }

// Here returns zeros in this build.
func Here() (processor, thread uint32) { return 0, 0 }

// IsRunnableOn reports false in this build.
func IsRunnableOn(thread, processor uint32) bool { return false }
