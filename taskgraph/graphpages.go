package taskgraph

import (
	"time"

	"github.com/heddle-go/heddle/taskgraph/internal/entry"
	"github.com/heddle-go/heddle/taskgraph/internal/pace"
)

// A run of a graph takes a stretch of indices for its entries in queues, so that an entry leads to
// its graph by the index and to its task by the distance from the stretch's beginning.

func (g *Graph) entry(i uint32) entry.Entry { return g.first.Plus(i) }

// taskOf returns the task that e is the entry of, and reports whether that is one of g.
func (g *Graph) taskOf(e entry.Entry) (i uint32, ok bool) { return e.In(g.first, uint32(g.Len())) }

func isOfGraph(e entry.Entry) bool { return e.Kind() == entry.GraphTask }

// graphOf returns the graph that e is the entry of a task of; nil if the run was given up.
func (s *System) graphOf(e entry.Entry) *Graph { return s.graphs.At(e.Index()) }

// mayBePart reports whether what e stands for may be part of a run of a graph.
func mayBePart(e entry.Entry) bool { return isOfGraph(e) || e.Kind() == entry.Helper }

// popOfRun takes what may be part of a run of a graph off the own deque, if that would come next.
func (r *runner) popOfRun() (entry.Entry, bool) {
	return r.sys.kern.PopKind(r.Slot(), entry.GraphTask, entry.Helper)
}

func (s *System) placeGraph(g *Graph) {
	first, ok := s.graphs.Place(g, g.Len())
	if !ok {
		g.running.Store(false)
		panic("taskgraph: more than 2^28 tasks in graphs that run")
	}
	g.first = entry.Of(entry.GraphTask, first)
}

// cutOff begins to take g back, after a shutdown has completed its run e although some of its tasks
// have not ended: these are in the queue of a thread that does not pump, or are held open by events
// that do not complete. Whoever finds one of them later sees that the entry has no graph or the
// wait is over.
func (s *System) cutOff(g *Graph, e Event) {
	s.graphs.Hide(g.first.Index(), g.Len())
	for w := s.colds.At(uint32(e.Node())).waits.First(); w != nil; w = w.Next() {
		w.GiveUp()
	}
}

// takeBack makes graphs that were cut off usable again in another system. Whoever found one of
// their tasks before that counts as active: if somebody is, through so many looks, a millisecond
// apart, the graphs are left as they are.
func (s *System) takeBack(all []*Graph, looks int) {
	if len(all) == 0 {
		return
	}
	for idle, _ := s.kern.Quiet(); !idle; idle, _ = s.kern.Quiet() {
		if looks--; looks < 0 {
			return
		}
		s.quiet.ParkTimeout(time.Millisecond)
	}
	for _, g := range all {
		g.plan.SetBack()
		_ = g.result()
		g.pace = pace.Pace{}
		g.list.Drop()
		g.shown.Store(0)
		g.sys, g.event, g.ctx = nil, Event{}, nil
		g.running.Store(false)
	}
}
