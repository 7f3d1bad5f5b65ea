package taskgraph

import (
	"github.com/heddle-go/heddle/taskgraph/internal/waits"
)

// holdOpen delays the end of the task of c until the events given to DontCompleteUntil have
// completed.
func (g *Graph) holdOpen(c *Context, err error) {
	i, events := c.node, c.holds
	c.holds = nil
	s := g.sys
	// The run is shown to wait for them, as if one of its bodies did.
	w := &waits.Wait{Events: events, End: func() {}}
	s.colds.At(uint32(g.event.Node())).waits.Add(w)
	s.newEdge()
	end := func() {
		s.kern.Enter() // see takeBack
		defer s.kern.Leave()
		if !w.GiveUp() {
			return // a shutdown has given the run up
		}
		if err == nil {
			err = failure(events)
		}
		g.endedBy(nil, i, err)
	}
	if cache, _ := s.by(c.r.o); !g.sys.store.Notify(cache, end, events...) {
		end()
	}
}

// endNode ends the task of c, the last on the stack, whose body was cut off.
func (g *Graph) endNode(r *runner, c *Context, err error) {
	i := c.node
	if c.traced {
		g.traceTaskEnd(c, err)
	}
	r.pop(c)
	o := r.o
	if o != nil {
		o.forget()
	}
	if c.holds != nil {
		g.holdOpen(c, err)
		return
	}
	g.endedBy(o, i, err)
}

// endedBy ends the task i for the holder of the slot of o, if there is one.
func (g *Graph) endedBy(o *owner, i uint32, err error) {
	if g.recorded != 0 && o == nil {
		g.traceEnded(i, err)
	}
	if next, ok := g.release(o, i, err); ok {
		g.queue(o, next)
	}
	if g.tally.Report(1) {
		g.end(o)
	}
}

func (g *Graph) end(o *owner) {
	s, n, err := g.sys, g.event.Node(), g.result()
	if g.recorded != 0 {
		s.traceDone(o, n, err != nil)
	}
	g.pace.End(s.kern)
	g.list.End(g.Len())
	g.shown.Store(0)
	g.endGoRun()
	// None of its entries is in a queue: each was taken out before its task ended.
	s.graphs.Free(g.first.Index(), g.Len())
	g.sys, g.event, g.ctx = nil, Event{}, nil
	g.running.Store(false)
	s.endBody(n, err, o)
}
