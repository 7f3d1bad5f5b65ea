package pending

import (
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/taskgraph/internal/records"
)

// A Set has what is pending. The zero Set is empty and ready. Every method may be called by any
// goroutine, and is lock-free. Add allocates only while more is pending than ever before.
type Set[T any] struct {
	slots records.Pool[atomics.Pointer[T]]
	n     atomics.Int64
}

// A Ticket is the place of one thing in its Set, and part of it.
type Ticket struct {
	slot uint32
	over atomics.Bool
}

// Add puts x, whose ticket t is, into the set, and reports false if as much is pending as entries
// can name. Whoever adds looks after that whether all that is pending has to end (E2).
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

// Remove takes what has the ticket out of the set, and reports true to the first who does. That one
// calls Done when it has brought about what the end means: until then Len counts it.
func (s *Set[T]) Remove(t *Ticket) bool {
	if !t.over.CompareAndSwap(false, true) { // E4
		return false
	}
	s.slots.At(t.slot).Store(nil)
	s.slots.Put(t.slot)
	return true
}

// Done is called once for each thing that was removed.
func (s *Set[T]) Done() { s.n.Add(-1) }

// IsOver reports whether what has the ticket was removed.
func (t *Ticket) IsOver() bool { return t.over.Load() }

// Len returns how many were pending, or removed and not yet Done, at some past moment.
func (s *Set[T]) Len() int { return int(s.n.Load()) }

// All yields what is pending. It may miss what is added meanwhile, and yield what is being removed.
func (s *Set[T]) All(yield func(*T) bool) {
	for slot := range s.slots.All {
		if x := slot.Load(); x != nil && !yield(x) { // E3
			return
		}
	}
}
