//go:build heddle_count && !modelcheck

package atomics

import "sync/atomic"

// Under the tag heddle_count the words count what is done to them, so that a test can say how many
// atomic steps a task takes. Loads are too cheap to count.

// A Count is how many atomic operations the words of the program have seen.
type Count struct {
	Changes uint64 // read-modify-writes, compare-and-swaps that failed included
	Stores  uint64 // on some processors as expensive as a read-modify-write
}

var changes, stores atomic.Uint64

// Counted returns what was counted since the program's start.
func Counted() Count { return Count{changes.Load(), stores.Load()} }

// The integers of sync/atomic, which count.
type (
	Int32   = number[int32, atomic.Int32, *atomic.Int32]
	Int64   = number[int64, atomic.Int64, *atomic.Int64]
	Uint32  = number[uint32, atomic.Uint32, *atomic.Uint32]
	Uint64  = number[uint64, atomic.Uint64, *atomic.Uint64]
	Uintptr = number[uintptr, atomic.Uintptr, *atomic.Uintptr]
)

// A number is an integer T that counts. W is the word of sync/atomic that holds it.
type number[T, W any, P plain[T, W]] struct{ w W }

// plain is what a word of sync/atomic can do.
type plain[T, W any] interface {
	*W
	Load() T
	Store(v T)
	Swap(v T) T
	CompareAndSwap(old, v T) bool
	Add(d T) T
	And(mask T) T
	Or(mask T) T
}

// Load does not count.
func (x *number[T, W, P]) Load() T { return P(&x.w).Load() }

// Store counts as one.
func (x *number[T, W, P]) Store(v T) { stores.Add(1); P(&x.w).Store(v) }

// Swap counts as a change, as do the others.
func (x *number[T, W, P]) Swap(v T) T { changes.Add(1); return P(&x.w).Swap(v) }

// CompareAndSwap counts also if it fails.
func (x *number[T, W, P]) CompareAndSwap(old, v T) bool {
	changes.Add(1)
	return P(&x.w).CompareAndSwap(old, v)
}

// Add counts.
func (x *number[T, W, P]) Add(d T) T { changes.Add(1); return P(&x.w).Add(d) }

// And counts.
func (x *number[T, W, P]) And(mask T) T { changes.Add(1); return P(&x.w).And(mask) }

// Or counts.
func (x *number[T, W, P]) Or(mask T) T { changes.Add(1); return P(&x.w).Or(mask) }

// Bool is an atomic.Bool that counts.
type Bool struct{ atomic.Bool }

// Store counts as one.
func (x *Bool) Store(v bool) { stores.Add(1); x.Bool.Store(v) }

// Swap counts as a change.
func (x *Bool) Swap(v bool) bool { changes.Add(1); return x.Bool.Swap(v) }

// CompareAndSwap counts also if it fails.
func (x *Bool) CompareAndSwap(old, v bool) bool {
	changes.Add(1)
	return x.Bool.CompareAndSwap(old, v)
}

// Pointer is an atomic.Pointer that counts.
type Pointer[T any] struct{ p atomic.Pointer[T] }

// Load does not count.
func (x *Pointer[T]) Load() *T { return x.p.Load() }

// Store counts as one.
func (x *Pointer[T]) Store(v *T) { stores.Add(1); x.p.Store(v) }

// Swap counts as a change.
func (x *Pointer[T]) Swap(v *T) *T { changes.Add(1); return x.p.Swap(v) }

// CompareAndSwap counts also if it fails.
func (x *Pointer[T]) CompareAndSwap(old, v *T) bool {
	changes.Add(1)
	return x.p.CompareAndSwap(old, v)
}
