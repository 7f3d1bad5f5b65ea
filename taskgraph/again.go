package taskgraph

import (
	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/taskgraph/internal/entry"
)

// Again makes the running task run once more: when the body has returned nil, the task waits
// for events, and then the same body is called again, by any worker. It is the same task all the
// time, with the same event, which completes after a round that does not call Again, or that
// fails. Any number of rounds takes no more memory than one. Without events to wait for, the
// task goes to the end of the queue.
//
// A round ends like a task: what DontCompleteUntil and Nest were given is waited for as well. If
// any of it fails, or an event that the next round waits for, the task fails with that and does
// not run again. It does not either when its context ends between two rounds.
func (c *Context) Again(events ...Event) {
	c.misused("Again")
	if c.graph != nil {
		panic("taskgraph: Again in a task of a graph")
	}
	for _, e := range events {
		if e == c.ev {
			panic("taskgraph: Again after the task itself")
		}
	}
	p := c.r.sys.colds.At(uint32(c.ev.Node())).propsOf()
	p.again = append(p.again, events...)
	c.again = true
}

// hold makes e hold the running task of n open.
func (s *System) hold(n graphevent.Node, c *cold, e Event) {
	if c.special.Load() {
		if p := c.props.Load(); p.repeated {
			s.store.HoldAgain(n, c.edges, e, &p.spare)
			c.edges = min(c.edges+1, manyEdges)
			return
		}
	}
	s.store.HoldOpen(n, c.edges, e)
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
	n, p := e.Node(), cold.props.Load()
	for _, after := range p.again {
		s.hold(n, cold, after)
	}
	p.again = p.again[:0]
	s.newEdge()
	// For the next round, which begins when Again has made the task ready, perhaps elsewhere
	// and before Again returns.
	cold.body, p.ctx = body.f, c.ctx
	cold.edges, p.repeated = 0, true
	r.pop(c)
	var ready bool
	if o := r.owner(); o != nil {
		o.running = r.depth > 0
		o.ran++
		ready = s.store.Again(n, &o.slot.Cache, o)
	} else {
		ready = s.store.Again(n, nil, &s.outside)
	}
	switch {
	case ready && !s.late(n) && !s.bind(e, cold, nil): // RO2
		// Behind what is queued, not on the own deque: the task would be the next to run.
		s.kern.Inject(entry.OfTask(n), cold.priority(e).level())
	case !ready && s.abandoned.Load():
		// RO3: the shutdown may have looked before the task began to wait.
		s.ending.Disown(e)
	}
}
