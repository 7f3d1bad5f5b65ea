package pending

import (
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/taskgraph/internal/records"
)

// A Set has the things that are pending. The zero Set is empty and ready. Every method may be
// called by any goroutine, and is lock-free. Add allocates only when more things are pending than
// ever before.
type Set[T any] struct {
	slots records.Pool[atomics.Pointer[T]]
	n     atomics.Int64
}

// A Ticket is the place of one thing in its Set. The thing contains it.
type Ticket struct {
	slot uint32
	over atomics.Bool
}

// Add puts x, whose ticket is t, into the set, and reports false if as many things are pending as
// entries can name. Afterwards its caller looks whether everything that is pending has to end (E2).
func (s *Set[T]) Add(x *T, t *Ticket) bool {
	n, slot := s.slots.Take()
	if slot == nil {
		return false
	}
	t.slot = n
	s.n.Add(1)
	slot.Store(x) // E1
	return true
}

// End ends the thing with the ticket, and reports true to the first caller. That caller calls Done
// when it has carried out the end: until then the thing is in the set.
func (s *Set[T]) End(t *Ticket) bool { return t.over.CompareAndSwap(false, true) } // E4

// Done is called once for each thing that was ended, and takes it out.
func (s *Set[T]) Done(t *Ticket) { // E5
	s.slots.At(t.slot).Store(nil)
	s.slots.Put(t.slot)
	s.n.Add(-1)
}

// IsOver reports whether the thing with the ticket was ended.
func (t *Ticket) IsOver() bool { return t.over.Load() }

// Len returns how many things were pending, or ended and not yet Done, at some past moment.
func (s *Set[T]) Len() int { return int(s.n.Load()) }

// All yields the things in the set. It may miss those that are added meanwhile.
func (s *Set[T]) All(yield func(*T) bool) {
	for slot := range s.slots.All {
		if x := slot.Load(); x != nil && !yield(x) { // E3
			return
		}
	}
}
