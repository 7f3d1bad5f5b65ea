package taskgraph

import (
	"errors"
	"fmt"
	"slices"

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

// releasePlain is release of a task with the link l when ready tasks go to the slot's own deque. It
// returns an edge to a ready one, or 0.
func (g *Graph) releasePlain(o *owner, l plan.Link) plan.Edge {
	e, one := l.Only()
	if !one {
		if l.IsNone() {
			return 0
		}
		return g.releaseRow(o, l.Row())
	}
	if g.plan.Arrive(e) {
		return e
	}
	return 0
}

// releaseRow is releasePlain for the row of edges at l. It returns the first one that was added,
// for the caller to run in place; the holder will pop the others in their order.
func (g *Graph) releaseRow(o *owner, l uint32) (first plan.Edge) {
	e := g.plan.At(l)
	for at := l + 1; ; at++ {
		next := g.plan.At(at) // perhaps of another row; read before the counter's cache miss
		if g.plan.Arrive(e) {
			if first != 0 {
				g.sys.kern.Spawn(o.slot, g.entry(first.To()))
			}
			first = e
		}
		if e.IsLast() {
			return first
		}
		e = next
	}
}

// giveUp notes, once, why the rest of the run is skipped.
func (g *Graph) giveUp(err error) {
	if g.given.CompareAndSwap(false, true) {
		g.errs.Push(err)
	}
}

// errSkipped marks a task that was skipped.
var errSkipped = errors.New("skipped")

// fail notes the failure of i, and marks its dependents as skipped before release tells them.
func (g *Graph) fail(i uint32, err error) {
	if err != errSkipped {
		if g.sys.opts.OnFailure != nil {
			g.sys.onFailure(g.nameOf(i), err)
		}
		g.errs.Push(fmt.Errorf("%s: %w", g.nameOf(i), err))
	}
	g.skips.Mark(&g.plan, i)
}
