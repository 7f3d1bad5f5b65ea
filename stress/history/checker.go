package history

import (
	"fmt"
	"hash/maphash"
	"math/bits"
)

// MaxCalls is the number of calls that a Checker can judge at once.
const MaxCalls = 64

// A Checker decides whether histories are linearizable, that is, whether there is an order of
// their calls in which each does what the Spec says, and in which a call comes before those
// that it precedes.
//
// Make one with NewChecker. It keeps its scratch memory, so that a Checker that has grown
// to its work allocates nothing.
//
// # Concurrency
//
// For one goroutine at a time.
//
// # Cost
//
// In the usual case, in which the history is linearizable and few calls overlap, little more
// than a Step for each call. The worst case is exponential in the number of calls that
// overlap each other: the states of all their subsets that can come first.
// BenchmarkChecker measures both.
type Checker[S comparable] struct {
	// Wing and Gong, "Testing and verifying concurrent objects", JPDC 1993; the memory of
	// what failed is Lowe's, "Testing for linearizability", CCPE 2017.
	//
	// The search is depth first. A frame is a set of calls that have taken effect, and the
	// state after them; next comes any call that no other one left precedes. From the same
	// set and state the rest is the same, so a frame that failed is remembered, and
	// never entered again. Frames that have not failed need not be remembered: a set only
	// grows, so the search does not come back to them.

	spec  Spec[S]
	calls []Call // while in use
	n     int

	// The calls in the order in which they began: where in calls, when they began and ended.
	index      [MaxCalls]uint8
	begin, end [MaxCalls]int64
	before     [MaxCalls]uint64 // the steps that come before a call
	pending    uint64

	frames [MaxCalls + 1]frame[S]
	failed memory[S]
}

// A frame is a point of the search. Sets are of positions in the order of begin.
type frame[S comparable] struct {
	done  uint64 // calls that have taken effect
	todo  uint64 // calls that may come next and were not tried
	last  uint8  // the call that led here
	state S
}

// NewChecker returns a Checker for spec.
func NewChecker[S comparable](spec Spec[S]) *Checker[S] {
	return &Checker[S]{spec: spec, failed: memory[S]{seed: maphash.MakeSeed()}}
}

// Linearizable reports whether the history is linearizable. The calls may stand in any order.
// It panics if there are more than MaxCalls, or if one ended before it began.
func (c *Checker[S]) Linearizable(calls []Call) bool {
	c.sort(calls)
	_, ok := c.search(c.all(), c.all()&^c.pending)
	c.calls = nil
	return ok
}

// sort takes up a history.
func (c *Checker[S]) sort(calls []Call) {
	if len(calls) > MaxCalls {
		panic(fmt.Sprintf("history: %d calls, more than %d", len(calls), MaxCalls))
	}
	c.calls, c.n, c.pending = calls, len(calls), 0
	for i := range calls {
		begin, end := calls[i].Begin, calls[i].end()
		if end < begin {
			panic(fmt.Sprintf("history: call %d ended before it began", i))
		}
		at := i
		for ; at > 0 && c.begin[at-1] > begin; at-- {
			c.index[at], c.begin[at], c.end[at] = c.index[at-1], c.begin[at-1], c.end[at-1]
		}
		c.index[at], c.begin[at], c.end[at] = uint8(i), begin, end
	}
	for i := range c.n {
		call := &calls[c.index[i]]
		if call.Status == Pending {
			c.pending |= 1 << i
		}
		if c.before[i] = 0; call.Step != 0 {
			c.before[i] = c.stepsBefore(call)
		}
	}
}

func (c *Checker[S]) stepsBefore(call *Call) (set uint64) {
	for j := range c.n {
		if c.calls[c.index[j]].isStepBefore(call) {
			set |= 1 << j
		}
	}
	return set
}

// all is the set of all calls.
func (c *Checker[S]) all() uint64 { return 1<<c.n - 1 } // also for 64

// search looks for an order of calls of the set may that has all those of the set must. It
// leaves that order in the first frames, last by last.
func (c *Checker[S]) search(may, must uint64) (length int, ok bool) {
	c.failed.forget()
	f := &c.frames[0]
	f.done, f.state, f.todo = 0, c.spec.Init, c.next(may)
	if must == 0 {
		return 0, true
	}
	depth := 0
	for {
		f := &c.frames[depth]
		if f.todo == 0 {
			if depth == 0 {
				return 0, false
			}
			c.failed.add(f.done, &f.state)
			depth--
			continue
		}
		// Pending calls last: most often they are not needed.
		first := f.todo & must
		if first == 0 {
			first = f.todo
		}
		i := bits.TrailingZeros64(first)
		f.todo &^= 1 << i
		to := &c.frames[depth+1]
		var legal bool
		to.state, legal = c.spec.Step(f.state, &c.calls[c.index[i]])
		if !legal {
			continue
		}
		to.done, to.last = f.done|1<<i, uint8(i)
		if must&^to.done == 0 {
			return depth + 1, true
		}
		if c.failed.has(to.done, &to.state) {
			continue
		}
		to.todo = c.next(may &^ to.done)
		depth++
	}
}

// next returns which calls of a set may come first: those that no other one precedes.
func (c *Checker[S]) next(of uint64) (first uint64) {
	limit := int64(Never)
	for left := of; left != 0; left &= left - 1 {
		i := bits.TrailingZeros64(left)
		if c.begin[i] > limit {
			break // and so did all that follow
		}
		if c.before[i]&of == 0 {
			first |= 1 << i
		}
		limit = min(limit, c.end[i])
	}
	return first
}
