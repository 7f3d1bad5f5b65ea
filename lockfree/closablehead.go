package lockfree

import (
	"fmt"
	"iter"

	"github.com/heddle-go/heddle/internal/atomics"
)

// A ClosableHead is a ClosableList without nodes: one word, for objects that hold their own
// links. An element is named by a link, a number from 1 to MaxLink that the caller gives it;
// the caller also says where the word lies that leads from an element to the next. Closing
// takes the whole list in one step, and the word then serves the next generation of the
// object, or stays closed.
//
// The zero ClosableHead is open, empty, of generation 0, and ready. It must not be copied after
// first use.
//
// # Concurrency
//
// Every method but Reset may be called by any goroutine. A TryPush that returns true
// synchronizes before the return of the Close or Next that returns ok. That synchronizes
// before the return of each TryPush of that generation that returns false. The word next of a
// TryPush belongs to its caller until that returns true, then to whoever closes.
//
// # Progress
//
// Lock-free; Open and Generation are wait-free.
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
	//	H1 the generation never decreases, but by Reset.
	//	H2 a generation is closed once, by the swap that takes its chain, and which may
	//	   open the next generation at the same time.
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

// TryPush puts the element that link names before the list of generation gen, and stores in
// next what follows it, or 0. It reports false, having done nothing that counts, if that
// generation is closed or is not the present one. It panics if link is not from 1 to MaxLink. An element that
// is in the list already must not be pushed again: nothing notices, and the list goes in a circle.
func (h *ClosableHead) TryPush(gen, link uint32, next *uint32) bool {
	if link-1 >= MaxLink {
		badLink(link)
	}
	for {
		w := h.word.Load() // LP(TryPush, closed)
		if uint32(w>>headGenShift) != gen || w&headClosed != 0 {
			return false
		}
		*next = uint32(w)
		if h.word.CompareAndSwap(w, w&^MaxLink|uint64(link)) { // LP(TryPush)
			return true
		}
	}
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
		w := h.word.Load() // LP(Close, closed)
		if uint32(w>>headGenShift) != gen || w&headClosed != 0 {
			return 0, false
		}
		if h.word.CompareAndSwap(w, by) { // LP(Close)
			return uint32(w & MaxLink), true
		}
	}
}

// Open reports whether generation gen is the present one and not closed.
func (h *ClosableHead) Open(gen uint32) bool {
	w := h.word.Load()
	return uint32(w>>headGenShift) == gen && w&headClosed == 0
}

// Generation returns the present generation.
func (h *ClosableHead) Generation() uint32 { return uint32(h.word.Load() >> headGenShift) }

// Reset opens generation gen, empty, whatever there was. No other call may overlap it.
func (h *ClosableHead) Reset(gen uint32) { h.word.Store(uint64(gen) << headGenShift) }

// Links returns an iterator over a list that Close or Next returned, in the order of
// registration; next tells where the word of an element lies. It turns the words round on the
// way, so it runs once. An element is the loop's when it is yielded: it may be put into
// another list at once. A loop that ends early keeps the rest by the word of the last element that
// was yielded, which leads to the next in the order of registration; if the element is put elsewhere, read
// it before.
func Links(list uint32, next func(link uint32) *uint32) iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		var oldest uint32
		for list != 0 {
			p := next(list)
			list, *p, oldest = *p, oldest, list
		}
		for oldest != 0 {
			link := oldest
			oldest = *next(link)
			if !yield(link) {
				return
			}
		}
	}
}
