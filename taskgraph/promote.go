package taskgraph

import (
	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/taskgraph/internal/entry"
)

// Promote raises the priority of a task that has not started to p, and reports whether it did. A
// task that is queued for a named thread stays as it is. A body that waits promotes what it waits
// for, and the prerequisites of that, to its own priority; a wait from outside does not.
func (s *System) Promote(e Event, p Priority) bool {
	if int(p) >= len(priorityNames) {
		panic("taskgraph: Promote to a priority out of range")
	}
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
	gen := e.Generation()
	for word := &c.propsOf().prio; ; {
		w, now := word.Load(), PriorityNormal
		switch {
		case w>>prioBits > gen:
			return false // long complete
		case w>>prioBits == gen:
			now = Priority(w & (1<<prioBits - 1))
		}
		if now.level() <= p.level() {
			return false
		}
		if word.CompareAndSwap(w, gen<<prioBits|uint64(p)) { // PR1
			break
		}
	}
	// Whoever makes it ready from now on sees the priority (PR3). If it is ready already, it may
	// have been queued without (PR2): then it gets an entry of another kind, that goes by the event
	// and not by the node, and the first to be popped runs it.
	if e.State() == graphevent.StateReady {
		s.kern.Inject(entry.Of(entry.Promotion, s.newPromoted(e)), p.level())
	}
	return true
}

// A promoted is what an entry of kind Promotion refers to.
type promoted struct {
	ev Event
}

func (s *System) newPromoted(e Event) uint32 {
	n, p := s.promotions.Take()
	if p == nil {
		panic("taskgraph: more than 2^28 promotions of tasks that have not started")
	}
	p.ev = e
	return n
}

// runPromoted runs the task of the promoted n, unless it has started or may not run here.
func (r *runner) runPromoted(n uint32) {
	s := r.sys
	p := s.promotions.At(n)
	e := p.ev
	p.ev = Event{}
	s.promotions.Put(n)
	if r.claimEarly(e) {
		r.execute(e.Node())
	}
}

// claimEarly claims the task of e, which is not taken out of a queue, if it is ready and may run
// here.
func (r *runner) claimEarly(e Event) bool {
	s := r.sys
	if s.store.Held(e) { // may be pinned yet
		return false
	}
	if s.store.IsPinned(e) {
		if c := s.colds.At(uint32(e.Node())); c.boundTo() != r.namedThread() || c.hasOwnThread() || c.isClosed() {
			return false
		}
	}
	return s.store.TryClaim(e)
}

const (
	promoteDepth  = 8  // how far a wait that promotes follows prerequisites
	promoteBudget = 64 // how many events it looks at
)

// promoteFor promotes what a wait of priority p waits for.
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
