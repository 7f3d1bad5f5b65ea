package lockfree

import (
	"slices"

	"github.com/heddle-go/heddle/internal/atomics"
)

// A ClosableList collects values until it is closed: the one call that closes it gets all of
// them, and from that step on nothing can be added. So of two goroutines that register
// and close at once, either the first is told to act by itself or the second finds what it left.
//
// The zero ClosableList is open, empty and ready. It must not be copied after first use.
//
// # Concurrency
//
// Every method may be called by any goroutine. A TryPush that returns true synchronizes before
// the return of the Close that returns ok; that Close synchronizes before the return of
// each TryPush that returns false and each Closed that returns true.
//
// # Progress
//
// Lock-free; Closed is wait-free.
//
// # Cost
//
// TryPush is O(1); it allocates only where the population reaches 8, 24, 56 and so on. Close
// is linear in what it returns, and lets go of the memory. A list holds at most 2^28-8 values,
// beyond which TryPush panics.
//
// # Linearizability
//
// Every method is linearizable.
type ClosableList[T any] struct {
	//	 63       62        61    56 55      28 27         0
	//	[ closed | dropped |    0   | length   | last index ]      0 is no node
	//
	//	C1 closed is set by one swap, which also takes the chain; then the word is final but for
	//	   dropped, which Close sets when it needs the nodes no more.
	//	C2 a node enters the chain at most once, so an unchanged word means an unchanged list.
	//	C3 the chain links each value to the one registered before; length counts it.
	//	C4 nodes other than one's own are read by Close alone, after C1.
	//
	// By C2 the reference needs no count. By C4 Close may drop the pages. The steps C5 to C9 and the
	// argument are in closablelist.md.

	head  atomics.Uint64
	nodes arena[T]
}

const (
	listClosed  = 1 << 63
	listDropped = 1 << 62
	listOne     = 1 << indexBits // one element, in the length
)

// TryPush adds v and reports true, or reports false if the list is closed.
func (l *ClosableList[T]) TryPush(v T) bool {
	if l.Closed() { // LP(TryPush, closed)
		return false
	}
	index, n := l.nodes.add()
	n.value = v
	for {
		h := l.head.Load() // LP(TryPush, closed)
		if h&listClosed != 0 {
			if h&listDropped != 0 {
				l.nodes.drop() // C7: among them a page that add has made since
			}
			return false
		}
		n.next.Store(uint32(h & indexMask))
		if l.head.CompareAndSwap(h, h&^indexMask+listOne|uint64(index)) { // LP(TryPush)
			return true
		}
	}
}

// Close closes the list and appends what it held to buf, in the order of registration. ok is
// true for exactly one call, also if the list is empty; for the others items is buf.
func (l *ClosableList[T]) Close(buf []T) (items []T, ok bool) {
	var h uint64
	for {
		h = l.head.Load() // LP(Close, closed)
		if h&listClosed != 0 {
			return buf, false
		}
		if l.head.CompareAndSwap(h, listClosed) { // LP(Close)
			break
		}
	}
	length := int(h >> indexBits)
	buf = slices.Grow(buf, length)[:len(buf)+length]
	last := len(buf)
	for index := uint32(h & indexMask); index != 0; {
		n := l.nodes.at(index)
		last--
		buf[last] = n.value
		index = n.next.Load()
	}
	l.head.Store(listClosed | listDropped)
	l.nodes.drop()
	return buf, true
}

// Closed reports whether the list is closed.
func (l *ClosableList[T]) Closed() bool { return l.head.Load()&listClosed != 0 }
