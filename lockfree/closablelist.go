package lockfree

import "slices"

// A ClosableList collects values until it is closed: the one call that closes it gets all of them,
// and from that step on nothing can be added. So if one goroutine registers a value while another
// closes the list, either the first is told that it is too late or the second gets the value.
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
	//	C1 generation 0 of head is the list, which is closed by one swap.
	//	C2 the chain links each value to the one registered before.
	//	C3 only Close reads nodes of other goroutines, after C1; when it does not need them any
	//	   more, it makes generation 1 the present one, and then drops the pages.
	//
	// The steps C4 to C8 and the argument are in closablelist.md.

	head  ClosableHead
	nodes arena[T]
}

const (
	listOpen    = 0 // the generation that takes values until it is closed
	listDropped = 1 // the next one, which is closed from the beginning
)

// TryPush adds v and reports true, or reports false if the list is closed.
func (l *ClosableList[T]) TryPush(v T) bool {
	if l.Closed() { // LP(TryPush, closed)
		return false
	}
	index, n := l.nodes.add()
	n.value = v
	for {
		w, open := l.head.look(listOpen) // LP(TryPush, closed)
		if !open {
			if w>>headGenShift == listDropped {
				l.nodes.drop() // C6: also a page that add has made since
			}
			return false
		}
		n.next.Store(uint32(w & MaxLink))
		if l.head.put(w, index) { // LP(TryPush)
			return true
		}
	}
}

// Close closes the list and appends what it held to buf, in the order of registration. ok is
// true for exactly one call, also if the list is empty; for the others items is buf.
func (l *ClosableList[T]) Close(buf []T) (items []T, ok bool) {
	newest, ok := l.head.Close(listOpen) // LP(Close)
	if !ok {
		return buf, false
	}
	length := 0
	for index := newest; index != 0; index = l.nodes.at(index).next.Load() {
		length++
	}
	last := len(buf) + length
	buf = slices.Grow(buf, length)[:last]
	for index := newest; index != 0; {
		n := l.nodes.at(index)
		last--
		buf[last] = n.value
		index = n.next.Load()
	}
	l.head.Swap(listDropped, false)
	l.nodes.drop()
	return buf, true
}

// Closed reports whether the list is closed.
func (l *ClosableList[T]) Closed() bool { return !l.head.Open(listOpen) }
