package taskgraph

import (
	"slices"

	"github.com/heddle-go/heddle/taskgraph/internal/entry"
)

// runsAwaited is how many of its last events a wait compares with each task that it might run.
const runsAwaited = 8

const (
	helpDepth  = 64   // how far a wait follows prerequisites
	helpBudget = 1024 // how many events a wait looks at meanwhile
)

// runEarly runs e here if e is ready; otherwise it runs what e waits for, and then e.
func (r *runner) runEarly(e Event, depth int, budget *int32) {
	if r.tryRun(e) && e.IsComplete() || depth == 0 || r.isStirred() {
		return
	}
	var buf [8]Event
	for _, p := range r.sys.store.Prerequisites(e, buf[:0]) {
		if *budget--; *budget < 0 {
			return
		}
		r.runEarly(p, depth-1, budget)
	}
	if !e.IsComplete() && !r.isStirred() {
		r.tryRun(e)
	}
}

// tryRun runs the task of e if it is ready and may run here.
func (r *runner) tryRun(e Event) bool {
	if !r.claimEarly(e) {
		return false
	}
	r.nested(e.Node())
	return true
}

// stealAwaited tries to steal once, for a wait that no longer finds awaited work in its own deque.
func (r *runner) stealAwaited() (e entry.Entry, ok bool) {
	s, slot := r.sys, r.Slot()
	if r.onThread() {
		if e, ok = r.named.takeShared(); ok {
			return e, true
		}
	}
	if !s.spin || s.kern.HasOther(slot) {
		return 0, false
	}
	e, ok = s.kern.Steal(slot)
	if ok && r.lane != nil {
		r.traceSteal(e, slot)
	}
	return e, ok
}

// isCallOf reports whether the entry e, which the slot has taken, holds calls of g.
func (r *runner) isCallOf(e entry.Entry, g *Group) bool {
	if !e.Kind().IsCalls() {
		return false
	}
	_, of := r.groupOf(e)
	return of == g
}

// isOfRun reports whether e is a task of a graph whose run is one of the last events.
func (s *System) isOfRun(e entry.Entry, events []Event) bool {
	if !isOfGraph(e) {
		return false
	}
	g := s.graphOf(e)
	return g != nil && s.isAmong(g.shown.Load(), events)
}

// isHelperOf reports whether e is a helper of a loop that is part of such a run. At its end the
// loop takes its helpers back; one that has stepped out and is claimed later finds the crew closed.
func (s *System) isHelperOf(e entry.Entry, events []Event) bool {
	return e.Kind() == entry.Helper && s.isAmong(s.colds.At(uint32(e.Node())).part.Load(), events)
}

// isAmong reports whether ref refers to one of the last events.
func (s *System) isAmong(ref uint64, events []Event) bool {
	events = events[max(0, len(events)-runsAwaited):]
	return slices.ContainsFunc(events, func(e Event) bool {
		return refOf(e) == ref && e.Store() == s.store
	})
}

// awaitsRun reports whether one of the last events is a run that is under way or about to begin:
// somebody may have taken the task that begins it.
func (s *System) awaitsRun(events []Event) bool {
	events = events[max(0, len(events)-runsAwaited):]
	return slices.ContainsFunc(events, func(e Event) bool {
		if e.Store() != s.store {
			return false
		}
		g := s.colds.At(uint32(e.Node())).run.Load()
		return g != nil && (g.launched.Load() == refOf(e) || g.shown.Load() == refOf(e))
	})
}

// claimEarly claims the task of e, which is not taken out of a queue, if it is ready and may run
// here.
func (r *runner) claimEarly(e Event) bool {
	s := r.sys
	if s.store.Held(e) { // may be pinned yet
		return false
	}
	if s.store.IsPinned(e) {
		if c := s.colds.At(uint32(e.Node())); c.boundTo() != r.namedThread() || c.hasOwnThread() ||
			c.isClosed() {
			return false
		}
	}
	return s.store.TryClaim(e)
}
