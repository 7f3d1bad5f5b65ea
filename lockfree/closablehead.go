package lockfree

import (
	"fmt"

	"github.com/heddle-go/heddle/internal/atomics"
)

// A ClosableHead is a list that is closed in one step, which takes the whole list. It is one word,
// for objects that hold their own links. A link, a number from 1 to MaxLink that the caller
// chooses, names an element; the caller also says where the word is that leads from an element to
// the next. After a close the word serves the next generation of the object, or stays closed. A
// ClosableList is made of one, and so is the list of subsequents of an event of package graphevent.
//
// The zero ClosableHead is open, empty, of generation 0, and ready. It must not be copied after
// first use.
//
// # Concurrency
//
// Every method but Swap may be called by any goroutine; Swap says who may call it. A TryPush
// that returns true synchronizes before the return of the Close or Next that returns ok, or the
// Swap, that ends the generation. That synchronizes before the return of each TryPush of that
// generation that returns false. The word next of a TryPush belongs to its caller until that
// returns true, then to whoever closes.
//
// # Progress
//
// Lock-free; Swap, Open and State are wait-free.
//
// # Cost
//
// O(1), 8 bytes, no allocation. BenchmarkClosableHead measures it.
//
// # Linearizability
//
// Every method is linearizable, if a generation number does not come again inside a call: there
// are 2^32.
type ClosableHead struct {
	//	63        32 31     30       0
	//	[generation][closed][ link   ]      link 0 is the end
	//
	//	H1 the generation never decreases, except by a Swap that says so.
	//	H2 a generation is closed once, by the swap that takes its chain and that may open the
	//	   next generation at the same time.
	//	H3 an element enters the chain of a generation at most once, so an unchanged word
	//	   means an unchanged list.

	word atomics.Uint64
}

// MaxLink is the largest link of a ClosableHead.
const MaxLink = headClosed - 1

const (
	headClosed   = 1 << 31
	headGenShift = 32
)

// TryPush puts the element that link names before the list of generation gen, and stores in next
// what follows it, or 0. It reports false, having done nothing that counts, if that generation is
// closed or is not the present one. It panics if link is not from 1 to MaxLink. An element that is
// in the list already must not be pushed again: the list would silently become a circle.
func (h *ClosableHead) TryPush(gen, link uint32, next *uint32) bool {
	if link-1 >= MaxLink {
		badLink(link)
	}
	for {
		w, open := h.look(gen) // LP(TryPush, closed)
		if !open {
			return false
		}
		*next = uint32(w)
		if h.put(w, link) { // LP(TryPush)
			return true
		}
	}
}

// look returns the word, and whether generation gen is the present one and not closed.
func (h *ClosableHead) look(gen uint32) (w uint64, open bool) {
	w = h.word.Load()
	return w, uint32(w>>headGenShift) == gen && w&headClosed == 0
}

// put puts an element before the list of w, if the word is still w.
func (h *ClosableHead) put(w uint64, link uint32) bool {
	return h.word.CompareAndSwap(w, w&^MaxLink|uint64(link))
}

//go:noinline
func badLink(link uint32) {
	panic(fmt.Sprintf("lockfree: link %d of a ClosableHead, not 1 to %d", link, MaxLink))
}

// Close closes generation gen for good and returns its list, the newest element, or 0 if it is
// empty. ok is true for exactly one call of Close or Next for that generation.
func (h *ClosableHead) Close(gen uint32) (list uint32, ok bool) {
	return h.take(gen, uint64(gen)<<headGenShift|headClosed)
}

// Next is Close, and opens the generation after gen, empty, in the same step.
func (h *ClosableHead) Next(gen uint32) (list uint32, ok bool) {
	return h.take(gen, uint64(gen+1)<<headGenShift)
}

// take replaces the word of an open generation.
func (h *ClosableHead) take(gen uint32, by uint64) (list uint32, ok bool) {
	for {
		w, open := h.look(gen) // LP(Close, closed)
		if !open {
			return 0, false
		}
		if h.word.CompareAndSwap(w, by) { // LP(Close)
			return uint32(w & MaxLink), true
		}
	}
}

// Swap makes gen the present generation, empty, and open or not, and returns the list of the
// generation that this ends. It checks nothing, so only a caller that alone may end the present
// generation may use it: no other Close, Next or Swap may overlap it. It takes fewer steps than
// Next and Close.
func (h *ClosableHead) Swap(gen uint32, open bool) (list uint32) {
	w := uint64(gen) << headGenShift
	if !open {
		w |= headClosed
	}
	return uint32(h.word.Swap(w) & MaxLink) // LP(Swap)
}

// Open reports whether generation gen is the present one and not closed.
func (h *ClosableHead) Open(gen uint32) bool {
	_, open := h.look(gen)
	return open
}

// State returns the present generation, and whether it is open.
func (h *ClosableHead) State() (gen uint32, open bool) {
	w := h.word.Load()
	return uint32(w >> headGenShift), w&headClosed == 0
}

// ReverseLinks reverses a list and returns its first element: a list that Close, Next or Swap
// returned then leads from each element to the one that was registered after it. next returns the
// word of an element.
func ReverseLinks(list uint32, next func(link uint32) *uint32) (first uint32) {
	for list != 0 {
		word := next(list)
		list, *word, first = *word, first, list
	}
	return first
}
