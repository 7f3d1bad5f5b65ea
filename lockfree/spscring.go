package lockfree

import (
	"fmt"
	"iter"
	"math/bits"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/cacheline"
)

// An SPSCRing is a bounded queue, first in, first out, for one producer and one consumer.
//
// Make one with NewSPSCRing. It must not be copied.
//
// # Concurrency
//
// TryPush and TryPushN are for the producer, TryPop, TryPopN and Drain for the consumer, which
// may be the same goroutine. Either role may move if the last call of the old holder happens
// before the first of the new one. Len, Cap and Empty may be called by any goroutine. A
// TryPush of v synchronizes before the return of the TryPop that delivers v; a TryPop
// synchronizes before the return of the TryPush that uses its place next.
//
// # Progress
//
// Wait-free; Len is lock-free.
//
// # Cost
//
// O(1). NewSPSCRing allocates the values at once, their number rounded up to a power of two;
// nothing else is ever allocated. Popped values are cleared. TryPushN and TryPopN write one
// shared word for all that they move. BenchmarkSPSCRing measures it.
//
// # Linearizability
//
// TryPush and TryPop are linearizable, also where they return false. TryPushN and TryPopN are
// so as a sequence of single calls, see there.
type SPSCRing[T any] struct {
	// Lamport, "Proving the Correctness of Multiprocess Programs", IEEE TSE 3(2), 1977; each
	// side keeps its last look at the other's position, after Lee, Bu and Chandranmenon,
	// "A Lock-Free, Cache-Efficient Multi-Core Synchronization Mechanism", 2009.
	//
	//	     head              tail
	//	[   ][ a ][ b ][ c ][   ]       live = [head, tail)
	//
	//	L1 head <= tail <= head + capacity; neither ever decreases.
	//	L2 tail is written by the producer alone, head by the consumer alone.
	//	L3 headSeen <= head and tailSeen <= tail.
	//	L4 places inside [head, tail) belong to the consumer, all others to the producer.
	//
	// Positions are compared by their difference, so that they may wrap. The argument is in
	// spscring.md.

	_        cacheline.Pad
	tail     atomics.Uint64
	headSeen uint64 // the producer's last look at head
	ahead    cacheline.Courtesy
	_        cacheline.Pad
	head     atomics.Uint64
	tailSeen uint64 // the consumer's last look at tail
	behind   cacheline.Courtesy
	_        cacheline.Pad
	slots    []T // their number is a power of two, at least capacity
	capacity uint64
}

// NewSPSCRing returns an empty SPSCRing for exactly capacity values. It panics if capacity is
// not from 1 to 2^30.
func NewSPSCRing[T any](capacity int) *SPSCRing[T] {
	if capacity < 1 || capacity > maxRing {
		panic(fmt.Sprintf("lockfree: SPSCRing of capacity %d, not 1 to 2^30", capacity))
	}
	return &SPSCRing[T]{slots: make([]T, 1<<bits.Len(uint(capacity-1))), capacity: uint64(capacity)}
}

// TryPush adds v at the end and reports true, or reports false if the SPSCRing is full. Only
// the producer may call it.
func (r *SPSCRing[T]) TryPush(v T) bool {
	t := r.tail.Load()
	if t-r.headSeen >= r.capacity && r.room(t) == 0 {
		return false
	}
	r.slots[t&uint64(len(r.slots)-1)] = v
	r.tail.Store(t + 1) // LP(TryPush)
	return true
}

// TryPop removes the oldest value; ok is false if there is none. Only the consumer may call it.
func (r *SPSCRing[T]) TryPop() (v T, ok bool) {
	h := r.head.Load()
	if h == r.tailSeen && r.there(h) == 0 {
		return v, false
	}
	p := &r.slots[h&uint64(len(r.slots)-1)]
	var zero T
	v, *p = *p, zero
	r.head.Store(h + 1) // LP(TryPop)
	return v, true
}

// room reads head again, and returns how many values fit behind position t.
func (r *SPSCRing[T]) room(t uint64) uint64 {
	paused := courtesy > 0 && r.ahead.Due()
	if paused {
		atomics.Pause(courtesy)
	}
	r.headSeen = r.head.Load() // LP(TryPush, full) if there is no room
	n := r.capacity - (t - r.headSeen)
	if paused {
		r.ahead.Learn(n >= paid, rarely)
	}
	return n
}

// there reads tail again, and returns how many values there are from position h on.
func (r *SPSCRing[T]) there(h uint64) uint64 {
	paused := courtesy > 0 && r.behind.Due()
	if paused {
		atomics.Pause(courtesy)
	}
	r.tailSeen = r.tail.Load() // LP(TryPop, empty) if there is none
	n := r.tailSeen - h
	if paused {
		r.behind.Learn(n >= paid, rarely)
	}
	return n
}

// TryPushN adds values of vs, in order, until the SPSCRing is full, and returns how many. It
// is linearizable as a TryPush for each value up to the first that returns false. Only the
// producer may call it.
func (r *SPSCRing[T]) TryPushN(vs []T) (n int) {
	for n < len(vs) {
		t := r.tail.Load()
		k := r.capacity - (t - r.headSeen)
		if k < uint64(len(vs)-n) {
			if k = r.room(t); k == 0 {
				return n
			}
		}
		k = min(k, uint64(len(vs)-n))
		at := int(t & uint64(len(r.slots)-1))
		first := copy(r.slots[at:], vs[n:n+int(k)])
		copy(r.slots, vs[n+first:n+int(k)])
		r.tail.Store(t + k) // LP(TryPush), k times
		n += int(k)
	}
	return n
}

// TryPopN removes the oldest values into buf until that is full or the SPSCRing is empty, and
// returns how many. It is linearizable as a TryPop for each up to the first that returns false.
// Only the consumer may call it.
func (r *SPSCRing[T]) TryPopN(buf []T) (n int) {
	for n < len(buf) {
		h := r.head.Load()
		k := r.tailSeen - h
		if k < uint64(len(buf)-n) {
			if k = r.there(h); k == 0 {
				return n
			}
		}
		k = min(k, uint64(len(buf)-n))
		at := int(h & uint64(len(r.slots)-1))
		first := copy(buf[n:n+int(k)], r.slots[at:])
		copy(buf[n+first:n+int(k)], r.slots)
		clear(r.slots[at : at+first])
		clear(r.slots[:int(k)-first])
		r.head.Store(h + k) // LP(TryPop), k times
		n += int(k)
	}
	return n
}

// Drain returns an iterator that pops values until there are none or the loop ends; what it did
// not get to stays. Only the consumer may run it.
func (r *SPSCRing[T]) Drain() iter.Seq[T] { return drain(r.TryPop) }

// Len returns the number of values at some past moment. It retries whenever a TryPop interferes.
func (r *SPSCRing[T]) Len() int {
	for h := r.head.Load(); ; {
		t, now := r.tail.Load(), r.head.Load()
		if now == h { // so it was when tail was read
			return int(t - h)
		}
		h = now
	}
}

// Cap returns the capacity.
func (r *SPSCRing[T]) Cap() int { return int(r.capacity) }

// Empty reports whether there was no value at some past moment.
func (r *SPSCRing[T]) Empty() bool {
	h := r.head.Load()
	return r.tail.Load() == h
}
