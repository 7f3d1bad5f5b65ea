//go:build (amd64 || 386 || arm64) && !modelcheck

package atomics

// Pause spins for n processor pauses: PAUSE on amd64 and 386, YIELD on arm64; on other
// architectures it does nothing. n must be at least 1.
//
//go:noescape
func Pause(n uint32)
