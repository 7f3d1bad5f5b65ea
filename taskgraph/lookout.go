package taskgraph

import (
	"github.com/heddle-go/heddle/taskgraph/internal/goroutine"
	"github.com/heddle-go/heddle/taskgraph/internal/watch"
)

// What makes every body be looked at before it begins: the system gives up on its tasks, or bodies
// are watched.
const (
	checkAbandoned uint32 = 1 << iota
	checkWatched
)

// callWatched calls the body of c while the system watches.
func (r *runner) callWatched(c *Context, b Body) error {
	if w := r.watch(c); w != nil {
		defer w.End()
	}
	return b.call(c)
}

// watch shows that the body of c, the last on the stack, runs, until End is called.
func (r *runner) watch(c *Context) *watch.Body[Graph] {
	if r.depth > watch.Depth {
		return nil
	}
	if r.lookout == nil {
		r.lookout = r.sys.lookouts.Get()
		r.knowGoroutine()
	}
	ref, first := refOf(c.ev), uint32(0)
	switch {
	case !c.hasEvent():
		ref, first = callRef, uint32(c.kind())
	case c.graph != nil:
		first = c.graph.plan.First(c.node)
	}
	return r.lookout.Begin(r.depth-1, r.ownWait().GID.Load(), ref, c.graph, first)
}

// callRef is what a call has that has no event; the part is its kind.
const callRef = ^uint64(0)

// leaveLookout gives the lookout of a runner back that ends.
func (r *runner) leaveLookout() {
	if l := r.lookout; l != nil {
		r.lookout = nil
		r.sys.lookouts.Put(l)
	}
}

// knowGoroutine notes the number of the goroutine of r, which is the caller, if it is not known.
func (r *runner) knowGoroutine() {
	if w := r.ownWait(); w.GID.Load() == 0 {
		w.GID.Store(goroutine.ID())
	}
}

// A running is a body that runs, as a report sees it: Of is a graph that it is a task of, and Part its first number.
type running struct {
	watch.Running[Graph]
	ev   Event
	call bool // one without an event; the part is its kind
}

// watchedBodies returns the bodies that run, if the system watches them.
func (s *System) watchedBodies() (all []running) {
	for _, b := range s.lookouts.All(func(ref uint64) bool { return ref != callRef && s.eventOf(ref).IsComplete() }) {
		r := running{Running: b, call: b.Ref == callRef}
		if !r.call {
			r.ev = s.eventOf(b.Ref)
		}
		all = append(all, r)
	}
	return all
}
