package lockfree

import (
	"iter"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/cacheline"
)

// dequeMinSlots is the length of a Deque's first buffer, a power of two.
const dequeMinSlots = 32

// raid is the bit of top that says that a StealN may be about to take more elements.
const raid = 1 << 63

// A Deque is an unbounded work-stealing deque of indices. Its owner pushes and pops at the
// bottom (last in, first out); any number of thieves steal from the top (first in, first out).
//
// The zero Deque is empty and ready. It must not be copied after first use.
//
// # Concurrency
//
// Push, PushAll, Pop, Newest, All and Drain are for the owner; ownership may move if the old
// owner's last call happens before the new owner's first. Steal, StealN, Len and Empty may be
// called by any goroutine. A Push of v synchronizes before the return of the Pop, Steal or StealN
// that delivers v.
//
// # Progress
//
// Push, PushAll, Pop, Newest, one Steal and one StealN are wait-free. A loop that repeats a steal
// on StealRetry is lock-free: each retry means that another call took an element. Nobody waits for
// a StealN that is held up: whoever takes an element that it is about to take leaves it with the
// one that it has.
//
// # Cost
//
// O(1) an element, amortised for pushes, which double a full buffer. A buffer never shrinks: a
// Deque keeps 8 bytes for each element of its largest population, rounded up to a power of two.
// BenchmarkDeque measures the uncontended cases.
//
// # Linearizability
//
// Every call is linearizable but a Steal or StealN that returns StealRetry, which does nothing and
// happens only if another call takes an element inside it. A StealN counts as a Steal of each
// element that it took, in their order.
type Deque[T ~uint32 | ~uint64 | ~uintptr] struct {
	// Chase and Lev, "Dynamic Circular Work-Stealing Deque", SPAA 2005.
	//
	//	     top               bottom
	//	[   ][ a ][ b ][ c ][   ]       live = [top, bottom)
	//
	//	D1 the position in top never decreases, and each increase takes the elements from the old
	//	   one up to the new one.
	//	D2 top <= bottom, except inside a Pop, where bottom may be top-1.
	//	D3 topSeen <= top, so that bottom-topSeen bounds the population from above.
	//	D4 a buffer that was replaced is never written or used again.
	//	D7 the raid bit of top is set only by the swap that brings top to its position: once it
	//	   is clear, it stays so until top moves.
	//
	// Positions are compared by their difference, so that they may wrap; a position in top lacks
	// the raid bit, so the highest bit of a difference is ignored. Element p is in slot p mod len.
	// Slots are atomic since a thief reads one before it knows whether the element is its own; they
	// hold no pointers, so popped slots need not be cleared.
	//
	// Departures from the paper: positions are unsigned and wrap; buffers do not shrink; a Pop that
	// sees one element or none does not touch bottom; the owner has a private view of the buffer
	// and of top, so that Push reads nothing that thieves write; and a thief may take many elements
	// by one swap, see StealN. That the first swap of such a thief announces the second, by a bit
	// that its victim reads in any case, is this type's own. The steps D8 to D15 and the argument
	// are in deque.md.

	_   cacheline.Pad
	top atomics.Uint64 // written by whoever takes the oldest element
	_   cacheline.Pad

	bottom  atomics.Uint64                    // written by the owner
	buffer  atomics.Pointer[[]atomics.Uint64] // written by the owner, read by thieves
	slots   []atomics.Uint64                  // the owner's copy of *buffer
	topSeen uint64                            // the owner's last look at top
	_       cacheline.Pad
}

// Push adds v at the bottom. Only the owner may call it.
func (d *Deque[T]) Push(v T) {
	b := d.bottom.Load()
	if b-d.topSeen >= uint64(len(d.slots)) {
		d.makeRoom(b, 1)
	}
	d.slots[b&uint64(len(d.slots)-1)].Store(uint64(v))
	d.bottom.Store(b + 1) // LP(Push)
}

// PushAll adds the elements of vs at the bottom in one step, in order, so that the last will
// be popped first. Only the owner may call it.
func (d *Deque[T]) PushAll(vs []T) {
	b, n := d.bottom.Load(), uint64(len(vs))
	if b-d.topSeen+n > uint64(len(d.slots)) {
		d.makeRoom(b, n)
	}
	for i, v := range vs {
		d.slots[(b+uint64(i))&uint64(len(d.slots)-1)].Store(uint64(v))
	}
	d.bottom.Store(b + n) // LP(PushAll)
}

// makeRoom reads top again and, if the buffer still has no room for n more, replaces it by one of
// at least twice the length.
func (d *Deque[T]) makeRoom(b, n uint64) {
	t := b - uint64(ahead(b, d.top.Load()))
	d.topSeen = t
	old := d.slots
	size := uint64(len(old))
	if size >= b-t+n {
		return
	}
	for size = max(size, dequeMinSlots); size < b-t+n; {
		size *= 2
	}
	slots := make([]atomics.Uint64, size)
	mask := size - 1
	for p := t; p != b; p++ {
		slots[p&mask].Store(old[p&uint64(len(old)-1)].Load())
	}
	d.slots = slots
	d.buffer.Store(&slots)
}

// ahead returns how far the position b is ahead of t, the position in top.
func ahead(b, t uint64) int64 { return int64((b-t)<<1) >> 1 }

// past returns what top becomes when n elements are taken at t.
func past(t, n uint64) uint64 { return (t + n) &^ raid }

// Pop removes the element that was pushed last; ok is false if there is none. Only the owner
// may call it.
func (d *Deque[T]) Pop() (v T, ok bool) {
	b := d.bottom.Load()
	t := d.top.Load() // LP(Pop, empty) if that is bottom
	switch ahead(b, t) {
	case 0:
		return 0, false
	case 1:
		// D13. The last element: take it as a thief does, bottom is right already.
		v = T(d.slots[t&uint64(len(d.slots)-1)].Load())
		if d.top.CompareAndSwap(t, past(t, 1)) { // LP(Pop, last)
			return v, true
		}
		return 0, false
	}
	b--
	d.bottom.Store(b) // LP(Pop) if the element is still there when top is read
	t = d.top.Load()
	if n := ahead(b, t); n > 0 && (t&raid == 0 || n >= raidMost) {
		return T(d.slots[b&uint64(len(d.slots)-1)].Load()), true
	}
	return d.popSlow(b, t)
}

// popSlow ends a Pop that lowered bottom to b and then read top as t. Either a raid that has seen
// element b may be under way (D14), or thieves have brought top to b, so that the owner races with
// them for the last element, or beyond b, so that none is left (D15).
func (d *Deque[T]) popSlow(b, t uint64) (v T, ok bool) {
	n := ahead(b, t)
	if t&raid != 0 && n > 0 && n < raidMost && !d.top.CompareAndSwap(t, t&^raid) {
		// Top has moved, so that raid is over; any other raid has seen the new bottom.
		t = d.top.Load()
		n = ahead(b, t)
	}
	if n > 0 {
		return T(d.slots[b&uint64(len(d.slots)-1)].Load()), true
	}
	if n == 0 {
		v = T(d.slots[b&uint64(len(d.slots)-1)].Load())
		ok = d.top.CompareAndSwap(t, past(t, 1))
	}
	d.bottom.Store(b + 1)
	if !ok {
		return 0, false
	}
	return v, true
}

// Newest returns the element that Pop would take, and leaves it there, where a thief may take it at
// any time; ok is false if there is none. Only the owner may call it.
func (d *Deque[T]) Newest() (v T, ok bool) {
	b := d.bottom.Load()
	if ahead(b, d.top.Load()) <= 0 { // LP(Newest)
		return 0, false
	}
	return T(d.slots[(b-1)&uint64(len(d.slots)-1)].Load()), true
}

// All returns an iterator over the elements, the newest first, which leaves them in the Deque: each
// was there when the loop began, and thieves may take it at any time. Only the owner may run it,
// and must not change the Deque meanwhile.
func (d *Deque[T]) All() iter.Seq[T] {
	return func(yield func(T) bool) {
		b := d.bottom.Load()
		for n := ahead(b, d.top.Load()); n > 0; n-- {
			b--
			if !yield(T(d.slots[b&uint64(len(d.slots)-1)].Load())) {
				return
			}
		}
	}
}

// Drain returns an iterator that pops elements until there are none or the loop ends; what it
// did not get to stays. Only the owner may run it.
func (d *Deque[T]) Drain() iter.Seq[T] { return drain(d.Pop) }

// Steal removes the oldest element. Any goroutine may call it.
func (d *Deque[T]) Steal() (v T, r StealResult) {
	// D8 to D11. The order is essential: top, bottom, buffer, slot.
	t := d.top.Load()
	b := d.bottom.Load()
	if ahead(b, t) <= 0 {
		return 0, StealEmpty
	}
	slots := *d.buffer.Load()
	v = T(slots[t&uint64(len(slots)-1)].Load())
	if !d.top.CompareAndSwap(t, past(t, 1)) { // LP(Steal)
		return 0, StealRetry
	}
	return v, StealOK
}

// StealN removes the oldest elements, about half of them and at least one if there is any, but no
// more than 64 and no more than buf has room for. It writes them to buf in their order, and returns
// how many. It takes them all by two compare-and-swaps. Any goroutine may call it; buf must have
// room for one.
func (d *Deque[T]) StealN(buf []T) (n int, r StealResult) {
	// As in Steal: D8 to D11.
	t := d.top.Load()
	b := d.bottom.Load()
	there := ahead(b, t)
	if there <= 0 {
		return 0, StealEmpty
	}
	slots := *d.buffer.Load()
	buf[0] = T(slots[t&uint64(len(slots)-1)].Load())
	after := past(t, 1)
	if there > 2 && len(buf) > 1 {
		after |= raid
	}
	if !d.top.CompareAndSwap(t, after) { // LP(StealN, first)
		return 0, StealRetry
	}
	if after&raid == 0 {
		return 1, StealOK
	}
	return 1 + d.stealMore(after, buf[1:]), StealOK
}

// stealMore takes half of the elements (D12), after the first swap of a StealN has brought top to
// t.
func (d *Deque[T]) stealMore(t uint64, buf []T) int {
	// The order is essential: bottom, which must be read after the swap, then buffer, then slots.
	n := min(ahead(d.bottom.Load(), t)/2, int64(len(buf)), raidMost)
	if n <= 0 {
		return 0
	}
	slots := *d.buffer.Load()
	for i := range n {
		buf[i] = T(slots[(t+uint64(i))&uint64(len(slots)-1)].Load())
	}
	if !d.top.CompareAndSwap(t, past(t, uint64(n))) { // LP(StealN, others)
		return 0
	}
	return int(n)
}

// Len returns the number of elements: for the owner at some moment inside the call, for others at
// most those at its beginning and what is pushed inside it.
func (d *Deque[T]) Len() int {
	t := d.top.Load()
	return int(max(ahead(d.bottom.Load(), t), 0))
}

// Empty reports whether there was no element at some past moment.
func (d *Deque[T]) Empty() bool { return d.Len() == 0 }
