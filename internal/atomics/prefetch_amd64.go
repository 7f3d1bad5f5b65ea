//go:build !modelcheck

package atomics

// Prefetch asks the processor to bring the cache line of an address near, for one that will write
// there soon, and waits for nothing: PREFETCHW on amd64, or PREFETCHT0 on a processor that does not
// know it, and PRFM on arm64. Elsewhere and in a model it does nothing. The address may be any.
func Prefetch(address uintptr) {
	if toWrite {
		prefetchToWrite(address)
	} else {
		prefetchToRead(address)
	}
}

// toWrite says whether the processor knows PREFETCHW.
var toWrite = func() bool {
	c, _ := extended(0x80000001)
	return c>>8&1 != 0
}()

func prefetchToWrite(address uintptr)

func prefetchToRead(address uintptr)
