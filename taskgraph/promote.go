package taskgraph

import (
	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/taskgraph/internal/entry"
)

// Promote raises the priority of a task that has not started to p, and reports whether it did. A
// task that is queued for a named thread stays as it is. A body that waits promotes what it waits
// for, and the prerequisites of that, to its own priority; a wait from outside does not.
func (s *System) Promote(e Event, p Priority) bool {
	p.must("Promote to a priority")
	return e.Store() == s.store && s.promote(e, p)
}

func (s *System) promote(e Event, p Priority) bool {
	c := s.colds.At(uint32(e.Node()))
	switch e.State() {
	case graphevent.StateReady:
		if s.store.IsPinned(e) && (c.boundTo() != nil || c.hasOwnThread()) {
			return false
		}
	case graphevent.StateHeld, graphevent.StateWaiting:
	default:
		return false
	}
	raised, ready := c.propsOf().rank.Raise(e, p.level())
	if ready {
		// It may lie in a queue of its former level. Whichever entry is popped first runs it.
		n, ok := s.promoted.Add(e)
		must(ok, "more than 2^28 promotions of tasks that have not started")
		s.kern.Inject(entry.Of(entry.Promotion, n), p.level())
	}
	return raised
}

const (
	promoteDepth  = 8  // how far a wait that promotes follows prerequisites
	promoteBudget = 64 // how many events it looks at
)

func (s *System) promoteFor(events []Event, p Priority) {
	budget := promoteBudget
	for _, e := range events {
		s.promoteChain(e, p, promoteDepth, &budget)
	}
}

func (s *System) promoteChain(e Event, p Priority, depth int, budget *int) {
	if *budget--; *budget < 0 || e.Store() != s.store || e.IsComplete() {
		return
	}
	// A task without props has PriorityNormal.
	if s.colds.At(uint32(e.Node())).special.Load() || p.level() < PriorityNormal.level() {
		s.promote(e, p)
	}
	if depth == 0 {
		return
	}
	var buf [8]Event
	for _, pre := range s.store.Prerequisites(e, buf[:0]) {
		s.promoteChain(pre, p, depth-1, budget)
	}
}
