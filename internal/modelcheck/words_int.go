package modelcheck

import "sync/atomic"

// An Int32 is an instrumented atomic.Int32.
type Int32 struct {
	v atomic.Int32
	m meta
}

// Load is a step that reads.
func (x *Int32) Load() int32 {
	t := current()
	if t == nil {
		return x.v.Load()
	}
	t.step(&x.m, opLoad)
	r := x.v.Load()
	t.did(false, 0, 0, uint64(r))
	return r
}

// Store is a step that writes.
func (x *Int32) Store(v int32) {
	t := current()
	if t == nil {
		x.v.Store(v)
		return
	}
	t.step(&x.m, opStore)
	x.v.Store(v) // not Swap, which would acquire as well
	t.did(true, uint64(v), 0, 0)
}

// Swap is a step that writes.
func (x *Int32) Swap(v int32) int32 {
	t := current()
	if t == nil {
		return x.v.Swap(v)
	}
	t.step(&x.m, opSwap)
	old := x.v.Swap(v)
	t.did(old != v, uint64(v), 0, uint64(old))
	return old
}

// CompareAndSwap is a step that writes if it succeeds, and else reads.
func (x *Int32) CompareAndSwap(old, v int32) bool {
	t := current()
	if t == nil {
		return x.v.CompareAndSwap(old, v)
	}
	t.step(&x.m, opCAS)
	ok := x.v.CompareAndSwap(old, v)
	t.didCAS(ok, old != v, uint64(old), uint64(v))
	return ok
}

// Add is a step that writes.
func (x *Int32) Add(d int32) int32 {
	t := current()
	if t == nil {
		return x.v.Add(d)
	}
	t.step(&x.m, opAdd)
	r := x.v.Add(d)
	t.did(d != 0, uint64(d), 0, uint64(r))
	return r
}

// And is a step that writes.
func (x *Int32) And(mask int32) int32 {
	t := current()
	if t == nil {
		return x.v.And(mask)
	}
	t.step(&x.m, opAnd)
	old := x.v.And(mask)
	t.did(old&mask != old, uint64(mask), 0, uint64(old))
	return old
}

// Or is a step that writes.
func (x *Int32) Or(mask int32) int32 {
	t := current()
	if t == nil {
		return x.v.Or(mask)
	}
	t.step(&x.m, opOr)
	old := x.v.Or(mask)
	t.did(old|mask != old, uint64(mask), 0, uint64(old))
	return old
}

// An Int64 is an instrumented atomic.Int64.
type Int64 struct {
	v atomic.Int64
	m meta
}

// Load is a step that reads.
func (x *Int64) Load() int64 {
	t := current()
	if t == nil {
		return x.v.Load()
	}
	t.step(&x.m, opLoad)
	r := x.v.Load()
	t.did(false, 0, 0, uint64(r))
	return r
}

// Store is a step that writes.
func (x *Int64) Store(v int64) {
	t := current()
	if t == nil {
		x.v.Store(v)
		return
	}
	t.step(&x.m, opStore)
	x.v.Store(v) // not Swap, which would acquire as well
	t.did(true, uint64(v), 0, 0)
}

// Swap is a step that writes.
func (x *Int64) Swap(v int64) int64 {
	t := current()
	if t == nil {
		return x.v.Swap(v)
	}
	t.step(&x.m, opSwap)
	old := x.v.Swap(v)
	t.did(old != v, uint64(v), 0, uint64(old))
	return old
}

// CompareAndSwap is a step that writes if it succeeds, and else reads.
func (x *Int64) CompareAndSwap(old, v int64) bool {
	t := current()
	if t == nil {
		return x.v.CompareAndSwap(old, v)
	}
	t.step(&x.m, opCAS)
	ok := x.v.CompareAndSwap(old, v)
	t.didCAS(ok, old != v, uint64(old), uint64(v))
	return ok
}

// Add is a step that writes.
func (x *Int64) Add(d int64) int64 {
	t := current()
	if t == nil {
		return x.v.Add(d)
	}
	t.step(&x.m, opAdd)
	r := x.v.Add(d)
	t.did(d != 0, uint64(d), 0, uint64(r))
	return r
}

// And is a step that writes.
func (x *Int64) And(mask int64) int64 {
	t := current()
	if t == nil {
		return x.v.And(mask)
	}
	t.step(&x.m, opAnd)
	old := x.v.And(mask)
	t.did(old&mask != old, uint64(mask), 0, uint64(old))
	return old
}

// Or is a step that writes.
func (x *Int64) Or(mask int64) int64 {
	t := current()
	if t == nil {
		return x.v.Or(mask)
	}
	t.step(&x.m, opOr)
	old := x.v.Or(mask)
	t.did(old|mask != old, uint64(mask), 0, uint64(old))
	return old
}

// A Uint64 is an instrumented atomic.Uint64.
type Uint64 struct {
	v atomic.Uint64
	m meta
}

// Load is a step that reads.
func (x *Uint64) Load() uint64 {
	t := current()
	if t == nil {
		return x.v.Load()
	}
	t.step(&x.m, opLoad)
	r := x.v.Load()
	t.did(false, 0, 0, r)
	return r
}

// Store is a step that writes.
func (x *Uint64) Store(v uint64) {
	t := current()
	if t == nil {
		x.v.Store(v)
		return
	}
	t.step(&x.m, opStore)
	x.v.Store(v) // not Swap, which would acquire as well
	t.did(true, v, 0, 0)
}

// Swap is a step that writes.
func (x *Uint64) Swap(v uint64) uint64 {
	t := current()
	if t == nil {
		return x.v.Swap(v)
	}
	t.step(&x.m, opSwap)
	old := x.v.Swap(v)
	t.did(old != v, v, 0, old)
	return old
}

// CompareAndSwap is a step that writes if it succeeds, and else reads.
func (x *Uint64) CompareAndSwap(old, v uint64) bool {
	t := current()
	if t == nil {
		return x.v.CompareAndSwap(old, v)
	}
	t.step(&x.m, opCAS)
	ok := x.v.CompareAndSwap(old, v)
	t.didCAS(ok, old != v, old, v)
	return ok
}

// Add is a step that writes.
func (x *Uint64) Add(d uint64) uint64 {
	t := current()
	if t == nil {
		return x.v.Add(d)
	}
	t.step(&x.m, opAdd)
	r := x.v.Add(d)
	t.did(d != 0, d, 0, r)
	return r
}

// And is a step that writes.
func (x *Uint64) And(mask uint64) uint64 {
	t := current()
	if t == nil {
		return x.v.And(mask)
	}
	t.step(&x.m, opAnd)
	old := x.v.And(mask)
	t.did(old&mask != old, mask, 0, old)
	return old
}

// Or is a step that writes.
func (x *Uint64) Or(mask uint64) uint64 {
	t := current()
	if t == nil {
		return x.v.Or(mask)
	}
	t.step(&x.m, opOr)
	old := x.v.Or(mask)
	t.did(old|mask != old, mask, 0, old)
	return old
}

// A Uintptr is an instrumented atomic.Uintptr.
type Uintptr struct {
	v atomic.Uintptr
	m meta
}

// Load is a step that reads.
func (x *Uintptr) Load() uintptr {
	t := current()
	if t == nil {
		return x.v.Load()
	}
	t.step(&x.m, opLoad)
	r := x.v.Load()
	t.did(false, 0, 0, uint64(r))
	return r
}

// Store is a step that writes.
func (x *Uintptr) Store(v uintptr) {
	t := current()
	if t == nil {
		x.v.Store(v)
		return
	}
	t.step(&x.m, opStore)
	x.v.Store(v) // not Swap, which would acquire as well
	t.did(true, uint64(v), 0, 0)
}

// Swap is a step that writes.
func (x *Uintptr) Swap(v uintptr) uintptr {
	t := current()
	if t == nil {
		return x.v.Swap(v)
	}
	t.step(&x.m, opSwap)
	old := x.v.Swap(v)
	t.did(old != v, uint64(v), 0, uint64(old))
	return old
}

// CompareAndSwap is a step that writes if it succeeds, and else reads.
func (x *Uintptr) CompareAndSwap(old, v uintptr) bool {
	t := current()
	if t == nil {
		return x.v.CompareAndSwap(old, v)
	}
	t.step(&x.m, opCAS)
	ok := x.v.CompareAndSwap(old, v)
	t.didCAS(ok, old != v, uint64(old), uint64(v))
	return ok
}

// Add is a step that writes.
func (x *Uintptr) Add(d uintptr) uintptr {
	t := current()
	if t == nil {
		return x.v.Add(d)
	}
	t.step(&x.m, opAdd)
	r := x.v.Add(d)
	t.did(d != 0, uint64(d), 0, uint64(r))
	return r
}

// And is a step that writes.
func (x *Uintptr) And(mask uintptr) uintptr {
	t := current()
	if t == nil {
		return x.v.And(mask)
	}
	t.step(&x.m, opAnd)
	old := x.v.And(mask)
	t.did(old&mask != old, uint64(mask), 0, uint64(old))
	return old
}

// Or is a step that writes.
func (x *Uintptr) Or(mask uintptr) uintptr {
	t := current()
	if t == nil {
		return x.v.Or(mask)
	}
	t.step(&x.m, opOr)
	old := x.v.Or(mask)
	t.did(old|mask != old, uint64(mask), 0, uint64(old))
	return old
}
