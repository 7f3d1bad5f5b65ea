//go:build !modelcheck

package flight

// counter returns the time-stamp counter of the processor.
//
//go:noescape
func counter() int64

// invariant reports whether that counts at one rate, whatever the processor's frequency is and
// even while it sleeps.
//
//go:noescape
func invariant() bool

func hasCounter() bool { return invariant() }
