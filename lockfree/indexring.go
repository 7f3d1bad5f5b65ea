package lockfree

import (
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/cacheline"
)

// An indexRing is a ring of an IndexQueue: a bounded queue of numbers that can be closed once it is
// full.
type indexRing struct {
	// After Shann, Huang and Chen, "A Practical Nonblocking Queue Algorithm Using
	// Compare-and-Swap", ICPADS 2000, in whose array one swap puts a value into a slot and a second
	// one, by anybody, moves tail on. A list of rings, of which the last takes pushes, is LSCQ:
	// Nikolaev, "A Scalable, Portable, and Memory-Efficient Lock-Free FIFO Queue", DISC 2019.
	//
	//	 63    33  32      31    0
	//	[ lap    |closed | value  ]      a slot; lap: of the last position filled
	//
	//	I1 the slot of position p goes from the lap before to the lap of p once, by the pusher
	//	   of p, and only after head has passed the position one lap before. p is filled then.
	//	I2 positions are filled in their order. Neither tail nor head ever passes one that is not
	//	   filled; neither ever decreases.
	//	I3 headSeen <= head.
	//	I4 a closed slot is never filled again: its next position stays the end of the ring.
	//
	// So each popper moves head past filled positions only, whose slots it has read: the swap of
	// head takes the value, and the slot is unchanged until it is filled again. And if the slot at
	// head is not filled for that position, the ring is empty. The steps I5 to I10 and the argument
	// are in indexqueue.md.

	head atomics.Uint64 // the next position to pop from
	_    cacheline.Pad

	tail     atomics.Uint64 // the next position to push to, or one before that, filled already
	headSeen atomics.Uint64 // a position that head has reached
	_        cacheline.Pad

	next  atomics.Pointer[indexRing] // set once, after the ring was closed
	slots []atomics.Uint64           // a power of two
	shift uint8                      // of a position, to the number of its lap
	limit int                        // length at which rings stop growing
}

const (
	indexClosed = 1 << 32
	indexLap    = 1 << 33 // one lap, in a slot
	indexTurn   = ^uint64(indexLap - 1)
)

// What became of a call of a ring.
type ringResult uint8

const (
	ringDone   ringResult = iota
	ringEmpty             // and not closed
	ringClosed            // for pushers; for poppers it is also empty, and stays so
)

// newIndexRing returns a ring of 1<<shift slots.
func newIndexRing(shift uint8, limit int) *indexRing {
	return &indexRing{slots: make([]atomics.Uint64, 1<<shift), shift: shift, limit: limit}
}

// slot returns the slot of position p.
func (r *indexRing) slot(p uint64) *atomics.Uint64 { return &r.slots[p&uint64(len(r.slots)-1)] }

// lap returns the lap of position p, as in a slot. The first is 1: that of a fresh slot is 0.
func (r *indexRing) lap(p uint64) uint64 { return (p>>r.shift + 1) * indexLap }

// ahead returns how far a slot is from the lap of position p: less than indexLap if it has been
// filled for p, at least indexTurn if it is p's turn, and anything else if p is out of date.
func (r *indexRing) ahead(slot, p uint64) uint64 { return slot - r.lap(p) }

// push adds v, or closes the ring if it is full: I5 to I7.
func (r *indexRing) push(v uint32) ringResult {
	for {
		t := r.tail.Load()
		slot := r.slot(t)
		e := slot.Load()
		switch d := r.ahead(e, t); {
		case d < indexLap:
			r.tail.CompareAndSwap(t, t+1) // its pusher has not done this yet
			continue
		case d < indexTurn:
			continue
		}
		if e&indexClosed != 0 {
			return ringClosed
		}
		if r.isFull(t) {
			if slot.CompareAndSwap(e, e|indexClosed) {
				return ringClosed
			}
			continue
		}
		if slot.CompareAndSwap(e, r.lap(t)|uint64(v)) { // LP(Push)
			r.tail.CompareAndSwap(t, t+1)
			return ringDone
		}
		lost()
	}
}

// isFull reports whether the value one lap before position t has not been taken yet (I6).
func (r *indexRing) isFull(t uint64) bool {
	// By difference: t may be out of date, and head beyond it.
	if int64(t-r.headSeen.Load()) < int64(len(r.slots)) {
		return false
	}
	h := r.head.Load()
	r.headSeen.Store(h)
	return int64(t-h) >= int64(len(r.slots))
}

// pop takes the oldest value: I9, I10.
func (r *indexRing) pop() (v uint32, what ringResult) {
	for {
		h := r.head.Load()
		e := r.slot(h).Load() // LP(Pop, empty) if it is the turn of h
		switch d := r.ahead(e, h); {
		case d < indexLap:
			if r.head.CompareAndSwap(h, h+1) { // LP(Pop)
				return uint32(e), ringDone
			}
			lost()
		case d < indexTurn:
		case e&indexClosed != 0:
			return 0, ringClosed
		default:
			return 0, ringEmpty
		}
	}
}

// popSome takes the oldest values, as many as are there and buf has room for, in one step.
func popSome[T ~uint32](r *indexRing, buf []T) int {
	for {
		h := r.head.Load()
		n := 0
		for n < len(buf) {
			e := r.slot(h + uint64(n)).Load()
			if r.ahead(e, h+uint64(n)) >= indexLap {
				break
			}
			buf[n] = T(e)
			n++
		}
		if n == 0 || r.head.CompareAndSwap(h, h+uint64(n)) { // LP(Pop), n times
			return n
		}
		lost()
	}
}

// look says what a pop would find.
func (r *indexRing) look() ringResult {
	for {
		h := r.head.Load()
		e := r.slot(h).Load()
		switch d := r.ahead(e, h); {
		case d < indexLap:
			return ringDone
		case d < indexTurn:
		case e&indexClosed != 0:
			return ringClosed
		default:
			return ringEmpty
		}
	}
}

// population returns the number of values at some past moment, or most if there are at least that
// many. It does not read tail, whose cache line belongs to the pushers.
func (r *indexRing) population(most int) int {
	h := r.head.Load()
	// Positions are filled in their order. Stop at the end, since pushers write beyond it.
	n, end := 0, min(most, len(r.slots))
	for step := 1; n < end; {
		at := min(n+step, end)
		p := h + uint64(at-1)
		if r.ahead(r.slot(p).Load(), p) < indexTurn { // filled for p or later
			n, step = at, 2*step
			continue
		}
		end, step = at-1, max(step/2, 1)
	}
	return n
}
