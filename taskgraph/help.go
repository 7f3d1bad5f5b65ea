package taskgraph

import (
	"slices"

	"github.com/heddle-go/heddle/taskgraph/internal/entry"
)

// runsAwaited is at how many of its events a wait looks for each task that it might run.
const runsAwaited = 8

const (
	helpDepth  = 64   // how far a wait follows prerequisites
	helpBudget = 1024 // how many events it looks at for that
)

// runEarly runs e here if it has not started; else what it waits for, and then e.
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

// stealAwaited tries to steal once, for a wait that finds what it waits for in its own deque no more.
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
	return s.kern.Steal(slot)
}

// isCallOf reports whether calls of g lie behind the entry e, which the slot has taken.
func (r *runner) isCallOf(e entry.Entry, g *Group) bool {
	if !e.Kind().IsCalls() {
		return false
	}
	_, of := r.groupOf(e)
	return of == g
}

// isOfRun reports whether e is a task of a graph and one of the last events is that of its run.
func (s *System) isOfRun(e entry.Entry, events []Event) bool {
	if !isOfGraph(e) {
		return false
	}
	events = events[max(0, len(events)-runsAwaited):]
	g := s.graphOf(e)
	return g != nil && slices.ContainsFunc(events, func(e Event) bool { return g.shown.Load() == refOf(e) })
}

// awaitsRun reports whether one of the last events is that of a run that goes on, or is about to: somebody may have taken the task that
// begins it.
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
