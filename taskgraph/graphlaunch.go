package taskgraph

import (
	"slices"

	"github.com/heddle-go/heddle/taskgraph/internal/entry"
	"github.com/heddle-go/heddle/taskgraph/internal/plan"
	"github.com/heddle-go/heddle/taskgraph/internal/readylist"
)

// LaunchGraph runs g after the given events have completed, and returns the event of the run, which
// completes when all tasks of g have ended. If some fail, those that depend on them are skipped,
// the others run, and the event fails with the failures. It panics if a run of g goes on, or if a
// task is for a thread that is not of the registry of the system.
func (s *System) LaunchGraph(g *Graph, after ...Event) Event {
	g.begin(s)
	return g.launch(s.Task(Body{g}), after)
}

// LaunchGraph is [System.LaunchGraph] with the priority of the running task.
func (c *Context) LaunchGraph(g *Graph, after ...Event) Event {
	g.begin(c.r.sys)
	return g.launch(c.Task(Body{g}), after)
}

func (g *Graph) launch(t Task, after []Event) Event {
	if t.ev.Store() != t.sys.store { // refused
		g.running.Store(false)
		return t.ev
	}
	g.launched.Store(refOf(t.ev))
	t.sys.colds.At(uint32(t.ev.Node())).run.Store(g)
	return t.After(after...).Launch()
}

func (g *Graph) begin(s *System) {
	must(g != nil && g.built, "LaunchGraph of a Graph that no GraphBuilder made")
	if len(g.threads) > 0 {
		if err := s.foreign(g.threads[0].thread); err != nil {
			panic(err.Error())
		}
	}
	must(g.running.CompareAndSwap(false, true), "LaunchGraph of a Graph that is running")
}

// start is the body of the run's task (GR1): it queues the tasks without prerequisites. The run's
// event is held open until the last task has ended. graph.md has the protocol.
func (g *Graph) start(c *Context) error {
	s, n := c.r.sys, g.Len()
	if n == 0 {
		g.running.Store(false)
		return nil
	}
	if order := g.plan.PutInOrder(); order != nil {
		copy(g.bodies, plan.Reordered(g.bodies, order)) // in place: a report may ask for the length
		g.others = plan.Reordered(g.others, order)
		g.known = nil
	}
	g.sys, g.event, g.prio, g.ctx = s, c.ev, c.prio, c.ctx
	g.careful = !g.isPlain() || g.ctx != nil
	if s.log != nil {
		g.traceRun(c)
	}
	g.beginGoRun()
	g.plan.Begin()
	first, ok := s.graphs.Place(g, n)
	if !ok {
		g.leave()
		panic("taskgraph: more than 2^28 tasks in graphs that run")
	}
	g.first = entry.Of(entry.GraphTask, first)
	s.store.Delay(c.ev.Node())
	g.tally.Begin(n)
	g.shown.Store(refOf(g.event))
	if run := &s.colds.At(uint32(c.ev.Node())).run; run.Load() != g {
		run.Store(g)
	}
	if len(g.threads) > 0 {
		g.beginThreads()
	}
	o := c.r.o
	if g.mayGoAlone(o) {
		g.pace.Begin(s.kern, o.slot)
	}
	roots := g.plan.Roots
	if g.listed = g.mayBeListed() && g.list.Begin(&g.plan); g.listed {
		g.careful = true
		for _, i := range roots {
			if !g.isBound(i) {
				g.list.Put(i)
			}
		}
	}
	if len(roots) == 1 || o == nil || !g.isPlain() {
		for _, i := range slices.Backward(roots) {
			g.queueReady(o, i)
		}
		return nil
	}
	var buf [64]entry.Entry
	for end := len(roots); end > 0; {
		k := min(end, len(buf))
		for i := range k {
			end--
			buf[i] = g.entry(roots[end])
		}
		s.kern.PushAll(o.slot, buf[:k])
	}
	return nil
}

// mayGoAlone reports whether the run, which the holder of o's slot begins, may be hidden.
func (g *Graph) mayGoAlone(o *owner) bool {
	s := g.sys
	return o != nil && s.spin && !g.careful && g.others == nil && s.kern.Workers() > 1
}

// mayBeListed reports whether ready tasks of the run may be in a list, of which whoever is free
// takes the most urgent. One of another priority than the run's must not be taken for one of them.
func (g *Graph) mayBeListed() bool {
	return g.sys.pair && g.sys.kern.Workers() > 1 && !g.ownPriorities && !g.pace.IsAlone() &&
		g.Len() <= readylist.Most
}
