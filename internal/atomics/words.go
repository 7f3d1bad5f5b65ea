//go:build !modelcheck && !heddle_count

package atomics

import "sync/atomic"

// The shared words. They are aliases, not wrappers: a wrapper costs instructions in generic
// code, an alias compiles to the same instructions as the type itself.
type (
	Bool           = atomic.Bool
	Int32          = atomic.Int32
	Int64          = atomic.Int64
	Uint32         = atomic.Uint32
	Uint64         = atomic.Uint64
	Uintptr        = atomic.Uintptr
	Pointer[T any] = atomic.Pointer[T]
)
