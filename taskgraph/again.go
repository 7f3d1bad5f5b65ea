package taskgraph

import (
	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/taskgraph/internal/entry"
	"github.com/heddle-go/heddle/taskgraph/internal/flight"
	"github.com/heddle-go/heddle/taskgraph/internal/kernel"
)

// Again makes the running task run once more: when the body has returned nil, the task waits for
// events and then calls the same body again, on any worker; without events it goes to the end of
// the queue. The task's event completes after the first round that fails or does not call Again;
// rounds take no memory. A round also waits for what DontCompleteUntil and Nest were given. If any
// of that fails, or one of events, or the context ends between two rounds, the task fails with it.
func (c *Context) Again(events ...Event) {
	c.misused("Again")
	must(c.graph == nil, "Again in a task of a graph")
	for _, e := range events {
		must(e != c.ev, "Again after the task itself")
	}
	p := c.r.sys.colds.At(uint32(c.ev.Node())).propsOf()
	p.again = append(p.again, events...)
	c.again = true
}

// hold makes e hold the running task of n open.
func (s *System) hold(n graphevent.Node, c *cold, e Event) {
	if p := c.props.Load(); c.special.Load() && p.repeated {
		s.store.HoldAgain(n, c.edges, e, &p.spare)
	} else {
		s.store.HoldOpen(n, c.edges, e)
	}
	c.edges = min(c.edges+1, manyEdges)
}

// manyEdges is where the number of the next edge stays: all from a few on are alike.
const manyEdges = 1 << 31

// repeat ends a round of the body of c, the last on the stack, that has called Again: RO1.
func (r *runner) repeat(c *Context, cold *cold, body Body) {
	if c.forks != nil {
		c.settle(nil)
	}
	s, e := r.sys, c.ev
	above := r.above
	if r.next.f != nil {
		body, r.next, r.above = r.next, Body{}, 0
	}
	n, p := e.Node(), cold.props.Load()
	if r.lane != nil {
		r.traceHold(c, p.again)
	}
	for _, after := range p.again {
		s.hold(n, cold, after)
	}
	p.again = p.again[:0]
	if r.lane != nil {
		p.rounds++
		r.lane.End(flight.EndOpen, keyOf(e))
	}
	s.newEdge()
	// For the next round, which may begin, elsewhere, before store.Again returns.
	cold.body, p.ctx = body.f, c.ctx
	cold.edges, p.repeated = 0, true
	r.pop(c)
	if r.o != nil {
		r.o.ran++
	}
	cache, by := s.by(r.o)
	ready := s.store.Again(n, cache, by)
	if ready && s.log != nil {
		s.traceKey(r.o, flight.Ready, s.nodeKey(n))
	}
	switch {
	case ready && above > 0 && !s.late(n): // LO11
		r.o.push(n, kernel.Normal)
		s.kern.Sink(r.o.slot, above)
	case ready && !s.late(n) && !s.bind(e, cold, nil): // RO2
		// Behind what is queued, not on the own deque: the task would be the next to run.
		s.kern.Inject(entry.OfTask(n), cold.priority(e).level())
	case !ready && s.abandoned.Load():
		// RO3: the shutdown may have looked before the task began to wait.
		s.ending.Disown(e)
	}
}

// DontCompleteUntil delays the completion of the running task, not its body, until events have
// completed; it may be called many times. If one of them fails, the task fails, unless its body
// does. It panics at the task's own event, and where more than 2^22-2 would hold the task open.
func (c *Context) DontCompleteUntil(events ...Event) {
	c.misused("DontCompleteUntil")
	s, n := c.r.sys, c.ev.Node()
	cold := s.colds.At(uint32(n))
	if c.r.lane != nil {
		c.r.traceHold(c, events)
	}
	for _, e := range events {
		must(e != c.ev, "DontCompleteUntil of a task on itself")
		if c.graph != nil {
			c.holds = append(c.holds, e)
			continue
		}
		s.hold(n, cold, e)
	}
	s.newEdge()
}
