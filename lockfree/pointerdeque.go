package lockfree

import (
	"iter"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/cacheline"
)

// A PointerDeque is a Deque of pointers: an unbounded work-stealing deque whose owner pushes
// and pops at the bottom (last in, first out), while any number of thieves steal from the top
// (first in, first out). A Deque of indices is faster; the collector never looks into it.
//
// The zero PointerDeque is empty and ready. It must not be copied after first use. A nil
// pointer is an element like any other.
//
// # Concurrency
//
// Push, PushAll, Pop and Drain are for the owner; ownership may move if the old owner's last
// call happens before the new owner's first. Steal, Len and Empty may be called by any
// goroutine. A Push of p synchronizes before the return of the Pop or Steal that delivers p.
//
// # Progress
//
// Push, PushAll, Pop and one Steal are wait-free. A loop that repeats Steal on StealRetry is
// lock-free: each retry means that another call took an element.
//
// # Cost
//
// O(1) an element, amortised for pushes, which double a full buffer, and for Pop, which clears
// the slots of what was stolen. A buffer never shrinks: a PointerDeque keeps a pointer's
// size for each element of its largest population, rounded up to a power of two. What was
// popped is not kept alive. What was stolen is kept alive at most until the owner's next
// Pop, or until pushes have gone around the buffer. BenchmarkPointerDeque measures it.
//
// # Linearizability
//
// Every call is linearizable but a Steal that returns StealRetry, which does nothing and
// happens only if another call takes an element inside it.
type PointerDeque[T any] struct {
	// The protocol is that of Deque, whose D1 to D4 hold here too; pointerdeque.md says what is
	// different.
	//
	//	   topSeen   top               bottom
	//	[   ][ x ][ x ][ a ][ b ][ c ][   ]       x stolen, not cleared yet
	//
	//	D5 slots are written by the owner alone.
	//	D6 the slots of all positions outside [topSeen, bottom) are nil, except inside the
	//	   owner's calls.
	//
	// A thief must not clear the slot that it stole from: the owner may have reused it for a later
	// position, perhaps for the same pointer, so that not even a compare-and-swap could tell. So
	// the owner clears all slots that were stolen since it last read top, each position once.

	_   cacheline.Pad
	top atomics.Uint64 // written by whoever takes the oldest element
	_   cacheline.Pad

	bottom  atomics.Uint64                        // written by the owner
	buffer  atomics.Pointer[[]atomics.Pointer[T]] // written by the owner, read by thieves
	slots   []atomics.Pointer[T]                  // the owner's copy of *buffer
	topSeen uint64                                // the owner's last look at top
	_       cacheline.Pad
}

// Push adds p at the bottom. Only the owner may call it.
func (d *PointerDeque[T]) Push(p *T) {
	b := d.bottom.Load()
	if b-d.topSeen >= uint64(len(d.slots)) {
		d.makeRoom(b, 1)
	}
	d.slots[b&uint64(len(d.slots)-1)].Store(p)
	d.bottom.Store(b + 1) // LP(Push)
}

// PushAll adds the elements of ps at the bottom in one step, in order, so that the last will
// be popped first. Only the owner may call it.
func (d *PointerDeque[T]) PushAll(ps []*T) {
	b, n := d.bottom.Load(), uint64(len(ps))
	if b-d.topSeen+n > uint64(len(d.slots)) {
		d.makeRoom(b, n)
	}
	for i, p := range ps {
		d.slots[(b+uint64(i))&uint64(len(d.slots)-1)].Store(p)
	}
	d.bottom.Store(b + n) // LP(PushAll)
}

// makeRoom clears stolen slots and, if the buffer still has no room for n more, replaces it by one
// of at least twice the length.
func (d *PointerDeque[T]) makeRoom(b, n uint64) {
	t := d.top.Load()
	old := d.slots
	size := uint64(len(old))
	if size >= b-t+n {
		d.clearStolen(t)
		return
	}
	for size = max(size, dequeMinSlots); size < b-t+n; {
		size *= 2
	}
	slots := make([]atomics.Pointer[T], size)
	mask := size - 1
	for p := t; p != b; p++ {
		slots[p&mask].Store(old[p&uint64(len(old)-1)].Load())
	}
	d.topSeen = t
	d.slots = slots
	d.buffer.Store(&slots)
}

// clearStolen clears the slots that were stolen before top reached t.
func (d *PointerDeque[T]) clearStolen(t uint64) {
	mask := uint64(len(d.slots) - 1)
	for p := d.topSeen; p != t; p++ {
		d.slots[p&mask].Store(nil)
	}
	d.topSeen = t
}

// Pop removes the element that was pushed last; ok is false if there is none. Only the owner
// may call it.
func (d *PointerDeque[T]) Pop() (p *T, ok bool) {
	b := d.bottom.Load()
	t := d.top.Load() // LP(Pop, empty) if t == b
	if t != d.topSeen {
		d.clearStolen(t)
	}
	if b-t <= 1 {
		if b == t {
			return nil, false
		}
		return d.popLast(t)
	}
	b--
	d.bottom.Store(b) // LP(Pop) if the next load sees t < b
	t = d.top.Load()
	if int64(b-t) > 0 {
		slot := &d.slots[b&uint64(len(d.slots)-1)]
		p = slot.Load()
		slot.Store(nil)
		return p, true
	}
	return d.popRace(b, t)
}

// popRace ends a Pop that lowered bottom to b and then found that thieves had brought top to b, so
// that the owner races with them for the last element, or beyond b, so that none is left.
func (d *PointerDeque[T]) popRace(b, t uint64) (p *T, ok bool) {
	if t == b {
		p, ok = d.popLast(t)
	} else {
		d.clearStolen(t)
	}
	d.bottom.Store(b + 1)
	return p, ok
}

// popLast takes the last element, at position t, as a thief does.
func (d *PointerDeque[T]) popLast(t uint64) (p *T, ok bool) {
	p = d.slots[t&uint64(len(d.slots)-1)].Load()
	ok = d.top.CompareAndSwap(t, t+1) // LP(Pop, last)
	d.clearStolen(t + 1)              // by now, whoever took it
	if !ok {
		return nil, false
	}
	return p, true
}

// Drain returns an iterator that pops elements until there are none or the loop ends; what it
// did not get to stays. Only the owner may run it.
func (d *PointerDeque[T]) Drain() iter.Seq[*T] { return drain(d.Pop) }

// Steal removes the oldest element. Any goroutine may call it.
func (d *PointerDeque[T]) Steal() (p *T, r StealResult) {
	// D8 to D11. The order is essential: top, bottom, buffer, slot.
	t := d.top.Load()
	b := d.bottom.Load()
	if int64(b-t) <= 0 {
		return nil, StealEmpty
	}
	slots := *d.buffer.Load()
	p = slots[t&uint64(len(slots)-1)].Load()
	if !d.top.CompareAndSwap(t, t+1) { // LP(Steal)
		return nil, StealRetry
	}
	return p, StealOK
}

// Len returns the number of elements: for the owner at some moment inside the call, for others at
// most those at its beginning and what is pushed inside it.
func (d *PointerDeque[T]) Len() int {
	t := d.top.Load()
	return int(max(int64(d.bottom.Load()-t), 0))
}

// Empty reports whether there was no element at some past moment.
func (d *PointerDeque[T]) Empty() bool { return d.Len() == 0 }
