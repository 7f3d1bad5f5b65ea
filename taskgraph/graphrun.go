package taskgraph

import (
	"context"
	"slices"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/taskgraph/internal/entry"
	"github.com/heddle-go/heddle/taskgraph/internal/kernel"
	"github.com/heddle-go/heddle/taskgraph/internal/plan"
)

// queue queues the ready task i (GR2): for the holder of the slot of o, if there is one.
func (g *Graph) queue(o *owner, i uint32) {
	if g.listed && !g.isBound(i) {
		g.list.Put(i)
	}
	g.queueReady(o, i)
}

// queueReady is queue, if i is in the list already or there is none.
func (g *Graph) queueReady(o *owner, i uint32) {
	s, prio := g.sys, g.priorityOf(i)
	if p := g.propsOf(i); p != nil && p.on != nil {
		g.post(p, prio, i)
		return
	}
	l := prio.level()
	if o == nil {
		s.kern.Inject(g.entry(i), l)
		return
	}
	s.kern.Push(o.slot, g.entry(i), l)
	s.kern.WakeOwn(o.slot, l)
}

// queueNext queues the ready task i, of the run's own priority, for r, which runs it next unless
// something else goes first: only then is the task announced, see [kernel.Kernel.Announce].
func (g *Graph) queueNext(r *runner, i uint32) {
	o, k := r.o, g.sys.kern
	if r.depth > 1 || g.prio != PriorityNormal {
		g.queue(o, i)
		return
	}
	if g.listed {
		g.list.Put(i)
	}
	if k.Push(o.slot, g.entry(i), kernel.Normal); !k.Alone(o.slot) {
		k.WakeOwn(o.slot, kernel.Normal)
	}
}

// runGraph, GR3, runs the task of the entry e, then one that became ready by it, and so on as long
// as there is one and nothing else asks for the slot. It may return an entry that the caller has to
// run next.
func (r *runner) runGraph(e entry.Entry) (next entry.Entry, more bool) {
	s, o := r.sys, r.o
	g := o.graph
	i, rest := uint32(0), false
	if g != nil {
		i, rest = g.taskOf(e)
	}
	if !rest {
		r.flush()
		s.kern.Announce(o.slot) // as in take
		g = s.graphOf(e)
		i, rest = g.taskOf(e)
		o.graph = g
	}
	c := r.push(g.event)
	c.graph, c.prio, c.ctx = g, g.prio, g.ctx
	o.running = true
	if g.listed {
		i, rest = g.list.Take(), true
	}
	if !g.careful && s.checks.Load() == 0 {
		if g.recorded == 0 {
			i, rest, next, more = runPlain[[0]byte](g, c, o, i)
		} else {
			i, rest, next, more = runPlain[[1]byte](g, c, o, i)
		}
	}
	if rest {
		o = g.runCareful(c, i)
	}
	if c.traced {
		g.traceTaskEnd(c, nil)
	}
	r.pop(c)
	o.forget()
	return next, more
}

// runCareful runs the task i and what follows from it in place, whatever bodies do. It returns the
// owner of the slot that the runner then has.
func (g *Graph) runCareful(c *Context, i uint32) *owner {
	r, k := c.r, g.sys.kern
	for left := r.inPlace(); ; left-- {
		c.node = i
		var err error
		if !g.isBound(i) {
			err = g.call(c)
		} else {
			err = graphevent.ErrClosed // its thread has quit
		}
		if c.forks != nil {
			c.settle(nil)
		}
		if c.merged != nil {
			c.unmerge()
		}
		o := r.o // a wait may have changed it
		if g.recorded != 0 && (err != nil || c.holds != nil) {
			g.traceTaskEnd(c, err)
		}
		if c.holds != nil {
			g.holdOpen(c, err)
			return o
		}
		if o.graph != g {
			r.flush()
			o.graph = g
		}
		o.nodes++
		next, more := g.release(o, i, err)
		if !more {
			return o
		}
		if left == 0 || k.Asked(o.slot) {
			if r.onThread() && r.named.goesOn() {
				i, left = next, 1
				continue
			}
			g.queueNext(r, next)
			return o
		}
		i = next
	}
}

// forget is called when a task of a graph has ended without being counted by the slot. If the slot
// has counted none, the run may be over and its entries may belong to another graph.
func (o *owner) forget() {
	if o.nodes == 0 {
		o.graph = nil
	}
}

// inPlace returns how many tasks r runs in a row before it looks at the queues. A named thread
// looks after each task, which may be the awaited one.
func (r *runner) inPlace() int {
	if r.onThread() {
		return 0
	}
	return maxInPlace
}

// maxInPlace bounds how many tasks of a graph are run in a row without a look at the queues.
const maxInPlace = 63

// call runs the body of a task unless it must be skipped, and returns its failure.
func (g *Graph) call(c *Context) error {
	i := c.node
	if g.props != nil {
		c.prio = g.priorityOf(i)
	}
	if g.failed.Load() && g.isSkipped(i) {
		return errSkipped
	}
	if c.ctx != nil && c.ctx.Err() != nil {
		g.giveUp(&cancelError{context.Cause(c.ctx)})
		return errSkipped
	}
	if g.sys.abandoned.Load() {
		g.giveUp(graphevent.ErrClosed)
		return errSkipped
	}
	if g.recorded != 0 {
		g.traceTask(c.r.lane, c, i)
	}
	if g.sys.checks.Load()&(checkWatched|checkLabelled) != 0 {
		b := g.bodyOf(i)
		return c.r.callWatched(c, b, b.f)
	}
	if g.listed && g.list.Learns() {
		began := atomics.Now()
		err := g.bodyOf(i).call(c)
		g.list.Cost(i, atomics.Now()-began)
		return err
	}
	return g.bodyOf(i).call(c)
}

// release tells the dependents of i that i has ended: GR4. It returns a ready one, for the caller
// to run, and queues the others.
func (g *Graph) release(o *owner, i uint32, err error) (first uint32, ok bool) {
	if err != nil {
		g.fail(i, err)
	}
	if len(g.threads) > 0 {
		if p := g.propsOf(i); p != nil && p.on != nil {
			p.on.left.Add(-1)
		}
	}
	if o != nil && !g.listed && g.isPlain() {
		e := g.releasePlain(o, g.plan.Link(i))
		return e.To(), e != 0
	}
	var only [1]plan.Edge
	for _, e := range slices.Backward(g.plan.Dependents(i, &only)) {
		if !g.plan.Arrive(e) {
			continue
		}
		i := e.To()
		if o != nil && (g.propsOf(i) == nil || g.listed && !g.isBound(i)) {
			if !ok {
				first, ok = i, true
				continue
			}
			if g.listed && g.list.Before(i, first) {
				first, i = i, first
			}
		}
		g.queue(o, i)
	}
	if ok && g.listed {
		first = g.list.Best(first)
	}
	return first, ok
}

func (t *threadRunner) runBound(g *Graph, i uint32) {
	var more bool
	defer t.rescue(t.depth, &more)
	c := t.push(g.event)
	c.graph, c.node, c.prio, c.ctx = g, i, g.prio, g.ctx
	t.finish(c, g.call(c))
}
