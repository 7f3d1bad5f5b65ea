package lockfree

import (
	"slices"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/cacheline"
)

// A Mailbox is an unbounded queue with any number of producers and one consumer, its owner,
// which takes all that is there in one step, in the order in which it was pushed. The owner can
// stall, that is, find nothing new and decide to sleep, and anybody can close the box. Each Push tells
// its caller whether to wake the owner, and whether it came before the box was closed.
//
// The zero Mailbox is open, empty and ready. It must not be copied after first use. It does not
// block by itself: an owner blocks on an event of its own after a Stall that returned true,
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
// A Push is two compare-and-swaps, a PopAll of any number two. Nodes are used again and never freed: a
// Mailbox keeps memory for its largest population, at most 2^28-8 values, beyond which Push panics.
// Values that were popped are not kept alive. BenchmarkMailbox measures it.
//
// # Linearizability
//
// Every method is linearizable: a Push appends its value and finds out whether to wake the owner
// in one step, and a PopAll takes its values in one.
type Mailbox[T any] struct {
	// Two of Treiber's lists ("Systems Programming: Coping with Parallelism", IBM RJ 5118, 1986)
	// over one arena.
	//
	//	       63      62           28 27       0
	//	head: [closed|stalled|   0    | newest   ]      newest 0 is the empty box
	//	free: [ takings, mod 2^36     | index    ]      as in a Stack
	//
	//	M1 a node is in one of the lists, or in one goroutine's hands.
	//	M2 newest changes from one node to another only by a Push of the latter, and to 0 only
	//	   by PopAll, which takes the whole chain.
	//	M3 stalled is set only between a Stall that returned true and the Unstall after it; on an
	//	   open box the first Push in between clears it and owes the owner a wake-up, or else Close
	//	   does.
	//	M4 closed is set by one swap and never cleared; a Push that sees it changes nothing.
	//	M5 the letter of a node, its link older among it, is written by whoever holds the node
	//	   and read by nobody else. The link next belongs to free.
	//
	// By M2 the head needs no count. Each call is one of the swaps M6 to M10 of mailbox.md, which has
	// the argument.

	_     cacheline.Pad
	head  atomics.Uint64
	_     cacheline.Pad
	free  atomics.Uint64
	_     cacheline.Pad
	nodes arena[letter[T]]
}

// A letter is a value in a Mailbox.
type letter[T any] struct {
	older uint32 // the node below in head, 0 for none
	value T
}

const (
	mailStalled = 1 << 62
	mailClosed  = 1 << 63
)

// A Mark is a state of a Mailbox, to ask later whether anything has come since. The zero Mark is that
// of an empty box.
type Mark struct{ newest uint32 }

// Push adds v if the box is not closed, which is what ok says. If wake is set, the owner had stalled
// and the caller must wake it.
func (m *Mailbox[T]) Push(v T) (wake, ok bool) {
	index, n := m.nodes.unlink(&m.free)
	if n == nil {
		index, n = m.nodes.add()
	}
	n.value.value = v
	for {
		h := m.head.Load() // LP(Push, closed)
		if h&mailClosed != 0 {
			n.value = letter[T]{}
			link(&m.free, index, n)
			return false, false
		}
		n.value.older = uint32(h & indexMask)
		if m.head.CompareAndSwap(h, uint64(index)) { // LP(Push)
			return h&mailStalled != 0, true
		}
	}
}

// PopAll removes all values in one step and appends them to buf, the oldest first.
func (m *Mailbox[T]) PopAll(buf []T) []T {
	var h uint64
	for {
		h = m.head.Load() // LP(PopAll, empty)
		if h&indexMask == 0 {
			return buf
		}
		if m.head.CompareAndSwap(h, h&^indexMask) { // LP(PopAll)
			break
		}
	}
	// The chain leads from the newest to the oldest. It goes to the free list the other way
	// round, so that nodes which come back in that order are linked already.
	from := len(buf)
	newest := m.nodes.at(uint32(h & indexMask))
	index, n := uint32(h&indexMask), newest
	for {
		buf = append(buf, n.value.value)
		older := n.value.older
		n.value = letter[T]{}
		if older == 0 {
			break
		}
		n = m.nodes.at(older)
		if n.next.Load() != index {
			n.next.Store(index)
		}
		index = older
	}
	link(&m.free, index, newest)
	slices.Reverse(buf[from:])
	return buf
}

// Mark returns the state of the box.
func (m *Mailbox[T]) Mark() Mark { return Mark{uint32(m.head.Load() & indexMask)} }

// Stall registers the owner as stalled, or reports false if anything was pushed since the mark was
// made; with the zero Mark, if the box is not empty. A PopAll makes older marks useless but for the
// zero one. Nobody will wake an owner that stalls on a closed box.
func (m *Mailbox[T]) Stall(since Mark) bool {
	for {
		h := m.head.Load() // LP(Stall, not the mark)
		if uint32(h&indexMask) != since.newest {
			return false
		}
		if m.head.CompareAndSwap(h, h|mailStalled) { // LP(Stall)
			return true
		}
	}
}

// Unstall takes back the registration of an owner whose last Stall returned true. It reports whether a Push or Close had done so
// already; then that wake-up is on its way, and may come later still.
func (m *Mailbox[T]) Unstall() (woken bool) {
	for {
		h := m.head.Load()
		if h&mailStalled == 0 { // LP(Unstall, woken)
			return true
		}
		if m.head.CompareAndSwap(h, h&^mailStalled) { // LP(Unstall)
			return false
		}
	}
}

// Close closes the box: every later Push is refused, and what was pushed before can still be
// popped. ok is true for exactly one call; if wake is set, the owner had stalled and that
// call's caller must wake it.
func (m *Mailbox[T]) Close() (wake, ok bool) {
	for {
		h := m.head.Load() // LP(Close, closed)
		if h&mailClosed != 0 {
			return false, false
		}
		if m.head.CompareAndSwap(h, h&^mailStalled|mailClosed) { // LP(Close)
			return h&mailStalled != 0, true
		}
	}
}

// Closed reports whether the box is closed.
func (m *Mailbox[T]) Closed() bool { return m.head.Load()&mailClosed != 0 }

// Empty reports whether there was no value at some past moment.
func (m *Mailbox[T]) Empty() bool { return m.head.Load()&indexMask == 0 }
