package taskgraph

import (
	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/taskgraph/internal/entry"
	"github.com/heddle-go/heddle/taskgraph/internal/plan"
)

// runGraph, GR3, runs the task of the entry e, then one that became ready by it, and so on while
// there is one and nothing else asks for the slot. It may return an entry to be run next.
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

// A plainRun says by its length whether the run is recorded.
type plainRun interface{ ~[0]byte | ~[1]byte }

// runPlain runs the task i and then its dependents, in place or off the slot's own deque, while
// bodies take no Context and none fails. It returns a task that runCareful has to run, or an entry
// that is not of g and that the caller has to run next. It is compiled twice: each instruction
// counts where nothing is recorded.
func runPlain[R plainRun](g *Graph, c *Context, o *owner,
	i uint32) (at uint32, rest bool, next entry.Entry, more bool) {
	var run R
	k, slot := g.sys.kern, o.slot
	for left := c.r.inPlace(); ; left-- {
		f := g.bodies[i]
		if f == nil || g.skips.Any() {
			return i, true, 0, false
		}
		c.node = i
		if len(run) != 0 {
			g.traceTask(c.r.lane, c, i)
		}
		f()
		o.nodes++
		var e plan.Edge
		if l := g.plan.Link(i); !l.IsNone() {
			if only, one := l.Only(); !one {
				e = g.releaseRow(o, l.Row())
			} else if g.plan.Arrive(only) {
				e = only
			}
		}
		if e == 0 {
			left = 0
		}
		if left == 0 || k.Asked(slot) {
			if c.r.onThread() && e != 0 && c.r.named.goesOn() {
				i, left = e.To(), 1
				continue
			}
			if c.r.depth > 1 || c.r.onThread() || len(o.inline) > 0 || !k.GoesOn(slot) {
				if e != 0 {
					g.queueNext(c.r, e.To())
				}
				return 0, false, 0, false
			}
			if e != 0 {
				i = e.To()
			} else if next, more = k.PopOwn(slot); !more {
				return 0, false, 0, false
			} else if i, rest = g.taskOf(next); !rest {
				return 0, false, next, true
			}
			if g.sys.checks.Load() != 0 {
				return i, true, 0, false
			}
			left = maxInPlace + 1
			continue
		}
		i = e.To()
	}
}

// goesOn reports whether a named thread continues: it has no news, and nobody wants the slot.
//
//go:noinline
func (r *threadRunner) goesOn() bool {
	return !r.stirred() && !r.sys.kern.Asked(r.Slot()) && r.sys.checks.Load() == 0
}

// runCareful runs i and what follows in place, whatever bodies do. It returns the owner of the slot
// that the runner then has.
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
	if g.skips.Any() && g.skips.Has(i) {
		return errSkipped
	}
	if err := c.stopped(); err != nil {
		g.giveUp(err)
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

func (t *threadRunner) runBound(g *Graph, i uint32) {
	var more bool
	defer t.rescue(t.depth, &more)
	c := t.push(g.event)
	c.graph, c.node, c.prio, c.ctx = g, i, g.prio, g.ctx
	t.finish(c, g.call(c))
}

func isOfGraph(e entry.Entry) bool { return e.Kind() == entry.GraphTask }

// mayBePart reports whether what e stands for may be part of a run of a graph.
func mayBePart(e entry.Entry) bool { return isOfGraph(e) || e.Kind() == entry.Helper }

// popOfRun takes what may be part of a run of a graph off the own deque, if that would come next.
func (r *runner) popOfRun() (entry.Entry, bool) {
	return r.sys.kern.PopKind(r.Slot(), entry.GraphTask, entry.Helper)
}
