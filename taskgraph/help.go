package taskgraph

import (
	"slices"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/taskgraph/internal/kernel"
)

// runsAwaited is at how many of its events a wait looks for each task that it might run.
const runsAwaited = 8

// helpRuns runs tasks of graphs whose runs are among the events, as a worker would: those that lie where the
// slot's own deque ends, and others that it can steal, until the wait is over or has been awake in vain.
func (r *runner) helpRuns(events []Event) {
	for ran := 0; r.helpRun(events, &ran); {
	}
}

// helpRun is helpRuns until a body panics: then it reports that there may be more.
func (r *runner) helpRun(events []Event, ran *int) (more bool) {
	defer r.rescue(r.depth, &more)
	s := r.sys
	for idle := false; ; {
		if r.isStirred() {
			return false
		}
		slot := r.Slot()
		n, ok := s.kern.PopMarked(slot, kernel.GraphBit)
		if !ok {
			if *ran == 0 && (!s.spin || !s.awaitsRun(events)) {
				return false
			}
			if !idle {
				r.flush() // perhaps that was the end of the run
				idle = true
			}
			if complete(events) {
				return false
			}
			if n, ok = r.stealAwaited(); !ok {
				if !r.linger.on() {
					return false
				}
				continue
			}
		}
		if !s.isOfRun(n, events) {
			s.kern.PutBack(slot, n)
			r.flush()
			return false
		}
		if n, more := r.runGraph(uint32(n &^ kernel.GraphBit)); more { // no body is below
			s.kern.PutBack(r.Slot(), n)
		}
		*ran++
		idle = false
		r.linger.Begin()
	}
}

// helpGroup runs calls of g: those that lie where the slot's own deque ends, and after those others that it can steal until
// c, which waits, ends. It reports whether one panicked, so that there may be more.
func (r *runner) helpGroup(c *Context, g *Group) (more bool) {
	defer r.rescue(r.depth, &more)
	s := r.sys
	r.linger.Begin()
	for idle := false; ; {
		if r.isStirred() {
			return false
		}
		f, _, ok := r.nextCall(g)
		if ok {
			r.runCalls(f, g, g)
			idle = false
			r.linger.Begin()
			continue
		}
		if !idle {
			r.flush() // perhaps that was the last
			idle = true
		}
		if g.calls.Load() == 0 || c.Err() != nil { // there may be no end of calls to steal
			return false
		}
		n, ok := r.stealAwaited()
		switch {
		case !ok:
			if !r.linger.on() {
				return false
			}
		case !r.isCallOf(n, g):
			s.kern.PutBack(r.Slot(), n)
			return false
		default:
			r.runEntry(n, g)
			idle = false
			r.linger.Begin()
		}
	}
}

// stealAwaited tries to steal once, for a wait that finds what it waits for in its own deque no more.
func (r *runner) stealAwaited() (n graphevent.Node, ok bool) {
	s, slot := r.sys, r.Slot()
	if r.thread != nil {
		if n, ok = r.takeShared(); ok {
			return n, true
		}
	}
	if !s.spin || s.kern.HasOther(slot) {
		return 0, false
	}
	return s.kern.Steal(slot)
}

// isCallOf reports whether calls of g lie behind the entry n, which the slot has taken.
func (r *runner) isCallOf(n graphevent.Node, g *Group) bool {
	if n&(kernel.CallBit|kernel.ForkBit|kernel.GraphBit|kernel.PromoteBit) != kernel.CallBit {
		return false
	}
	_, of := r.groupOf(n)
	return of == g
}

// isOfRun reports whether n is a task of a graph and one of the last events is that of its run.
func (s *System) isOfRun(n graphevent.Node, events []Event) bool {
	if n&kernel.GraphBit == 0 {
		return false
	}
	events = events[max(0, len(events)-runsAwaited):]
	g := s.graphOf(uint32(n &^ kernel.GraphBit))
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
