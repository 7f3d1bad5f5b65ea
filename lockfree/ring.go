package lockfree

import (
	"fmt"
	"iter"
	"math/bits"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/cacheline"
)

// A Ring is a bounded queue, first in, first out, for any number of producers and consumers.
//
// Make one with NewRing; the zero Ring panics. It must not be copied.
//
// # Concurrency
//
// Every method may be called by any goroutine. A TryPush of v that returns true synchronizes
// before the return of the TryPop that delivers v. The TryPop that empties a place
// synchronizes before the return of the TryPush that fills it next.
//
// # Progress
//
// Blocking. A call never waits for room or for a value, but a TryPop waits for the TryPush
// that has claimed the oldest place and not filled it yet, and a TryPush for the TryPop that
// has claimed the place it needs and not emptied it yet: it pauses, then it yields. Apart from
// that it repeats itself only if another call took effect. Len is lock-free, Empty wait-free.
//
// # Cost
//
// O(1). NewRing allocates the places at once, each of them 8 bytes and the size of a value, rounded
// up to 8; nothing else is ever allocated. Popped places are cleared. A call that has just caught
// up with the other side pauses for a moment, once, before it says full or empty. BenchmarkRing
// measures it.
//
// # Linearizability
//
// TryPush and TryPop are linearizable, also where they return false: at some moment inside the
// call the Ring was full or empty. They never report a lost race as that. TryPushN and TryPopN
// are so as a sequence of single calls, see there.
type Ring[T any] struct {
	// Vyukov, "Bounded MPMC Queue", 1024cores.net, 2010.
	//
	//	 63       bits bits-1   0
	//	[ lap         | place    ]      a position; the position after the last place of a
	//	                                lap is the first place of the next
	//
	//	R1 head <= tail <= head + one lap; neither ever decreases.
	//	R2 a position is claimed by one pusher, who moves tail past it, and later by one
	//	   popper, who moves head past it.
	//	R3 the stamp of a place goes p -> p+1 by the pusher of position p, when the value is
	//	   there, and p+1 -> p+lap by its popper, when it is gone.
	//	R4 whoever claimed p owns the value of the place from when the stamp says so, p or p+1,
	//	   until its own step of R3. A batch claims earlier, and waits.
	//
	// Departures from the original: laps and places are counted separately, so that any capacity,
	// even 1, works without a division; then p+1 stays below p+lap, so that stamps are unambiguous.
	// A stamp that does not fit does not mean full or empty: only the other side's position tells.
	// The steps R5 to R11 and the argument are in ring.md.

	_       cacheline.Pad
	tail    atomics.Uint64 // the next position to push to
	fullAt  atomics.Uint64 // the last position where a pusher was courteous
	_       cacheline.Pad
	head    atomics.Uint64 // the next position to pop from
	emptyAt atomics.Uint64 // the last position where a popper was courteous
	_       cacheline.Pad
	places  []place[T]
	lap     uint64 // a power of two above the number of places
}

// A place holds one value of a Ring.
type place[T any] struct {
	stamp atomics.Uint64
	value T
}

// maxRing is the largest capacity of a Ring and an SPSCRing.
const maxRing = 1 << 30

// NewRing returns an empty Ring for exactly capacity values. It panics if capacity is not from 1 to
// 2^30.
func NewRing[T any](capacity int) *Ring[T] {
	if capacity < 1 || capacity > maxRing {
		panic(fmt.Sprintf("lockfree: Ring of capacity %d, not 1 to 2^30", capacity))
	}
	r := &Ring[T]{places: make([]place[T], capacity), lap: 1 << bits.Len(uint(capacity))}
	for i := range r.places {
		r.places[i].stamp.Store(uint64(i))
	}
	return r
}

// TryPush adds v at the end and reports true, or reports false if the Ring is full.
func (r *Ring[T]) TryPush(v T) bool {
	t := r.tail.Load()
	i := t & (r.lap - 1)
	if i >= uint64(len(r.places)) { // replaces the bounds check
		panic(notMade)
	}
	p := &r.places[i]
	if p.stamp.Load() == t {
		if r.tail.CompareAndSwap(t, r.after(t, 1)) { // LP(TryPush)
			p.value = v
			p.stamp.Store(t + 1)
			return true
		}
		lost()
	}
	return r.tryPushSlow(v)
}

const notMade = "lockfree: a Ring that NewRing has not made"

// tryPushSlow is TryPush, R5 to R7, after one failed try. Apart from it, that try needs no loop and
// keeps its words in registers.
func (r *Ring[T]) tryPushSlow(v T) bool {
	for round := 0; ; round++ {
		t := r.tail.Load()
		p := &r.places[t&(r.lap-1)]
		if p.stamp.Load() != t {
			if !courteous(&r.fullAt, t) && r.full(t, round) {
				return false
			}
			continue
		}
		if r.tail.CompareAndSwap(t, r.after(t, 1)) { // LP(TryPush)
			p.value = v
			p.stamp.Store(t + 1)
			return true
		}
		lost()
	}
}

// TryPop removes the oldest value; ok is false if there is none.
func (r *Ring[T]) TryPop() (v T, ok bool) {
	h := r.head.Load()
	i := h & (r.lap - 1)
	if i >= uint64(len(r.places)) { // replaces the bounds check
		panic(notMade)
	}
	p := &r.places[i]
	if p.stamp.Load() == h+1 {
		if r.head.CompareAndSwap(h, r.after(h, 1)) { // LP(TryPop)
			var zero T
			v, p.value = p.value, zero
			p.stamp.Store(h + r.lap)
			return v, true
		}
		lost()
	}
	return r.tryPopSlow()
}

// tryPopSlow is TryPop, R8 to R10, after one failed try.
func (r *Ring[T]) tryPopSlow() (v T, ok bool) {
	for round := 0; ; round++ {
		h := r.head.Load()
		p := &r.places[h&(r.lap-1)]
		if p.stamp.Load() != h+1 {
			if !courteous(&r.emptyAt, h) && r.empty(h, round) {
				return v, false
			}
			continue
		}
		if r.head.CompareAndSwap(h, r.after(h, 1)) { // LP(TryPop)
			var zero T
			v, p.value = p.value, zero
			p.stamp.Store(h + r.lap)
			return v, true
		}
		lost()
	}
}

// TryPushN adds values of vs, in order, until the Ring is full, and returns how many. It is
// linearizable as a TryPush for each value up to the first that returns false; it claims in one
// step the places that it sees empty.
func (r *Ring[T]) TryPushN(vs []T) (n int) {
	// R11. The order is essential: tail before head.
	for n < len(vs) {
		t := r.tail.Load()
		h := r.head.Load() // LP(TryPush, full) if there is no room
		if h+r.lap == t {
			if r.lap == 0 {
				panic(notMade)
			}
			return n
		}
		used, ok := r.distance(h, t)
		if !ok {
			continue // tail has moved on
		}
		k := min(uint64(len(r.places))-used, uint64(len(vs)-n))
		if !r.tail.CompareAndSwap(t, r.after(t, k)) { // LP(TryPush), k times
			lost()
			continue
		}
		for _, v := range vs[n : n+int(k)] {
			p := &r.places[t&(r.lap-1)]
			for round := 0; p.stamp.Load() != t; round++ {
				wait(round)
			}
			p.value = v
			p.stamp.Store(t + 1)
			t = r.after(t, 1)
		}
		n += int(k)
	}
	return n
}

// TryPopN removes the oldest values into buf until that is full or the Ring is empty, and
// returns how many. It is linearizable as a TryPop for each up to the first that returns false;
// it claims in one step what it sees.
func (r *Ring[T]) TryPopN(buf []T) (n int) {
	// R11. The order is essential: head before tail.
	for n < len(buf) {
		h := r.head.Load()
		t := r.tail.Load() // LP(TryPop, empty) if there is none
		if t == h {
			if r.lap == 0 {
				panic(notMade)
			}
			return n
		}
		used, ok := r.distance(h, t)
		if !ok {
			continue // head has moved on
		}
		k := min(used, uint64(len(buf)-n))
		if !r.head.CompareAndSwap(h, r.after(h, k)) { // LP(TryPop), k times
			lost()
			continue
		}
		for i := range buf[n : n+int(k)] {
			p := &r.places[h&(r.lap-1)]
			for round := 0; p.stamp.Load() != h+1; round++ {
				wait(round)
			}
			var zero T
			buf[n+i], p.value = p.value, zero
			p.stamp.Store(h + r.lap)
			h = r.after(h, 1)
		}
		n += int(k)
	}
	return n
}

// Drain returns an iterator that pops values until there are none or the loop ends; what it did
// not get to stays.
func (r *Ring[T]) Drain() iter.Seq[T] { return drain(r.TryPop) }

// after returns the position n behind pos, where n is at most the number of places.
func (r *Ring[T]) after(pos, n uint64) uint64 {
	if place := pos&(r.lap-1) + n; place >= uint64(len(r.places)) {
		return pos&^(r.lap-1) + r.lap + place - uint64(len(r.places))
	}
	return pos + n
}

// full reports whether the Ring was full when tail was t. If it was not, and tail is still t,
// then the popper of the place has claimed it and not emptied it: full waits a little.
func (r *Ring[T]) full(t uint64, round int) bool {
	if r.head.Load()+r.lap == t { // LP(TryPush, full)
		return true
	}
	if r.tail.Load() == t {
		wait(round)
	}
	return false
}

// empty reports whether the Ring was empty when head was h. If it was not, and head is still h,
// then the pusher of the place has claimed it and not filled it: empty waits a little.
func (r *Ring[T]) empty(h uint64, round int) bool {
	if r.tail.Load() == h { // LP(TryPop, empty)
		return true
	}
	if r.head.Load() == h {
		wait(round)
	}
	return false
}

// wait is one round of waiting for a peer that is between two steps: a few pauses, each longer than
// the one before, and then a yield.
func wait(round int) {
	if round < ringPatience {
		atomics.Pause(1 << round)
	} else {
		atomics.Gosched()
	}
}

// lost pauses after a lost race, since the winner needs the word again at once.
func lost() {
	if lostPauses > 0 {
		atomics.Pause(lostPauses)
	}
}

// distance returns the number of places from position h to position t. ok is false if t is
// not in the lap of position h or the next, or is before h: then one of them is out of date.
func (r *Ring[T]) distance(h, t uint64) (n uint64, ok bool) {
	n = t&(r.lap-1) - h&(r.lap-1)
	switch t&^(r.lap-1) - h&^(r.lap-1) {
	case 0:
	case r.lap:
		n += uint64(len(r.places))
	default:
		return 0, false
	}
	return n, n <= uint64(len(r.places))
}

// Len returns the number of values at some past moment, counting those whose TryPush or TryPop is
// under way. It retries whenever a TryPop interferes.
func (r *Ring[T]) Len() int {
	for h := r.head.Load(); ; {
		t, now := r.tail.Load(), r.head.Load()
		if now == h { // so it was when tail was read
			n, _ := r.distance(h, t)
			return int(n)
		}
		h = now
	}
}

// Cap returns the capacity.
func (r *Ring[T]) Cap() int { return len(r.places) }

// Empty reports whether there was no value at some past moment.
func (r *Ring[T]) Empty() bool {
	h := r.head.Load()
	return r.tail.Load() == h
}
