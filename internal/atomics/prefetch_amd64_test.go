//go:build !modelcheck

package atomics

import "testing"

// A processor without PREFETCHW has the other instruction.
func TestPrefetchToRead(t *testing.T) {
	defer func(known bool) { toWrite = known }(toWrite)
	toWrite = false
	Prefetch(0)
	Prefetch(^uintptr(0))
}
