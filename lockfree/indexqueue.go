package lockfree

import (
	"iter"
	"math"

	"github.com/heddle-go/heddle/internal/atomics"
)

const (
	indexFirstShift = 4       // an IndexQueue's first ring has 1<<4 slots
	indexMaxSlots   = 1 << 26 // rings double up to this length
)

// An IndexQueue is an unbounded queue of 32-bit numbers, first in, first out, for any number of
// producers and consumers: a Queue for indices of things stored elsewhere. It reuses its memory.
//
// The zero IndexQueue is empty and ready. It must not be copied after first use.
//
// # Concurrency
//
// Every method may be called by any goroutine. A Push of v synchronizes before the return of
// the Pop that delivers v. Two Pops are not ordered by one another.
//
// # Progress
//
// Lock-free: a call repeats itself only if another one took effect.
//
// # Cost
//
// O(1), 8 bytes a place. Places form a ring that is used round and round. Only a Push that finds
// the ring full allocates: a new ring, twice as long; the old one is left to the collector when it
// is empty. So an IndexQueue that has twice reached its largest population, of up to 2^26,
// allocates nothing any more, and keeps a ring of at most twice that. BenchmarkIndexQueue measures
// it.
//
// # Linearizability
//
// Every method but Len and LenUpTo is linearizable, Empty and a Pop that finds nothing among
// them, PopN as a sequence of Pops and PushAll of Pushes. That holds as long as no call stands
// still while exactly a multiple of 2^31 laps of its ring pass.
type IndexQueue[T ~uint32] struct {
	rings indexRings
}

// Push adds v at the end.
func (q *IndexQueue[T]) Push(v T) { q.rings.push(uint32(v)) }

// PushAll adds the values of vs at the end, in order. It is a Push of each.
func (q *IndexQueue[T]) PushAll(vs []T) {
	for _, v := range vs {
		q.rings.push(uint32(v))
	}
}

// Pop removes the oldest value; ok is false if there is none.
func (q *IndexQueue[T]) Pop() (v T, ok bool) {
	w, ok := q.rings.pop()
	return T(w), ok
}

// PopN removes the oldest values into buf until that is full or the IndexQueue is empty, and
// returns how many. It is linearizable as a Pop for each up to the first that finds nothing; it
// takes in one step what it sees.
func (q *IndexQueue[T]) PopN(buf []T) (n int) {
	for n < len(buf) {
		r := q.rings.head.Load()
		if r == nil {
			return n
		}
		if k := popSome(r, buf[n:]); k > 0 {
			n += k
			continue
		}
		v, ok := q.rings.pop() // handles the end of a ring
		if !ok {
			return n
		}
		buf[n] = T(v)
		n++
	}
	return n
}

// Drain returns an iterator that pops values until there are none or the loop ends; what it did
// not get to stays.
func (q *IndexQueue[T]) Drain() iter.Seq[T] { return drain(q.Pop) }

// Len returns the number of values at some past moment; it may count those whose Push or Pop is
// under way.
func (q *IndexQueue[T]) Len() int { return q.LenUpTo(math.MaxInt) }

// LenUpTo is Len, or most if that is less. It looks no further than it has to.
func (q *IndexQueue[T]) LenUpTo(most int) (n int) {
	for r := q.rings.head.Load(); r != nil && n < most; r = r.next.Load() {
		n += r.population(most - n)
	}
	return n
}

// Empty reports whether there was no value at some moment inside the call, or that there was one.
func (q *IndexQueue[T]) Empty() bool { return q.rings.isEmpty() }

// indexRings is the list of the rings of an IndexQueue.
type indexRings struct {
	// head            tail
	//   |               |
	// [ xxx] -> [xxxx] -> [xx  ] -> nil     all but the last are closed
	//
	//	J1 next of a ring is set once, after it was closed.
	//	J2 head leaves a ring only after the ring was closed and emptied.
	//	J3 tail may lag behind the last ring; whoever reaches the end moves it on.

	head atomics.Pointer[indexRing]
	tail atomics.Pointer[indexRing]
}

func (q *indexRings) push(v uint32) {
	for {
		r := q.tail.Load()
		if r != nil && r.push(v) == ringDone || q.pushSlow(r, v) {
			return
		}
	}
}

// pushSlow is push where r is closed (I8), or nil if there is no ring yet. It reports whether it
// pushed v.
func (q *indexRings) pushSlow(r *indexRing, v uint32) bool {
	if r == nil {
		// While tail is nil nobody can push, so head is nil or the first ring.
		q.head.CompareAndSwap(nil, newIndexRing(indexFirstShift, indexMaxSlots))
		q.tail.CompareAndSwap(nil, q.head.Load())
		return false
	}
	next := r.next.Load()
	if next == nil {
		shift := r.shift
		if len(r.slots) < r.limit {
			shift++
		}
		next = newIndexRing(shift, r.limit)
		next.slots[0].Store(indexLap | uint64(v))
		next.tail.Store(1)
		if r.next.CompareAndSwap(nil, next) { // LP(Push, new ring)
			q.tail.CompareAndSwap(r, next)
			return true
		}
		next = r.next.Load()
	}
	q.tail.CompareAndSwap(r, next)
	return false
}

func (q *indexRings) pop() (uint32, bool) {
	r := q.head.Load()
	for r != nil {
		v, what := r.pop()
		if what != ringClosed {
			return v, what == ringDone
		}
		next := r.next.Load() // LP(Pop, empty) if nil
		if next != nil {
			q.head.CompareAndSwap(r, next)
		}
		r = next
	}
	return 0, false
}

func (q *indexRings) isEmpty() bool {
	for r := q.head.Load(); r != nil; r = r.next.Load() {
		if what := r.look(); what != ringClosed {
			return what == ringEmpty
		}
	}
	return true
}
