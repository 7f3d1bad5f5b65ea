package lockfree

import (
	"iter"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/cacheline"
)

const (
	queueFirstCells = 16   // length of a Queue's first segment
	queueMaxCells   = 1024 // segments double up to this length
)

// A Queue is an unbounded queue, first in, first out, for any number of producers and
// consumers.
//
// The zero Queue is empty and ready. It must not be copied after first use.
//
// # Concurrency
//
// Every method may be called by any goroutine. A Push of v synchronizes before the return of
// the Pop that delivers v. Two Pops are not ordered by one another.
//
// # Progress
//
// Lock-free. A Pop may take away the place that a slow Push has claimed, and the Push then claims
// another; a Push that reaches the end of a segment appends the next one with its value in it.
//
// # Cost
//
// O(1). Values lie in segments, each twice as long as the one before up to 1024 values;
// apart from a new segment nothing is allocated. A segment that was emptied is left to the
// collector, so that an empty Queue keeps one segment, and each Push makes garbage of the size
// of a value and 4 bytes, rounded up to its alignment, and a little for the segment. An IndexQueue
// and a Ring use their places again. Popped places are cleared at once. A Pop that
// has just caught up with the pushers pauses for a moment, once, before it says empty.
// BenchmarkQueue measures it.
//
// # Linearizability
//
// Push and Pop are linearizable, also a Pop that finds nothing: it never reports a lost race
// as an empty Queue.
type Queue[T any] struct {
	// Correia and Ramalhete, "FAAArrayQueue", 2016, after the infinite array queue of Morrison
	// and Afek, "Fast Concurrent Queues for x86 Processors", PPoPP 2013.
	//
	//	head           tail
	//	  |              |
	//	[xxxxx..] -> [.......] -> nil     x claimed by a popper
	//
	//	Q1 next is set once, and only after all places of the segment are claimed by pushers.
	//	Q2 head leaves a segment only after all its places are claimed by poppers.
	//	Q3 a place is claimed by one pusher and by one popper, in position order each.
	//	Q4 a cell leaves empty once, to full by its pusher or to lost by its popper; the popper
	//	   that sees it full, even by the swap to lost, owns the value without a further step.
	//	Q5 tail may lag behind the last segment; whoever reaches its end moves it on.
	//
	// No segment is used twice, so the garbage collector rules out ABA. The steps Q6 to Q12 and the
	// argument are in queue.md.
	//
	// Departures from the paper: a Pop looks before it claims, so that polling an empty Queue
	// writes nothing; it gives a pusher that is about to arrive a moment before it takes the
	// place away; segments grow; each carries its first position, which makes one monotone
	// count of claimed positions that PriorityQueue builds on.

	head atomics.Pointer[segment[T]]
	tail atomics.Pointer[segment[T]]
}

// The states of a cell.
const (
	cellEmpty uint32 = iota
	cellFull
	cellLost
)

// A cell is one place of a segment. The value belongs to the pusher that claimed the place
// until it makes the cell full, then to the popper that claimed it.
type cell[T any] struct {
	state atomics.Uint32
	value T
}

// A segment is an array of places, each claimed by one pusher and one popper.
type segment[T any] struct {
	enq atomics.Uint64 // places claimed by pushers; exceeds len(cells) once it is full
	_   cacheline.Pad

	deq     atomics.Uint64 // places claimed by poppers; may overrun enq
	emptyAt atomics.Uint64 // 1 + the last place where a popper was courteous
	_       cacheline.Pad

	next  atomics.Pointer[segment[T]]
	cells []cell[T]
	base  uint64 // position of cells[0] in the whole queue
	limit int    // length at which segments stop growing
}

func newSegment[T any](base uint64, size, limit int) *segment[T] {
	return &segment[T]{cells: make([]cell[T], size), base: base, limit: limit}
}

// Push adds v at the end.
func (q *Queue[T]) Push(v T) {
	for {
		s := q.tail.Load()
		if s != nil {
			if i := s.enq.Add(1) - 1; i < uint64(len(s.cells)) { // LP(Push) if the swap succeeds
				c := &s.cells[i]
				c.value = v
				if c.state.CompareAndSwap(cellEmpty, cellFull) {
					return
				}
				var zero T
				c.value = zero
				continue
			}
		}
		if q.pushSlow(s, v) {
			return
		}
	}
}

// PushAll adds the values of vs at the end, in order. It is linearizable as a Push of each; it
// claims the places for all of them in one step, as far as the last segment has them, so that
// other values come between them only if the segment ends or a Pop took a place away.
func (q *Queue[T]) PushAll(vs []T) {
	for len(vs) > 1 {
		s := q.tail.Load()
		if s == nil {
			q.pushSlow(nil, vs[0])
			continue
		}
		// Q6. Claim no more places than there may be, since enq must not grow without bound.
		size := uint64(len(s.cells))
		k := min(uint64(len(vs)), size)
		i := s.enq.Add(k) - k // LP(Push) of each value whose swap succeeds
		if i >= size {
			if q.pushSlow(s, vs[0]) {
				vs = vs[1:]
			}
			continue
		}
		cells := s.cells[i:min(i+k, size)]
		for j := range cells {
			c := &cells[j]
			c.value = vs[0]
			if c.state.CompareAndSwap(cellEmpty, cellFull) {
				vs = vs[1:]
			} else {
				var zero T
				c.value = zero
			}
		}
	}
	if len(vs) == 1 {
		q.Push(vs[0])
	}
}

// pushSlow is Push at the end of segment s (Q8), or on a Queue without segments if s is nil. It
// reports whether it pushed v.
func (q *Queue[T]) pushSlow(s *segment[T], v T) bool {
	if s == nil {
		// While tail is nil nobody can push, so head is nil or the first segment.
		q.head.CompareAndSwap(nil, newSegment[T](0, queueFirstCells, queueMaxCells))
		q.tail.CompareAndSwap(nil, q.head.Load())
		return false
	}
	next := s.next.Load()
	if next == nil {
		size := len(s.cells)
		next = newSegment[T](s.base+uint64(size), min(2*size, s.limit), s.limit)
		next.cells[0].value = v
		next.cells[0].state.Store(cellFull)
		next.enq.Store(1)
		if s.next.CompareAndSwap(nil, next) { // LP(Push, new segment)
			q.tail.CompareAndSwap(s, next)
			return true
		}
		next = s.next.Load()
	}
	q.tail.CompareAndSwap(s, next)
	return false
}

// Pop removes the oldest value; ok is false if there is none.
func (q *Queue[T]) Pop() (v T, ok bool) {
	v, _, ok = q.take(true)
	return v, ok
}

// take is Pop: Q9 to Q12. If there is no value, pos is the position that the next Push would have
// claimed when the Queue was empty. If polite, it may give pushers a moment before it reads the
// cache line that they write.
func (q *Queue[T]) take(polite bool) (v T, pos uint64, ok bool) {
	for {
		s := q.head.Load()
		if s == nil {
			return v, 0, false
		}
		size := uint64(len(s.cells))
		d := s.deq.Load()
		// A full cell shows a value without a read of the cache line that pushers write.
		if d >= size || s.cells[d].state.Load() != cellFull {
			if polite && d < size && courteous(&s.emptyAt, d+1) {
				polite = false
				continue
			}
			// Q9, Q10. The order is essential: deq before enq before next.
			e := s.enq.Load() // LP(Pop, empty) if e < size
			switch {
			case e < size:
				if d >= e {
					return v, s.base + e, false
				}
			case d >= size:
				next := s.next.Load() // LP(Pop, empty) if nil
				if next == nil {
					return v, s.base + size, false
				}
				q.head.CompareAndSwap(s, next)
				continue
			}
		}
		i := s.deq.Add(1) - 1 // LP(Pop), or the claim of its Push if that comes later
		if i >= size {
			continue
		}
		c := &s.cells[i]
		if c.state.Load() == cellFull || awaitFull(&c.state) {
			v = c.value
			var zero T
			c.value = zero
			return v, 0, true
		}
	}
}

// PopN removes the oldest values into buf until that is full or the Queue is empty, and
// returns how many. It is linearizable as a Pop for each up to the first that finds nothing; it
// claims in one step what it sees.
func (q *Queue[T]) PopN(buf []T) (n int) {
	for n < len(buf) {
		s := q.head.Load()
		if s == nil {
			return n
		}
		size := uint64(len(s.cells))
		d := s.deq.Load()
		k := uint64(len(buf) - n)
		there := min(s.enq.Load(), size) // after deq
		if d >= there {
			// Empty, or at the end of the segment: a Pop handles both (Q9).
			v, _, ok := q.take(false)
			if !ok {
				return n
			}
			buf[n] = v
			n++
			continue
		}
		k = min(k, there-d)
		if !s.deq.CompareAndSwap(d, d+k) { // LP(Pop), k times, or the claim of a later Push
			continue
		}
		cells := s.cells[d : d+k]
		for j := range cells {
			c := &cells[j]
			if c.state.Load() == cellFull || awaitFull(&c.state) {
				var zero T
				buf[n], c.value = c.value, zero
				n++
			}
		}
	}
	return n
}

// Drain returns an iterator that pops values until there are none or the loop ends; what it did
// not get to stays.
func (q *Queue[T]) Drain() iter.Seq[T] { return drain(q.Pop) }

// awaitFull gives the pusher of a claimed cell a moment to fill it (Q7), and then takes the cell
// away from it (Q12). It reports whether the cell is full.
func awaitFull(state *atomics.Uint32) bool {
	for range queuePatience {
		atomics.Pause(1)
		if state.Load() == cellFull {
			return true
		}
	}
	return state.Swap(cellLost) == cellFull
}

// claimed returns the position that the next Push will claim. It never decreases, and it
// increases with each Push at its linearization point.
func (q *Queue[T]) claimed() uint64 {
	s := q.tail.Load()
	if s == nil {
		return 0
	}
	for {
		e, size := s.enq.Load(), uint64(len(s.cells))
		if e < size {
			return s.base + e
		}
		next := s.next.Load()
		if next == nil {
			return s.base + size
		}
		s = next
	}
}

// Len returns the number of values at some past moment, counting those whose Push or Pop is under
// way. It retries whenever a Pop interferes.
func (q *Queue[T]) Len() int {
	for popped := q.popped(); ; {
		claimed, now := q.claimed(), q.popped()
		if now == popped { // so it was when claimed was read
			return int(max(int64(claimed-popped), 0))
		}
		popped = now
	}
}

// popped returns the position that the next Pop will claim. It never decreases.
func (q *Queue[T]) popped() uint64 {
	s := q.head.Load()
	if s == nil {
		return 0
	}
	return s.base + min(s.deq.Load(), uint64(len(s.cells)))
}

// Empty reports whether there was no value at some past moment.
func (q *Queue[T]) Empty() bool {
	popped := q.popped()
	return int64(q.claimed()-popped) <= 0 // claimed was no larger when popped was read
}
