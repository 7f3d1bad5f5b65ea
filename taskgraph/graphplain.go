package taskgraph

import (
	"github.com/heddle-go/heddle/taskgraph/internal/entry"
	"github.com/heddle-go/heddle/taskgraph/internal/plan"
)

// A plainRun says by its length whether the run is recorded.
type plainRun interface{ ~[0]byte | ~[1]byte }

// fewDependents is how many dependents are released without a buffer.
const fewDependents = 8

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
		if f == nil || g.failed.Load() {
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

// goesOn reports whether a named thread continues in place: there is no news, and nobody wants the
// slot.
//
//go:noinline
func (r *threadRunner) goesOn() bool {
	return !r.stirred() && !r.sys.kern.Asked(r.Slot()) && r.sys.checks.Load() == 0
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
				if at-l > fewDependents && !e.IsLast() {
					return g.releaseMany(o, e, g.plan.Row(at))
				}
			}
			first = e
		}
		if e.IsLast() {
			return first
		}
		e = next
	}
}

// releaseMany continues releaseRow for any number of dependents.
func (g *Graph) releaseMany(o *owner, first plan.Edge, edges []plan.Edge) plan.Edge {
	var buf [16]entry.Entry
	k := 0
	for _, e := range edges {
		if !g.plan.Arrive(e) {
			continue
		}
		if first != 0 {
			if k == len(buf) {
				g.sys.kern.PushAll(o.slot, buf[:k])
				k = 0
			}
			buf[k] = g.entry(first.To())
			k++
		}
		first = e
	}
	if k > 0 {
		g.sys.kern.PushAll(o.slot, buf[:k])
	}
	return first
}
