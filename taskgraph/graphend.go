package taskgraph

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/heddle-go/heddle/taskgraph/internal/flight"
	"github.com/heddle-go/heddle/taskgraph/internal/pace"
	"github.com/heddle-go/heddle/taskgraph/internal/waits"
)

// holdOpen delays the end of the task of c until what DontCompleteUntil was given has completed.
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

// forget is called when a task of a graph has ended without being counted by the slot. If the slot
// has counted none, the run may be over and its entries may belong to another graph.
func (o *owner) forget() {
	if o.nodes == 0 {
		o.graph = nil
	}
}

// endedBy ends the task i for the holder of the slot of o, if there is one.
func (g *Graph) endedBy(o *owner, i uint32, err error) {
	if g.recorded != 0 && o == nil {
		g.sys.traceKey(nil, ended(err != nil), flight.TaskKey(g.recorded, i))
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
	g.leave()
	s.endBody(n, err, o)
}

// leave makes g free for its next run, perhaps in another system, with another recorder or none.
func (g *Graph) leave() {
	g.sys, g.event, g.ctx, g.recorded = nil, Event{}, nil, 0
	g.running.Store(false)
}

func (g *Graph) result() error {
	if !g.skips.Any() && g.errs.Empty() {
		return nil
	}
	g.skips.Clear()
	g.given.Store(false)
	return joined(slices.Collect(g.errs.Drain()))
}

// joined joins failures, given in reverse order, and leaves some out if there are many.
func joined(errs []error) error {
	const most = 16
	slices.Reverse(errs)
	if n := len(errs); n > most {
		errs = append(errs[:most], fmt.Errorf("and %d more", n-most))
	}
	return errors.Join(errs...)
}

// cutOff begins to take g back, after a shutdown has completed its run e although some of its tasks
// have not ended: these are in the queue of a thread that does not pump, or held open by events
// that do not complete. Who finds one later sees that the entry has no graph or the wait is over.
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
		g.leave()
	}
}
