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
	t.didPointer(false, nil, nil, unsafe.Pointer(r))
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
	x.v.Store(v) // not Swap, which would acquire as well
	t.didPointer(true, unsafe.Pointer(v), nil, nil)
}

// Swap is a step that writes.
func (x *Pointer[T]) Swap(v *T) *T {
	t := current()
	if t == nil {
		return x.v.Swap(v)
	}
	t.step(&x.m, opSwap)
	old := x.v.Swap(v)
	t.didPointer(old != v, unsafe.Pointer(v), nil, unsafe.Pointer(old))
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
	t.didPointerCAS(ok, old != v, unsafe.Pointer(old), unsafe.Pointer(v))
	return ok
}

// didPointer is did for pointers. The trace keeps their addresses only to tell them apart.
//
//go:norace
func (t *thread) didPointer(changed bool, a, b, r unsafe.Pointer) {
	t.did(changed, uint64(uintptr(a)), uint64(uintptr(b)), uint64(uintptr(r)))
	t.markPointer()
}

//go:norace
func (t *thread) didPointerCAS(ok, differs bool, old, v unsafe.Pointer) {
	t.didCAS(ok, differs, uint64(uintptr(old)), uint64(uintptr(v)))
	t.markPointer()
}

//go:norace
func (t *thread) markPointer() {
	if e := t.e; e.tracing && !t.unwinding && len(e.rows) > 0 {
		e.rows[len(e.rows)-1].pointer = true
	}
}
