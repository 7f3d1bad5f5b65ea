//go:build modelcheck || !(amd64 || arm64)

package atomics

// Ticks is Now: there is no counter of time that is cheaper.
func Ticks() int64 { return Now() }

// TicksAreSteady reports whether Ticks serves as a clock that is cheaper than Now.
func TicksAreSteady() bool { return false }
