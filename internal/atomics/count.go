//go:build heddle_count && !modelcheck

package atomics

import "sync/atomic"

// Under the tag heddle_count the words count what is done to them, so that a test can say how
// many atomic steps a task takes. Loads cost nothing worth counting.

// A Count is how many atomic operations the words of the program have seen.
type Count struct {
	Changes uint64 // read-modify-writes, compare-and-swaps that failed included
	Stores  uint64 // on some processors as dear as an exchange, which is a read-modify-write
}

var changes, stores atomic.Uint64

// Counted returns what was counted since the program's start.
func Counted() Count { return Count{changes.Load(), stores.Load()} }

// Int32 is an atomic.Int32 that counts.
type Int32 struct{ atomic.Int32 }

// Store counts as one.
func (x *Int32) Store(v int32) { stores.Add(1); x.Int32.Store(v) }

// Swap counts as a change, as do the others.
func (x *Int32) Swap(v int32) int32 { changes.Add(1); return x.Int32.Swap(v) }

// CompareAndSwap counts also if it fails.
func (x *Int32) CompareAndSwap(old, v int32) bool {
	changes.Add(1)
	return x.Int32.CompareAndSwap(old, v)
}

// Add counts.
func (x *Int32) Add(d int32) int32 { changes.Add(1); return x.Int32.Add(d) }

// And counts.
func (x *Int32) And(mask int32) int32 { changes.Add(1); return x.Int32.And(mask) }

// Or counts.
func (x *Int32) Or(mask int32) int32 { changes.Add(1); return x.Int32.Or(mask) }

// Int64 is an atomic.Int64 that counts.
type Int64 struct{ atomic.Int64 }

// Store counts as one.
func (x *Int64) Store(v int64) { stores.Add(1); x.Int64.Store(v) }

// Swap counts as a change, as do the others.
func (x *Int64) Swap(v int64) int64 { changes.Add(1); return x.Int64.Swap(v) }

// CompareAndSwap counts also if it fails.
func (x *Int64) CompareAndSwap(old, v int64) bool {
	changes.Add(1)
	return x.Int64.CompareAndSwap(old, v)
}

// Add counts.
func (x *Int64) Add(d int64) int64 { changes.Add(1); return x.Int64.Add(d) }

// And counts.
func (x *Int64) And(mask int64) int64 { changes.Add(1); return x.Int64.And(mask) }

// Or counts.
func (x *Int64) Or(mask int64) int64 { changes.Add(1); return x.Int64.Or(mask) }

// Uint32 is an atomic.Uint32 that counts.
type Uint32 struct{ atomic.Uint32 }

// Store counts as one.
func (x *Uint32) Store(v uint32) { stores.Add(1); x.Uint32.Store(v) }

// Swap counts as a change, as do the others.
func (x *Uint32) Swap(v uint32) uint32 { changes.Add(1); return x.Uint32.Swap(v) }

// CompareAndSwap counts also if it fails.
func (x *Uint32) CompareAndSwap(old, v uint32) bool {
	changes.Add(1)
	return x.Uint32.CompareAndSwap(old, v)
}

// Add counts.
func (x *Uint32) Add(d uint32) uint32 { changes.Add(1); return x.Uint32.Add(d) }

// And counts.
func (x *Uint32) And(mask uint32) uint32 { changes.Add(1); return x.Uint32.And(mask) }

// Or counts.
func (x *Uint32) Or(mask uint32) uint32 { changes.Add(1); return x.Uint32.Or(mask) }

// Uint64 is an atomic.Uint64 that counts.
type Uint64 struct{ atomic.Uint64 }

// Store counts as one.
func (x *Uint64) Store(v uint64) { stores.Add(1); x.Uint64.Store(v) }

// Swap counts as a change, as do the others.
func (x *Uint64) Swap(v uint64) uint64 { changes.Add(1); return x.Uint64.Swap(v) }

// CompareAndSwap counts also if it fails.
func (x *Uint64) CompareAndSwap(old, v uint64) bool {
	changes.Add(1)
	return x.Uint64.CompareAndSwap(old, v)
}

// Add counts.
func (x *Uint64) Add(d uint64) uint64 { changes.Add(1); return x.Uint64.Add(d) }

// And counts.
func (x *Uint64) And(mask uint64) uint64 { changes.Add(1); return x.Uint64.And(mask) }

// Or counts.
func (x *Uint64) Or(mask uint64) uint64 { changes.Add(1); return x.Uint64.Or(mask) }

// Uintptr is an atomic.Uintptr that counts.
type Uintptr struct{ atomic.Uintptr }

// Store counts as one.
func (x *Uintptr) Store(v uintptr) { stores.Add(1); x.Uintptr.Store(v) }

// Swap counts as a change, as do the others.
func (x *Uintptr) Swap(v uintptr) uintptr { changes.Add(1); return x.Uintptr.Swap(v) }

// CompareAndSwap counts also if it fails.
func (x *Uintptr) CompareAndSwap(old, v uintptr) bool {
	changes.Add(1)
	return x.Uintptr.CompareAndSwap(old, v)
}

// Add counts.
func (x *Uintptr) Add(d uintptr) uintptr { changes.Add(1); return x.Uintptr.Add(d) }

// And counts.
func (x *Uintptr) And(mask uintptr) uintptr { changes.Add(1); return x.Uintptr.And(mask) }

// Or counts.
func (x *Uintptr) Or(mask uintptr) uintptr { changes.Add(1); return x.Uintptr.Or(mask) }

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
