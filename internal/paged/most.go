//go:build !heddle_faults

package paged

// Most returns how many numbers a user of a Table hands out at most: Limit, but for a build with
// the tag heddle_faults, in which a test may say that there is less room.
func Most() uint32 { return Limit }
