package kernel

import (
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/lockfree"
	"github.com/heddle-go/heddle/taskgraph/internal/entry"
	"github.com/heddle-go/heddle/taskgraph/internal/joins"
)

// A Note says where a call runs that another runner has taken, so that a wait for the call can run
// its forks meanwhile. A C stands for a body on a stack, and is used again by the next body in the
// same place. The page leap.md has the steps.
type Note[C any] struct {
	in   atomics.Pointer[C]    // nil: nobody runs it
	slot atomics.Pointer[Slot] // where it began
}

// Begin is for whoever has taken the call and is about to run it in c on s.
func (n *Note[C]) Begin(c *C, s *Slot) {
	n.slot.Store(s)
	n.in.Store(c) // L1
}

// End is Done of the call's Join.
func (n *Note[C]) End(j *joins.Join) (waiting bool) {
	n.in.Store(nil) // L2: after Done the note may belong to another call
	return j.Done()
}

// Leap is for the holder of s, whose body waits for the call. If ok, it has stolen a fork that the
// call made, which its caller has to take. isOf reports whether the body in c made the given fork,
// or the fork was taken early and only has to be let go of. over says that the slot of the call has
// turned to something else.
func (n *Note[C]) Leap(k *Kernel, s *Slot,
	isOf func(fork uint32, c *C) bool) (fork uint32, ok, over bool) {
	if n.in.Load() == nil || k.HasOther(s) {
		return 0, false, false
	}
	v := n.slot.Load()
	if v == s {
		return 0, false, true
	}
	e, ok := k.stealOne(s, v) // L3
	if !ok {
		return 0, false, false
	}
	if e.Kind() == entry.Fork {
		fork = e.Index()
		if c := n.in.Load(); c != nil && isOf(fork, c) { // L4
			return fork, true, false
		}
	}
	k.PutBack(s, e)
	return 0, false, true
}

// stealOne steals the oldest foreground entry of v for the holder of s.
func (k *Kernel) stealOne(s, v *Slot) (entry.Entry, bool) {
	k.keepOff(s)
	if v.isHidden() {
		return 0, false
	}
	for {
		e, r := v.deques[0].Steal()
		switch r {
		case lockfree.StealOK:
			s.steals.Add(1)
			s.stoleAt = atomics.Now()
			return e, true
		case lockfree.StealEmpty:
			return 0, false
		}
	}
}
