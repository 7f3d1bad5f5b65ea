//go:build !modelcheck

package flight

// counter returns the virtual count of the system, which has one rate and never stops.
//
//go:noescape
func counter() int64

func hasCounter() bool { return true }
