package paged

import (
	"unsafe"

	"github.com/heddle-go/heddle/internal/atomics"
)

const (
	pageBits = 9
	midBits  = 10
	topBits  = 9

	// PageSize is the number of elements that appear together.
	PageSize = 1 << pageBits

	// Limit is the number of elements that a table can hold.
	Limit = 1 << (pageBits + midBits + topBits)
)

type (
	page[T any] [PageSize]T

	// An anyPage stands for the page[T] of a Table[T]. Whoever imports a package compiles anew each
	// method of each generic type with type arguments that it can come upon in there: with a typed
	// pointer, those of atomics.Pointer many times over for each Table.
	anyPage struct{ _ byte }

	mid [1 << midBits]atomics.Pointer[anyPage]
)

// A Table is an array of Limit elements, made page by page. The zero value has no page.
// It must not be copied after first use.
//
// All methods may be called by any goroutine. Grow(i) synchronizes before an At(i) that is
// ordered after it by other means; a table orders nothing else: its elements are the
// caller's to protect. At is two dependent loads; Grow is lock-free and allocates a page at
// most once for each, racing callers apart.
type Table[T any] struct {
	// Pages are added and never removed or replaced, so an address taken once is good for
	// ever and a reader needs no counter. Each anyPage here was made by Grow, as a page[T].
	top [1 << topBits]atomics.Pointer[mid]
}

// At returns the element i, whose page must exist.
func (t *Table[T]) At(i uint32) *T {
	m := t.top[i>>(pageBits+midBits)&(1<<topBits-1)].Load()
	p := m[i>>pageBits&(1<<midBits-1)].Load()
	return &(*page[T])(unsafe.Pointer(p))[i&(PageSize-1)]
}

// Get returns the element i, or nil if its page does not exist.
func (t *Table[T]) Get(i uint32) *T {
	m := t.top[i>>(pageBits+midBits)&(1<<topBits-1)].Load()
	if m == nil {
		return nil
	}
	p := m[i>>pageBits&(1<<midBits-1)].Load()
	if p == nil {
		return nil
	}
	return &(*page[T])(unsafe.Pointer(p))[i&(PageSize-1)]
}

// Prefetch asks the processor for the first cache line of the element i, if its page exists, to
// have it at hand when somebody writes there.
func (t *Table[T]) Prefetch(i uint32) {
	if !atomics.Modeled() { // there each load is a step
		atomics.Prefetch(uintptr(unsafe.Pointer(t.Get(i))))
	}
}

// Grow makes the page of element i if it does not exist, and returns the element. It panics
// if i is not below Limit.
func (t *Table[T]) Grow(i uint32) *T {
	if i >= Limit {
		panic("paged: table is full")
	}
	top := &t.top[i>>(pageBits+midBits)]
	m := top.Load()
	if m == nil {
		top.CompareAndSwap(nil, new(mid))
		m = top.Load()
	}
	slot := &m[i>>pageBits&(1<<midBits-1)]
	p := slot.Load()
	if p == nil {
		slot.CompareAndSwap(nil, (*anyPage)(unsafe.Pointer(new(page[T]))))
		p = slot.Load()
	}
	return &(*page[T])(unsafe.Pointer(p))[i&(PageSize-1)]
}
