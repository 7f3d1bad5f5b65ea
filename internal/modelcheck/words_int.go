package modelcheck

import "sync/atomic"

// The instrumented integers are those of sync/atomic.
type (
	Int32   = number[int32, atomic.Int32, *atomic.Int32]
	Int64   = number[int64, atomic.Int64, *atomic.Int64]
	Uint32  = number[uint32, atomic.Uint32, *atomic.Uint32]
	Uint64  = number[uint64, atomic.Uint64, *atomic.Uint64]
	Uintptr = number[uintptr, atomic.Uintptr, *atomic.Uintptr]
)

// A number is an instrumented integer T. W is the word of sync/atomic that holds it.
type number[T int32 | int64 | uint32 | uint64 | uintptr, W any, P plain[T, W]] struct {
	v W
	m meta
}

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

// Load is a step that reads.
func (x *number[T, W, P]) Load() T {
	t := current()
	if t == nil {
		return P(&x.v).Load()
	}
	t.step(&x.m, opLoad)
	r := P(&x.v).Load()
	t.did(false, 0, 0, uint64(r))
	return r
}

// Store is a step that writes.
func (x *number[T, W, P]) Store(v T) {
	t := current()
	if t == nil {
		P(&x.v).Store(v)
		return
	}
	t.step(&x.m, opStore)
	was := t.look(func() uint64 { return uint64(P(&x.v).Load()) })
	P(&x.v).Store(v) // not Swap, which would acquire as well
	t.did(true, uint64(v), was, 0)
}

// Swap is a step that writes.
func (x *number[T, W, P]) Swap(v T) T {
	t := current()
	if t == nil {
		return P(&x.v).Swap(v)
	}
	t.step(&x.m, opSwap)
	old := P(&x.v).Swap(v)
	t.did(old != v, uint64(v), 0, uint64(old))
	return old
}

// CompareAndSwap is a step that writes if it succeeds, and else reads.
func (x *number[T, W, P]) CompareAndSwap(old, v T) bool {
	t := current()
	if t == nil {
		return P(&x.v).CompareAndSwap(old, v)
	}
	t.step(&x.m, opCAS)
	ok := P(&x.v).CompareAndSwap(old, v)
	found := t.look(func() uint64 { return uint64(P(&x.v).Load()) })
	t.didCAS(ok, old != v, uint64(old), uint64(v), found)
	return ok
}

// Add is a step that writes.
func (x *number[T, W, P]) Add(d T) T {
	t := current()
	if t == nil {
		return P(&x.v).Add(d)
	}
	t.step(&x.m, opAdd)
	r := P(&x.v).Add(d)
	t.did(d != 0, uint64(d), uint64(r-d), uint64(r))
	return r
}

// And is a step that writes.
func (x *number[T, W, P]) And(mask T) T {
	t := current()
	if t == nil {
		return P(&x.v).And(mask)
	}
	t.step(&x.m, opAnd)
	old := P(&x.v).And(mask)
	t.did(old&mask != old, uint64(mask), 0, uint64(old))
	return old
}

// Or is a step that writes.
func (x *number[T, W, P]) Or(mask T) T {
	t := current()
	if t == nil {
		return P(&x.v).Or(mask)
	}
	t.step(&x.m, opOr)
	old := P(&x.v).Or(mask)
	t.did(old|mask != old, uint64(mask), 0, uint64(old))
	return old
}
