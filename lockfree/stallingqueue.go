package lockfree

import (
	"fmt"
	"slices"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/cacheline"
)

// A StallingQueue is an unbounded queue of two priorities, 0 the higher, with any number of
// producers and one consumer, its owner, who takes all that is there of a priority in one step, in
// the order in which it was pushed. The owner can stall, that is, find nothing new and decide to
// sleep, and anybody can close the queue. Each Push tells its caller whether to wake the owner, and
// whether it came before the close.
//
// The zero StallingQueue is open, empty and ready. It must not be copied after first use. It does
// not block by itself: an owner blocks on an event of its own after a Stall that returned true,
// and whoever is told to wake it triggers the event. Such an event must remember a trigger that
// comes before the wait.
//
// # Concurrency
//
// Push, Close, Closed and Empty may be called by any goroutine, PopAll, Mark, Stall and Unstall by
// one at a time. A Push of v that returns ok synchronizes before the return of the PopAll that
// delivers v, and of a Stall that returns false because of it. The Close that returns ok
// synchronizes before the return of each Push that returns !ok and each Closed that returns true.
//
// # Progress
//
// Lock-free; Closed, Empty and Mark are wait-free.
//
// # Cost
//
// A Push is two compare-and-swaps, a PopAll of any number two. Nodes are used again and never
// freed: a StallingQueue keeps memory for its largest population, at most 2^28-8 values, beyond
// which Push panics. Values that were popped are not kept alive. BenchmarkStallingQueue measures
// it.
//
// # Linearizability
//
// Every method is linearizable: a Push appends its value and finds out whether to wake the owner
// in one step, and a PopAll takes its values in one.
type StallingQueue[T any] struct {
	// Treiber's lists ("Systems Programming: Coping with Parallelism", IBM RJ 5118, 1986) over one
	// arena: one for each priority, which share a word, and the free nodes.
	//
	//	       63      62            55       28 27        0
	//	head: [closed|stalled|  0  | newest of 1| newest of 0 ]     newest 0 is an empty list
	//	free: [ takings, mod 2^36               | index       ]     as in a Stack
	//
	//	T1 a node is in one of the lists, or belongs to one goroutine.
	//	T2 newest changes from one node to another only by a Push of the latter, and to 0 only
	//	   by PopAll, which takes the whole chain.
	//	T3 stalled is set only between a Stall that returned true and the Unstall after it; while
	//	   the queue is open, the first Push in between clears it and owes the owner a wake-up, or
	//	   else Close does.
	//	T4 closed is set by one swap and never cleared; a Push that sees it changes nothing.
	//	T5 only the goroutine that holds a node writes and reads its letter, including the link
	//	   older. The link next belongs to free.
	//
	// By T2 the head needs no count. Each call is one of the swaps T6 to T10 of stallingqueue.md,
	// which has the argument.

	_     cacheline.Pad
	head  atomics.Uint64
	_     cacheline.Pad
	free  atomics.Uint64
	_     cacheline.Pad
	nodes arena[letter[T]]
}

// A letter is a value in a list that PopAll takes as a whole.
type letter[T any] struct {
	older uint32 // the node that was pushed before, 0 for none
	value T
}

const (
	stallPriorities = 2
	stallValues     = 1<<(stallPriorities*indexBits) - 1 // both newest
	stallStalled    = 1 << 62
	stallClosed     = 1 << 63
)

// A Mark is a state of a StallingQueue, to ask later whether anything has come since. The zero Mark
// is that of an empty queue.
type Mark struct{ newest uint64 }

// Push adds v as the last of its priority, 0 or 1, if the queue is not closed, which is what ok
// says. If wake is set, the owner had stalled and the caller must wake it. It panics if there is no
// such priority.
func (q *StallingQueue[T]) Push(v T, priority int) (wake, ok bool) {
	checkPriority(priority)
	index, n := q.nodes.unlink(&q.free)
	if n == nil {
		index, n = q.nodes.add()
	}
	n.value.value = v
	for {
		h := q.head.Load() // LP(Push, closed)
		if h&stallClosed != 0 {
			n.value = letter[T]{}
			link(&q.free, index, n)
			return false, false
		}
		n.value.older = newestOf(h, priority)
		if q.head.CompareAndSwap(h, withNewest(h, priority, index)&^stallStalled) { // LP(Push)
			return h&stallStalled != 0, true
		}
	}
}

// PopAll removes all values of a priority in one step and appends them to buf, the oldest first. It
// panics if there is no such priority.
func (q *StallingQueue[T]) PopAll(priority int, buf []T) []T {
	checkPriority(priority)
	var index uint32
	for {
		h := q.head.Load() // LP(PopAll, empty)
		if index = newestOf(h, priority); index == 0 {
			return buf
		}
		if q.head.CompareAndSwap(h, withNewest(h, priority, 0)) { // LP(PopAll)
			break
		}
	}
	// The chain leads from the newest to the oldest. It is reversed for the free list, so that
	// nodes that were taken from there in order are still linked in that order.
	from := len(buf)
	newest := q.nodes.at(index)
	n := newest
	for {
		buf = append(buf, n.value.value)
		older := n.value.older
		n.value = letter[T]{}
		if older == 0 {
			break
		}
		n = q.nodes.at(older)
		if n.next.Load() != index {
			n.next.Store(index)
		}
		index = older
	}
	link(&q.free, index, newest)
	slices.Reverse(buf[from:])
	return buf
}

// Mark returns the state of the queue.
func (q *StallingQueue[T]) Mark() Mark { return Mark{q.head.Load() & stallValues} }

// Stall registers the owner as stalled, or reports false if anything was pushed since the mark was
// made; with the zero Mark, if the queue is not empty. A PopAll makes older marks useless but for
// the zero one. Nobody will wake an owner that stalls on a closed queue.
func (q *StallingQueue[T]) Stall(since Mark) bool {
	for {
		h := q.head.Load() // LP(Stall, not the mark)
		if h&stallValues != since.newest {
			return false
		}
		if q.head.CompareAndSwap(h, h|stallStalled) { // LP(Stall)
			return true
		}
	}
}

// Unstall takes back the registration of an owner whose last Stall returned true. It reports
// whether a Push or Close had done so already; then that wake-up is on its way, and may still come
// later.
func (q *StallingQueue[T]) Unstall() (woken bool) {
	for {
		h := q.head.Load()
		if h&stallStalled == 0 { // LP(Unstall, woken)
			return true
		}
		if q.head.CompareAndSwap(h, h&^stallStalled) { // LP(Unstall)
			return false
		}
	}
}

// Close closes the queue: every later Push is refused, and what was pushed before can still be
// popped. ok is true for exactly one call; if wake is set, the owner had stalled and that
// call's caller must wake it.
func (q *StallingQueue[T]) Close() (wake, ok bool) {
	for {
		h := q.head.Load() // LP(Close, closed)
		if h&stallClosed != 0 {
			return false, false
		}
		if q.head.CompareAndSwap(h, h&^stallStalled|stallClosed) { // LP(Close)
			return h&stallStalled != 0, true
		}
	}
}

// Closed reports whether the queue is closed.
func (q *StallingQueue[T]) Closed() bool { return q.head.Load()&stallClosed != 0 }

// Empty reports whether there was no value of a priority, 0 or 1, at some past moment.
func (q *StallingQueue[T]) Empty(priority int) bool {
	return newestOf(q.head.Load(), priority) == 0
}

// newestOf returns the newest value of a priority in a head.
func newestOf(h uint64, priority int) uint32 {
	if priority != 0 {
		h >>= indexBits
	}
	return uint32(h & indexMask)
}

// withNewest returns a head with another newest value of a priority.
func withNewest(h uint64, priority int, index uint32) uint64 {
	if priority != 0 {
		return h&^(indexMask<<indexBits) | uint64(index)<<indexBits
	}
	return h&^indexMask | uint64(index)
}

func checkPriority(priority int) {
	if uint(priority) >= stallPriorities {
		badPriority(priority)
	}
}

//go:noinline
func badPriority(priority int) {
	panic(fmt.Sprintf("lockfree: priority %d of %d", priority, stallPriorities))
}
