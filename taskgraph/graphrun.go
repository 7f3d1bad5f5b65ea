package taskgraph

import (
	"context"
	"slices"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/taskgraph/internal/entry"
	"github.com/heddle-go/heddle/taskgraph/internal/kernel"
	"github.com/heddle-go/heddle/taskgraph/internal/plan"
)

// LaunchGraph runs g after the given events have completed, and returns the event of the run. It
// completes when all tasks of g have ended. A task that fails does not stop the run: those that
// depend on it are skipped and the others run; the event then fails with the failures. It panics
// if a run of g goes on, or if a task is for a thread that is not of the registry of the system.
func (s *System) LaunchGraph(g *Graph, after ...Event) Event {
	g.begin(s)
	return g.launch(s.Task(Body{g}), PriorityNormal, after)
}

// LaunchGraph is like [System.LaunchGraph]; the run has the priority of the running task.
func (c *Context) LaunchGraph(g *Graph, after ...Event) Event {
	g.begin(c.r.sys)
	return g.launch(c.Task(Body{g}), c.prio, after)
}

// launch launches the task t of a run.
func (g *Graph) launch(t Task, prio Priority, after []Event) Event {
	if t.ev.Store() != t.sys.store { // refused
		g.running.Store(false)
		return t.ev
	}
	if prio != PriorityNormal {
		t = t.Priority(prio)
	}
	g.launched.Store(refOf(t.ev))
	t.sys.colds.At(uint32(t.ev.Node())).run.Store(g)
	return t.After(after...).Launch()
}

func (g *Graph) begin(s *System) {
	if g == nil || !g.built {
		panic("taskgraph: LaunchGraph of a Graph that no GraphBuilder made")
	}
	if g.anyThread != nil {
		if err := s.foreign(g.anyThread); err != nil {
			panic(err.Error())
		}
	}
	if !g.running.CompareAndSwap(false, true) {
		panic("taskgraph: LaunchGraph of a Graph that is running")
	}
}

// start is the body of the run's task (GR1): it queues what depends on nothing. Its event is held
// open until the last task has ended. graph.md has the protocol.
func (g *Graph) start(c *Context) error {
	s, n := c.r.sys, g.Len()
	if n == 0 {
		g.running.Store(false)
		return nil
	}
	if order := g.plan.PutInOrder(); order != nil {
		copy(g.bodies, plan.Reordered(g.bodies, order)) // the slice stays: a report may ask for its length
		g.others = plan.Reordered(g.others, order)
	}
	g.sys, g.event, g.prio, g.ctx = s, c.ev, c.prio, c.ctx
	g.careful = g.props != nil || g.ctx != nil
	g.plan.Begin()
	s.placeGraph(g)
	s.store.Delay(c.ev.Node())
	g.tally.Begin(n)
	g.shown.Store(refOf(g.event))
	if run := &s.colds.At(uint32(c.ev.Node())).run; run.Load() != g {
		run.Store(g)
	}
	if g.anyThread != nil {
		g.beginThreads()
	}
	o := c.r.owner()
	if g.mayGoAlone(o) {
		g.pace.Begin(s.kern, o.slot)
	}
	roots := g.plan.Roots
	if len(roots) == 1 || o == nil || g.props != nil || g.prio != PriorityNormal {
		for _, i := range slices.Backward(roots) {
			g.queue(o, i)
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

// mayGoAlone reports whether the run, which the holder of the slot of o begins, may be hidden from others.
func (g *Graph) mayGoAlone(o *owner) bool {
	s := g.sys
	return o != nil && s.spin && !g.careful && g.others == nil && g.prio == PriorityNormal && s.kern.Workers() > 1
}

func (g *Graph) entry(i uint32) entry.Entry { return entry.Of(entry.GraphTask, g.base+i) }

// queue queues the ready task i (GR2): for the holder of the slot of o, if there is one.
func (g *Graph) queue(o *owner, i uint32) {
	s, prio := g.sys, g.priorityOf(i)
	if p := g.propsOf(i); p != nil && p.thread != nil {
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

// queueNext queues the ready task i, of the run's own priority, for r, which has ended a task and goes on with this one
// unless something else comes first: so others hear of it only then, see [kernel.Kernel.Announce].
func (g *Graph) queueNext(r *runner, i uint32) {
	o, k := r.o, g.sys.kern
	if r.depth > 1 || g.prio != PriorityNormal {
		g.queue(o, i)
		return
	}
	if k.Push(o.slot, g.entry(i), kernel.Normal); !k.Alone(o.slot) {
		k.WakeOwn(o.slot, kernel.Normal)
	}
}

func (g *Graph) priorityOf(i uint32) Priority {
	if p := g.propsOf(i); p != nil && p.prio != inherited {
		return p.prio
	}
	return g.prio
}

// runGraph, GR3, runs the task of the entry e, then one that became ready by it, and so on as long
// as there is one and nothing else asks for the slot. It may return an entry that the caller has to
// run next.
func (r *runner) runGraph(e uint32) (next entry.Entry, more bool) {
	s, o := r.sys, r.owner()
	g := o.graph
	if g == nil || e-g.base >= uint32(g.Len()) {
		r.flush()
		s.kern.Announce(o.slot) // as in take
		g = s.graphOf(e)
		o.graph = g
	}
	c := r.push(g.event)
	c.graph, c.prio, c.ctx = g, g.prio, g.ctx
	o.running = true
	i, rest := e-g.base, true
	if !g.careful && s.checks.Load() == 0 && g.isPlain() {
		i, rest, next, more = g.runPlain(c, o, i)
	}
	if rest {
		o = g.runCareful(c, i)
	}
	r.pop(c)
	o.forget()
	o.running = r.depth > 0
	return next, more
}

// runCareful runs the task i and what follows from it in place, whatever bodies do. It returns the owner of
// the slot that the runner has then.
func (g *Graph) runCareful(c *Context, i uint32) *owner {
	r, k := c.r, g.sys.kern
	for left := r.inPlace(); ; left-- {
		c.node = i
		var err error
		if p := g.propsOf(i); p == nil || p.thread == nil {
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

// forget is called when a task of a graph has ended that the slot has not counted: if it has counted
// none, the run may be over, and another graph have its entries.
func (o *owner) forget() {
	if o.nodes == 0 {
		o.graph = nil
	}
}

// inPlace returns how many tasks r runs in a row before it does more than ask whether the slot is wanted. On a named thread each might be the
// last.
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
	if g.anyFailed.Load() && g.isSkipped(i) {
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
	if g.sys.checks.Load()&checkWatched != 0 {
		return c.r.callWatched(c, g.bodyOf(i))
	}
	return g.bodyOf(i).call(c)
}

// release tells the dependents of i that it has ended: GR4. It returns one that is ready, for the
// caller to run, and queues the others.
func (g *Graph) release(o *owner, i uint32, err error) (first uint32, ok bool) {
	if err != nil {
		g.fail(i, err)
	}
	var only [1]plan.Edge
	edges := g.plan.Dependents(i, &only)
	if o != nil && g.isPlain() {
		var e plan.Edge
		l := g.plan.Link(i)
		if _, one := l.Only(); one || err != nil {
			e = g.releaseMany(o, 0, edges)
		} else if !l.IsNone() {
			e = g.releasePlain(o, l.Row())
		}
		return e.To(), e != 0
	}
	if g.anyThread != nil {
		if p := g.propsOf(i); p != nil && p.on != nil {
			p.on.left.Add(-1)
		}
	}
	for _, e := range slices.Backward(edges) {
		if !g.plan.Arrive(e) {
			continue
		}
		if t := e.To(); !ok && o != nil && g.propsOf(t) == nil {
			first, ok = t, true
		} else {
			g.queue(o, t)
		}
	}
	return first, ok
}

// holdOpen delays the end of the task of c until what DontCompleteUntil was called with has
// completed.
func (g *Graph) holdOpen(c *Context, err error) {
	i, events := c.node, c.holds
	c.holds = nil
	w := g.publishHolds(events)
	s := g.sys
	end := func() {
		s.kern.Enter() // see takeBack
		defer s.kern.Leave()
		if !w.over.CompareAndSwap(false, true) {
			return // a shutdown has given the run up
		}
		if err == nil {
			err = failure(events)
		}
		g.ended(i, err)
	}
	var cache *graphevent.Cache
	if o := c.r.owner(); o != nil {
		cache = &o.slot.Cache
	}
	if !g.sys.store.Notify(cache, end, events...) {
		end()
	}
}

// publishHolds shows that the run waits for events, as if one of its bodies did.
func (g *Graph) publishHolds(events []Event) *waiting {
	w := &waiting{events: events, end: func() {}}
	c := g.sys.colds.At(uint32(g.event.Node()))
	for {
		w.next = c.waits.Load()
		if c.waits.CompareAndSwap(w.next, w) {
			break
		}
	}
	g.sys.newEdge()
	return w
}

// endNode ends the task of c, the last on the stack, whose body was cut off.
func (g *Graph) endNode(r *runner, c *Context, err error) {
	i := c.node
	r.pop(c)
	o := r.owner()
	if o != nil {
		o.forget()
		o.running = r.depth > 0
	}
	if c.holds != nil {
		g.holdOpen(c, err)
		return
	}
	g.endedBy(o, i, err)
}

// runBound runs the task i of g on its named thread.
func (t *threadRunner) runBound(g *Graph, i uint32) {
	var more bool
	defer t.rescue(t.depth, &more)
	c := t.push(g.event)
	c.graph, c.node, c.prio, c.ctx = g, i, g.prio, g.ctx
	err := g.call(c)
	if c.forks != nil {
		c.settle(nil)
	}
	t.pop(c)
	if c.holds != nil {
		g.holdOpen(c, err)
		return
	}
	g.endedBy(t.o, i, err)
}

// ended ends the task i for somebody who holds no slot.
func (g *Graph) ended(i uint32, err error) { g.endedBy(nil, i, err) }

// endedBy ends the task i for the holder of the slot of o, if there is one.
func (g *Graph) endedBy(o *owner, i uint32, err error) {
	if next, ok := g.release(o, i, err); ok {
		g.queue(o, next)
	}
	if g.tally.Report(1) {
		g.end(o)
	}
}

// flush leaves nothing in the slot of r that nobody else can see: what it counted for the run of a
// graph (GR5), and tasks to be run at once.
func (r *runner) flush() {
	o := r.o
	if o == nil {
		return
	}
	if g, n := o.graph, o.nodes; g != nil {
		o.ran += uint64(n)
		o.graph, o.nodes = nil, 0
		if n > 0 && g.tally.Report(n) {
			g.end(o)
		}
	}
	if o.group != nil {
		o.flushCalls()
	}
	o.bundles.TakeBack()
	if !o.forks.IsEmpty() {
		o.publishAll()
	}
	if len(o.inline) > 0 { // after the end of the graph, which may have made some of them ready
		o.unInline()
	}
}

// end ends the run: its last task has ended.
func (g *Graph) end(o *owner) {
	s, n, err := g.sys, g.event.Node(), g.result()
	g.pace.End(s.kern)
	g.shown.Store(0)
	s.displaceGraph(g)
	g.sys, g.event, g.ctx = nil, Event{}, nil
	g.running.Store(false)
	if o == nil {
		if s.store.EndBody(n, err, nil, &s.outside) {
			s.finishOutside(1)
		}
		return
	}
	if s.store.EndBody(n, err, &o.slot.Cache, o) {
		o.finished++
	}
}
