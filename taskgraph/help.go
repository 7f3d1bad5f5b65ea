package taskgraph

import (
	"slices"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/taskgraph/internal/kernel"
)

// runsAwaited is at how many of its events a wait looks for each task that it might run.
const runsAwaited = 8

// helpRuns runs tasks of graphs whose runs are among the events, as a worker would: those that lie where the
// slot's own deque ends, and after those others that it can steal.
func (r *runner) helpRuns(events []Event) {
	for ran := 0; r.helpRun(events, &ran); {
	}
}

// helpRun is helpRuns until a body panics: then it reports that there may be more.
func (r *runner) helpRun(events []Event, ran *int) (more bool) {
	defer r.rescue(r.depth, &more)
	s := r.sys
	until := int64(0)
	for {
		slot := r.Slot()
		n, ok := s.kern.PopMarked(slot, kernel.GraphBit)
		switch {
		case ok:
		case *ran == 0:
			return false
		default:
			if until == 0 {
				r.flush() // perhaps that was the end of the run
			}
			if complete(events) {
				return false
			}
			if n, ok, until = r.stealAwaited(until); until < 0 {
				return false
			}
		}
		if !ok {
			continue
		}
		if !s.isOfRun(n, events) {
			s.kern.PutBack(slot, n)
			r.flush()
			return false
		}
		r.runGraph(uint32(n &^ kernel.GraphBit))
		*ran++
		until = 0
	}
}

// helpGroup runs calls of g: those that lie where the slot's own deque ends, and after those others that it can steal until
// c, which waits, ends. It reports whether one panicked, so that there may be more.
func (r *runner) helpGroup(c *Context, g *Group) (more bool) {
	defer r.rescue(r.depth, &more)
	s := r.sys
	until := int64(0)
	for {
		f, _, ok := r.nextCall(g)
		if ok {
			r.runCalls(f, g, g)
			until = 0
			continue
		}
		if until == 0 {
			r.flush() // perhaps that was the last
		}
		if g.calls.Load() == 0 || c.Err() != nil { // there may be no end of calls to steal
			return false
		}
		var n graphevent.Node
		n, ok, until = r.stealAwaited(until)
		switch {
		case until < 0:
			return false
		case !ok:
		case !r.isCallOf(n, g):
			s.kern.PutBack(r.Slot(), n)
			return false
		default:
			r.runEntry(n, g)
			until = 0
		}
	}
}

// stealAwaited tries to steal once, for a wait that has found what it waits for in its own deque no more, and pauses if there
// is nothing. It returns when to give up, which it decides the first time, and a negative time if that is now.
func (r *runner) stealAwaited(until int64) (n graphevent.Node, ok bool, giveUp int64) {
	s, slot := r.sys, r.Slot()
	now := atomics.Now()
	if until == 0 {
		until = now + handOver
	}
	if !s.spin || now > until || s.kern.HasOther(slot) {
		return 0, false, -1
	}
	if n, ok = s.kern.Steal(slot); !ok {
		atomics.Pause(30)
	}
	return n, ok, until
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
