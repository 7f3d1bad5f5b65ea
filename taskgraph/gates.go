package taskgraph

import (
	"fmt"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/taskgraph/internal/entry"
	"github.com/heddle-go/heddle/taskgraph/internal/gates"
)

// A gate is a Pipe, a Limiter or a Semaphore: ready tasks go through it before they are queued.
// gates.md has the protocol.
type gate struct {
	sys    *System
	places *gates.Gate
	number uint64     // unique in the system; a task goes through its gates in this order
	kind   string     // for reports
	sem    *Semaphore // if nil, a task gives its place back when it is complete

	tasks idleCount // incomplete tasks, counted from through on
}

func (s *System) newGate(places int, numbered bool, kind string) *gate {
	return &gate{sys: s, places: gates.New(places, numbered), number: s.gates.Add(1), kind: kind}
}

// A passage is the state of a task with gates. It stays with the node's props.
type passage struct {
	gates.Passage[gate]
	begun bool   // the body was called; written by whoever runs the task
	by    *owner // the slot's owner that completes the task, if any, which writes it
	left  func() // leave, made once
}

func (p *props) gated() *passage {
	if g := p.passage.Load(); g != nil && g.Len() > 0 {
		return g
	}
	return nil
}

// isClosed reports whether the task must not be claimed yet. Anybody may call it, also after the
// task is over, when the answer does not matter.
func (c *cold) isClosed() bool {
	if !c.special.Load() {
		return false
	}
	g := c.props.Load().passage.Load()
	return g != nil && g.IsClosed()
}

// completedBy notes who completes the task and will call leave. If the task is abandoned, its
// builder may be adding gates at the same time.
func (c *cold) completedBy(o *owner) {
	if c.special.Load() {
		if p := c.props.Load().passage.Load(); p != nil {
			p.by = o
		}
	}
}

func (p *passage) clear() {
	p.Clear()
	p.begun, p.by = false, nil
}

// through makes the task go through g before it is queued: GA1.
func (t Task) through(g *gate, what string) Task {
	c := t.held(what)
	if c == nil {
		return t
	}
	if g == nil {
		panic("taskgraph: " + what + " with one that no System made")
	}
	if g.sys != t.sys {
		panic("taskgraph: " + what + " with one of another system")
	}
	s := t.sys
	pr := c.propsOf()
	p := pr.passage.Load()
	if p == nil {
		p = new(passage)
		p.left = p.leave
		pr.passage.Store(p)
	}
	switch p.Add(g, g.number) {
	case gates.AddTwice:
		panic("taskgraph: " + what + " twice with the same one")
	case gates.AddOver:
		return t // completed by a shutdown
	case gates.AddBegun:
	}
	g.tasks.Add(1)
	if p.Len() == 1 {
		s.store.SetFlags(t.ev.Node(), graphevent.Pinned)
		if cache, _ := s.by(t.owner()); !s.store.Notify(cache, p.left, t.ev) {
			p.End()
		}
	}
	if !p.Added() {
		// A shutdown has completed the task meanwhile, and leave has left this to us.
		for i := range p.Len() {
			p.Gate(i).done()
		}
	}
	return t
}

// leave is called when the task is complete, however it ended, before its node is recycled: GA4.
func (p *passage) leave() {
	passed, ok := p.End()
	if !ok {
		return // through goes on with it
	}
	for i := range p.Len() {
		g := p.Gate(i)
		// After stop no task starts any more, and stop completes ready tasks, those in gates too.
		if i < passed && !g.sys.stopped.Load() {
			switch {
			case g.sem == nil:
				g.leave(p.Place(i), p.by)
			case !p.begun: // then the body does not give the unit back
				g.sem.taken.Add(-1)
				g.leave(p.Place(i), p.by)
			}
		}
		g.done()
	}
}

// enter brings e, a ready task or a goroutine that waits for a unit, to the gate.
func (g *gate) enter(e entry.Entry, o *owner) {
	if first, place, ok := g.places.Enter(e); ok {
		g.admit(first, place, o)
	}
}

func (g *gate) leave(place uint32, o *owner) {
	if e, next, ok := g.places.Leave(place); ok {
		g.admit(e, next, o)
	}
}

// admit sends e, which got a place, to the next gate or to the queues. Each step admits at most one
// other entry, so this does not branch.
func (g *gate) admit(e entry.Entry, place uint32, o *owner) {
	s := g.sys
	for {
		next, passed := g.pass(e, place)
		var ok bool
		switch {
		case !passed:
			e, place, ok = g.places.Leave(place)
		case next != nil:
			g = next
			e, place, ok = g.places.Enter(e)
		default:
			if n, isTask := e.Task(); isTask {
				s.queue(n, o)
			}
		}
		if !ok {
			return
		}
	}
}

// pass notes that e has got a place (GA3), and reports false if e does not need the place because
// it was completed meanwhile. Next is the gate that comes next, or nil.
func (g *gate) pass(e entry.Entry, place uint32) (next *gate, passed bool) {
	if e.Kind() == entry.Acquirer {
		return nil, g.sem.admit(e.Index())
	}
	s := g.sys
	if g.sem != nil {
		g.sem.taken.Add(1) // before the body may begin
	}
	next, passed = s.colds.At(uint32(e.Node())).props.Load().passage.Load().Pass(place)
	if !passed {
		if g.sem != nil {
			g.sem.taken.Add(-1)
		}
		// Only its entry in the gate's queue kept the node.
		s.store.Claim(e.Node(), nil)
	}
	return next, passed
}

func (g *gate) done() { g.tasks.done(g.sys, 1) }

func (g *gate) idleEvent() Event {
	return g.tasks.event(g.sys, func() *label {
		return &label{name: g.String() + " is idle", gate: g}
	})
}

// String names the gate for reports.
func (g *gate) String() string { return fmt.Sprintf("%s %d", g.kind, g.number) }

// gatesOf returns the shown gates of the task of e, how many it has passed, and whether it waits.
func (s *System) gatesOf(e Event) (gates []*gate, passed int, stands bool) {
	p := s.colds.At(uint32(e.Node())).props.Load()
	if p == nil || s.store.IsManual(e) {
		return nil, 0, false
	}
	if g := p.passage.Load(); g != nil {
		gates, passed, stands = g.Shown()
	}
	if e.IsComplete() {
		return nil, 0, false
	}
	return gates, passed, stands
}
