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
		if !ok && *ran > 0 {
			if n, ok, until = r.stealRun(until); until < 0 {
				return false
			}
		}
		switch {
		case ok && s.isOfRun(n, events):
			r.runGraph(uint32(n &^ kernel.GraphBit))
			*ran++
			until = 0
		case ok:
			s.kern.PutBack(slot, n)
			r.flush()
			return false
		case *ran == 0 || complete(events):
			return false
		}
	}
}

// stealRun tries to steal once. It returns when to give up, which it decides the first time, and a negative time
// if that is now.
func (r *runner) stealRun(until int64) (n graphevent.Node, ok bool, giveUp int64) {
	s, slot := r.sys, r.Slot()
	now := atomics.Now()
	if until == 0 {
		r.flush() // perhaps that was the end of the run
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

// isOfRun reports whether n is a task of a graph and one of the last events is that of its run.
func (s *System) isOfRun(n graphevent.Node, events []Event) bool {
	if n&kernel.GraphBit == 0 {
		return false
	}
	events = events[max(0, len(events)-runsAwaited):]
	g := s.graphOf(uint32(n &^ kernel.GraphBit))
	return g != nil && slices.ContainsFunc(events, func(e Event) bool { return g.shown.Load() == refOf(e) })
}
