package modelcheck

import (
	"sync/atomic"
	"unsafe"
)

// A Pointer is an instrumented atomic.Pointer.
type Pointer[T any] struct {
	v atomic.Pointer[T]
	m meta
}

// Load is a step that reads.
func (x *Pointer[T]) Load() *T {
	t := current()
	if t == nil {
		return x.v.Load()
	}
	t.step(&x.m, opLoad)
	r := x.v.Load()
	t.did(false, 0, 0, address(unsafe.Pointer(r)))
	t.mark(formPointer)
	return r
}

// Store is a step that writes.
func (x *Pointer[T]) Store(v *T) {
	t := current()
	if t == nil {
		x.v.Store(v)
		return
	}
	t.step(&x.m, opStore)
	was := t.look(func() uint64 { return address(unsafe.Pointer(x.v.Load())) })
	x.v.Store(v) // not Swap, which would acquire as well
	t.did(true, address(unsafe.Pointer(v)), was, 0)
	t.mark(formPointer)
}

// Swap is a step that writes.
func (x *Pointer[T]) Swap(v *T) *T {
	t := current()
	if t == nil {
		return x.v.Swap(v)
	}
	t.step(&x.m, opSwap)
	old := x.v.Swap(v)
	t.did(old != v, address(unsafe.Pointer(v)), 0, address(unsafe.Pointer(old)))
	t.mark(formPointer)
	return old
}

// CompareAndSwap is a step that writes if it succeeds, and else reads.
func (x *Pointer[T]) CompareAndSwap(old, v *T) bool {
	t := current()
	if t == nil {
		return x.v.CompareAndSwap(old, v)
	}
	t.step(&x.m, opCAS)
	ok := x.v.CompareAndSwap(old, v)
	found := t.look(func() uint64 { return address(unsafe.Pointer(x.v.Load())) })
	t.didCAS(ok, old != v, address(unsafe.Pointer(old)), address(unsafe.Pointer(v)), found)
	t.mark(formPointer)
	return ok
}

// address returns where a pointer points. The trace keeps addresses only to tell them apart.
func address(p unsafe.Pointer) uint64 { return uint64(uintptr(p)) }
