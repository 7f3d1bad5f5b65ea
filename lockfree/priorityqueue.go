package lockfree

import (
	"fmt"
	"iter"

	"github.com/heddle-go/heddle/internal/atomics"
)

// A PriorityQueue is an unbounded queue of a fixed number of levels, 0 the highest. A Pop takes
// from the highest level that holds a value; within a level the order is first in, first out.
//
// Make one with NewPriorityQueue. It must not be copied.
//
// # Concurrency
//
// Every method may be called by any goroutine. A Push of v synchronizes before the return of
// the Pop that delivers v.
//
// # Progress
//
// Lock-free. A Pop that finds every level empty scans them again only if a Push came in
// between.
//
// # Cost
//
// A Push costs what the Push of a Queue costs, its garbage included; a Pop looks at the levels from
// the highest down, a few loads each.
//
// # Linearizability
//
// A Pop that takes a value of level p saw each level above p empty at some moment inside the
// call, but not all at the same moment: a Push to a higher level that runs at the same time
// may be passed over. So the order is strict if no Push overlaps the Pop. A Pop that finds
// nothing is linearizable: there was a moment at which all levels were empty.
type PriorityQueue[T any] struct {
	// The argument is in priorityqueue.md.
	_      [0]atomics.Uint32 // go vet reports copies
	levels levels[T]
}

// maxLevels is the largest number of levels of a PriorityQueue.
const maxLevels = 1 << 16

// NewPriorityQueue returns an empty PriorityQueue with the given number of levels. It panics
// if that is not from 1 to 65,536.
func NewPriorityQueue[T any](levels int) *PriorityQueue[T] {
	if levels < 1 || levels > maxLevels {
		panic(fmt.Sprintf("lockfree: PriorityQueue with %d levels, not 1 to %d", levels, maxLevels))
	}
	return &PriorityQueue[T]{levels: make([]Queue[T], levels)}
}

// Push adds v at the end of the level priority, 0 the highest. It panics if there is no such
// level.
func (q *PriorityQueue[T]) Push(v T, priority int) { q.levels.push(v, priority) }

// Pop removes the oldest value of the highest level that has one; ok is false if there is none.
func (q *PriorityQueue[T]) Pop() (v T, ok bool) {
	for {
		v, seen, ok := q.levels.scan()
		if ok {
			return v, true
		}
		if q.levels.claimed() == seen { // LP(Pop, empty): the end of the scan
			return v, false
		}
	}
}

// Drain returns an iterator that pops values until there are none or the loop ends; what it did
// not get to stays.
func (q *PriorityQueue[T]) Drain() iter.Seq[T] { return drain(q.Pop) }

// Len returns the number of values at some past moment, each level at one of its own.
func (q *PriorityQueue[T]) Len() int { return q.levels.len() }

// Empty reports whether each level held no value at some past moment of its own.
func (q *PriorityQueue[T]) Empty() bool { return q.levels.empty() }

// levels are the queues of a container with priorities.
type levels[T any] []Queue[T]

func (l levels[T]) push(v T, priority int) {
	if uint(priority) >= uint(len(l)) {
		panic(fmt.Sprintf("lockfree: priority %d of %d", priority, len(l)))
	}
	l[priority].Push(v)
}

// scan takes the oldest value of the first level that is not empty. If all are empty, seen is the
// sum of the positions at which each of them was. Positions never decrease, so while claimed
// returns that sum, nothing was pushed to any level since, and all are empty.
func (l levels[T]) scan() (v T, seen uint64, ok bool) {
	for i := range l {
		v, pos, ok := l[i].take(false)
		if ok {
			return v, 0, true
		}
		seen += pos
	}
	return v, seen, false
}

// claimed returns the sum of the levels' claimed positions.
func (l levels[T]) claimed() (sum uint64) {
	for i := range l {
		sum += l[i].claimed()
	}
	return sum
}

func (l levels[T]) len() (n int) {
	for i := range l {
		n += l[i].Len()
	}
	return n
}

func (l levels[T]) empty() bool {
	for i := range l {
		if !l[i].Empty() {
			return false
		}
	}
	return true
}
