package lockfree

import (
	"math/bits"
	"unsafe"

	"github.com/heddle-go/heddle/internal/atomics"
)

const (
	indexBits = 28
	indexMask = 1<<indexBits - 1

	firstPageBits = 3
	firstPage     = 1 << firstPageBits // nodes in the first page; each further page doubles
	pageCount     = indexBits - firstPageBits
	maxNodes      = 1<<indexBits - firstPage // the highest index; 0 is no node
)

// A node is an element of a list. Its value belongs to the goroutine that took the node; a
// goroutine that has lost the race for the node may still read the link.
type node[T any] struct {
	next  atomics.Uint32 // index of the node below
	value T
}

// An arena holds nodes that are named by an index and are not freed one by one, so that the link of
// a node can be read even after another goroutine has taken and reused it. The index says where a
// node lies. The zero arena is ready.
type arena[T any] struct {
	fresh atomics.Uint32 // the highest index handed out
	pages [pageCount]atomics.Pointer[anyNodes]
}

// An anyNodes stands for the []node[T] of an arena[T]: with a typed pointer, whoever imports a
// package in which there is an arena would compile the methods of atomics.Pointer for each anew.
type anyNodes struct{ _ []struct{} }

// locate returns the page of an index and its place in the page: after adding firstPage-1, the
// highest bit of the index gives the page, and the rest is the place.
func locate(index uint32) (page int, place uint32) {
	index += firstPage - 1
	top := bits.Len32(index) - 1
	return top - firstPageBits, index &^ (1 << uint(top))
}

// at returns the node of an index that was handed out.
func (a *arena[T]) at(index uint32) *node[T] {
	page, place := locate(index)
	return &(*(*[]node[T])(unsafe.Pointer(a.pages[page].Load())))[place]
}

// tooMany is the panic of a container that has no index for another value.
const tooMany = "lockfree: too many values in one container"

// add hands out a node that was never used.
func (a *arena[T]) add() (uint32, *node[T]) {
	index, n := a.tryAdd()
	if n == nil {
		panic(tooMany)
	}
	return index, n
}

// tryAdd is add; it returns nil if there are no more.
func (a *arena[T]) tryAdd() (uint32, *node[T]) {
	for {
		last := a.fresh.Load()
		if last >= maxNodes {
			return 0, nil
		}
		if a.fresh.CompareAndSwap(last, last+1) {
			page, place := locate(last + 1)
			return last + 1, &a.page(page)[place]
		}
	}
}

// page returns a page, and makes it if it does not exist.
func (a *arena[T]) page(i int) []node[T] {
	for {
		if p := a.pages[i].Load(); p != nil {
			return *(*[]node[T])(unsafe.Pointer(p))
		}
		nodes := make([]node[T], firstPage<<uint(i))
		if a.pages[i].CompareAndSwap(nil, (*anyNodes)(unsafe.Pointer(&nodes))) {
			return nodes
		}
	}
}

// drop drops all pages. No index that was handed out may be followed afterwards.
func (a *arena[T]) drop() {
	for i := range a.pages {
		if a.pages[i].Load() != nil {
			a.pages[i].Store(nil)
		}
	}
}
