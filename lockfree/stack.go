package lockfree

import (
	"iter"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/cacheline"
)

// A Stack is an unbounded stack, last in, first out, for any number of goroutines.
//
// The zero Stack is empty and ready. It must not be copied after first use.
//
// # Concurrency
//
// Every method may be called by any goroutine. A Push of v synchronizes before the return of
// the Pop or PopAll that delivers v.
//
// # Progress
//
// Lock-free; Empty is wait-free.
//
// # Cost
//
// O(1) a value, but for Len, which counts them. A PushAll of any length, and a PopAll, change the
// top once. Nodes are reused and never freed: a Stack keeps memory for its largest population, at
// most 2^28-8 values, beyond which Push panics, and PushAll without having pushed. Popped values
// are not kept alive. BenchmarkStack measures it.
//
// # Linearizability
//
// Every method but Len is linearizable; PushAll and PopAll move all their values in one step.
type Stack[T any] struct {
	// Treiber, "Systems Programming: Coping with Parallelism", IBM RJ 5118, 1986. Two of his
	// lists over one arena: the values, and the nodes that are free. Both heads are
	//
	//	 63                   28 27       0
	//	[ takings, mod 2^36     | index    ]      index 0 is the empty list
	//
	//	S1 a node is in one of the lists, or belongs to one goroutine.
	//	S2 the count grows whenever something is taken from the list, so that while the head is
	//	   unchanged, so is the link of the node that it names.
	//	S3 the value of a free node is zero.
	//
	// A taker is fooled only if 2^36 others come between its load and its swap and leave the
	// same node on top. The steps S4 to S7 and the argument are in stack.md.

	_     cacheline.Pad
	head  atomics.Uint64
	_     cacheline.Pad
	free  atomics.Uint64
	_     cacheline.Pad
	nodes arena[T]
}

// takeOne is 1 in the count of a head.
const takeOne = 1 << indexBits

// Push puts v on top.
func (s *Stack[T]) Push(v T) {
	index, n := s.nodes.unlink(&s.free)
	if n == nil {
		index, n = s.nodes.add()
	}
	n.value = v
	link(&s.head, index, n) // LP(Push)
}

// Pop removes the value on top; ok is false if there is none.
func (s *Stack[T]) Pop() (v T, ok bool) {
	index, n := s.nodes.unlink(&s.head) // LP(Pop)
	if n == nil {
		return v, false
	}
	var zero T
	v, n.value = n.value, zero
	link(&s.free, index, n)
	return v, true
}

// PopAll removes all values in one step and appends them to buf, the top first.
func (s *Stack[T]) PopAll(buf []T) []T {
	var h uint64
	for {
		h = s.head.Load() // LP(PopAll, empty)
		if h&indexMask == 0 {
			return buf
		}
		if s.head.CompareAndSwap(h, h&^indexMask+takeOne) { // LP(PopAll)
			break
		}
	}
	top := uint32(h & indexMask)
	for index := top; ; {
		n := s.nodes.at(index)
		buf = append(buf, n.value)
		var zero T
		n.value = zero
		if index = n.next.Load(); index == 0 {
			link(&s.free, top, n)
			return buf
		}
	}
}

// PushAll puts the values of vs on top in one step, in order, so that the last is uppermost.
func (s *Stack[T]) PushAll(vs []T) {
	// The chain grows downwards, since free nodes are already linked in that order. Nobody else
	// sees it before the one S5 at the end.
	var top uint32
	var bottom *node[T]
	for i := len(vs) - 1; i >= 0; i-- {
		index, n := s.nodes.unlink(&s.free)
		if n == nil {
			if index, n = s.nodes.tryAdd(); n == nil {
				s.giveBack(top, bottom)
				panic(tooMany)
			}
		}
		n.value = vs[i]
		if bottom == nil {
			top = index
		} else if bottom.next.Load() != index {
			bottom.next.Store(index)
		}
		bottom = n
	}
	if bottom != nil {
		link(&s.head, top, bottom) // LP(PushAll)
	}
}

// giveBack makes the nodes of a chain that is not pushed free again.
func (s *Stack[T]) giveBack(top uint32, bottom *node[T]) {
	if bottom == nil {
		return
	}
	var zero T
	for n := s.nodes.at(top); ; n = s.nodes.at(n.next.Load()) {
		n.value = zero
		if n == bottom {
			link(&s.free, top, bottom)
			return
		}
	}
}

// Drain returns an iterator that pops values until there are none or the loop ends; what it did
// not get to stays. PopAll takes what is there in one step.
func (s *Stack[T]) Drain() iter.Seq[T] { return drain(s.Pop) }

// Len counts the values. The result is exact if no call overlaps this one; otherwise it is a
// guess, at most the largest population so far.
func (s *Stack[T]) Len() (n int) {
	// Nodes may be reused during this walk, which may then even go in a circle.
	bound := int(s.nodes.fresh.Load())
	for index := uint32(s.head.Load() & indexMask); index != 0 && n < bound; n++ {
		index = s.nodes.at(index).next.Load()
	}
	return n
}

// Empty reports whether there was no value at some past moment.
func (s *Stack[T]) Empty() bool { return s.head.Load()&indexMask == 0 }

// unlink takes the first node of a list, by S6 and S7; it returns nil if the list is empty.
func (a *arena[T]) unlink(head *atomics.Uint64) (uint32, *node[T]) {
	for {
		h := head.Load() // LP if empty
		index := uint32(h & indexMask)
		if index == 0 {
			return 0, nil
		}
		n := a.at(index)
		next := uint64(n.next.Load())                          // valid if head is unchanged, see S2
		if head.CompareAndSwap(h, h&^indexMask+takeOne|next) { // LP
			return index, n
		}
	}
}

// link puts a chain of nodes, linked from first to last, before a list, by S4 and S5.
func link[T any](head *atomics.Uint64, first uint32, last *node[T]) {
	for {
		h := head.Load()
		if next := uint32(h & indexMask); last.next.Load() != next {
			last.next.Store(next)
		}
		if head.CompareAndSwap(h, h&^indexMask|uint64(first)) { // LP
			return
		}
	}
}
