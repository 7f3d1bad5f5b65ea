package lockfree

import (
	"iter"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/cacheline"
)

const (
	spscFirstSlots = 16   // length of an SPSCQueue's first segment
	spscMaxSlots   = 1024 // segments double up to this length
)

// An SPSCQueue is an unbounded queue, first in, first out, for one producer and one consumer.
//
// The zero SPSCQueue is empty and ready. It must not be copied after first use.
//
// # Concurrency
//
// Push and PushAll are for the producer, all other methods for the consumer, which may be the
// same goroutine. Either role may move if the last call of the old holder happens before the
// first of the new one. A Push of v synchronizes before the return of the Pop that delivers v.
//
// # Progress
//
// Wait-free.
//
// # Cost
//
// O(1). A Pop writes no shared word. Values lie in segments, each twice as long as the one
// before up to 1024 values; one emptied segment is kept for use again and others are left to
// the collector, so that an empty SPSCQueue keeps two, and one whose population stays within a
// segment allocates nothing. Popped values are cleared. BenchmarkSPSCQueue measures it.
//
// # Linearizability
//
// Push and Pop are linearizable, also a Pop that finds nothing. PushAll is a Push of each value
// in one step; PopN is linearizable as a sequence of Pops, see there.
type SPSCQueue[T any] struct {
	//	     read                  write
	//	      |                      |
	//	[xx.......] -> [.......] -> [...      ] -> nil      x popped
	//
	//	N1 tail counts the values pushed; only the producer writes it, and after the value
	//	   and the segment that it lies in.
	//	N2 the producer touches no segment before its last; the consumer touches nothing at or
	//	   beyond tail, and no segment that it has left.
	//	N3 spare holds a segment to which neither the list nor the consumer refers; whoever takes
	//	   it out by a swap owns it.
	//
	// tail is compared by difference, so that it may wrap. The argument is in spscqueue.md.

	_        cacheline.Pad
	tail     atomics.Uint64
	write    *spscSegment[T] // the producer's: the last segment
	writeAt  int             // the producer's: the next free slot of that
	_        cacheline.Pad
	tailSeen uint64          // the consumer's last look at tail
	head     uint64          // the consumer's: how many values were popped
	read     *spscSegment[T] // the consumer's: the first segment
	readAt   int             // the consumer's: the oldest slot of that
	behind   cacheline.Courtesy
	_        cacheline.Pad
	first    *spscSegment[T] // written by the producer before the first value
	spare    atomics.Pointer[spscSegment[T]]
}

// An spscSegment is an array of values of an SPSCQueue.
type spscSegment[T any] struct {
	slots []T
	next  *spscSegment[T] // written by the producer before a value there is counted
}

// Push adds v at the end. Only the producer may call it.
func (q *SPSCQueue[T]) Push(v T) {
	s := q.write
	if s == nil || q.writeAt == len(s.slots) {
		s = q.extend()
	}
	s.slots[q.writeAt] = v
	q.writeAt++
	q.tail.Store(q.tail.Load() + 1) // LP(Push)
}

// PushAll adds the values of vs at the end, in order and in one step. Only the producer may
// call it.
func (q *SPSCQueue[T]) PushAll(vs []T) {
	if len(vs) == 0 {
		return
	}
	n := uint64(len(vs))
	for len(vs) > 0 {
		s := q.write
		if s == nil || q.writeAt == len(s.slots) {
			s = q.extend()
		}
		k := copy(s.slots[q.writeAt:], vs)
		q.writeAt += k
		vs = vs[k:]
	}
	q.tail.Store(q.tail.Load() + n) // LP(Push), each
}

// extend appends a segment: the spare one, or a new one, which is twice as long as the last.
func (q *SPSCQueue[T]) extend() *spscSegment[T] {
	size := spscFirstSlots
	if q.write != nil {
		size = min(2*len(q.write.slots), spscMaxSlots)
	}
	s := q.spare.Load()
	if s != nil {
		s = q.spare.Swap(nil)
	}
	if s == nil || len(s.slots) < size {
		s = &spscSegment[T]{slots: make([]T, size)}
	}
	if q.write == nil {
		q.first = s
	} else {
		q.write.next = s
	}
	q.write, q.writeAt = s, 0
	return s
}

// Pop removes the oldest value; ok is false if there is none. Only the consumer may call it.
func (q *SPSCQueue[T]) Pop() (v T, ok bool) {
	if q.head == q.tailSeen && q.there() == 0 {
		return v, false
	}
	s := q.read
	if s == nil || q.readAt == len(s.slots) {
		s = q.advance()
	}
	p := &s.slots[q.readAt]
	var zero T
	v, *p = *p, zero
	q.readAt++
	q.head++ // LP(Pop)
	return v, true
}

// PopN removes the oldest values into buf until that is full or the SPSCQueue is empty, and
// returns how many. It is linearizable as a Pop for each up to the first that finds nothing.
// Only the consumer may call it.
func (q *SPSCQueue[T]) PopN(buf []T) (n int) {
	for n < len(buf) {
		k := q.tailSeen - q.head
		if k < uint64(len(buf)-n) {
			if k = q.there(); k == 0 {
				return n
			}
		}
		s := q.read
		if s == nil || q.readAt == len(s.slots) {
			s = q.advance()
		}
		end := q.readAt + int(min(k, uint64(len(buf)-n), uint64(len(s.slots)-q.readAt)))
		values := s.slots[q.readAt:end]
		copy(buf[n:], values)
		clear(values)
		q.readAt = end
		q.head += uint64(len(values)) // LP(Pop), each
		n += len(values)
	}
	return n
}

// there reads tail again, and returns how many values there are.
func (q *SPSCQueue[T]) there() uint64 {
	paused := courtesy > 0 && q.behind.Due()
	if paused {
		atomics.Pause(courtesy)
	}
	q.tailSeen = q.tail.Load() // LP(Pop, empty) if there is none
	n := q.tailSeen - q.head
	if paused {
		q.behind.Learn(n >= paid, rarely)
	}
	return n
}

// advance moves to the next segment, which exists since it holds a value, and gives the emptied one
// back.
func (q *SPSCQueue[T]) advance() *spscSegment[T] {
	old := q.read
	if old == nil {
		q.read = q.first
		q.first = nil
	} else {
		q.read = old.next
		old.next = nil
		q.spare.Store(old)
	}
	q.readAt = 0
	return q.read
}

// Drain returns an iterator that pops values until there are none or the loop ends; what it did
// not get to stays. Only the consumer may run it.
func (q *SPSCQueue[T]) Drain() iter.Seq[T] { return drain(q.Pop) }

// Len returns the number of values at some moment inside the call. Only the consumer may call
// it.
func (q *SPSCQueue[T]) Len() int { return int(q.tail.Load() - q.head) }

// Empty reports whether there was no value at some moment inside the call. Only the consumer
// may call it.
func (q *SPSCQueue[T]) Empty() bool { return q.tail.Load() == q.head }
