package taskgraph

import "github.com/heddle-go/heddle/taskgraph/internal/watch"

// The reasons to check every body before it begins.
const (
	checkAbandoned uint32 = 1 << iota
	checkWatched          // bodies are watched, see watch
	checkLabelled         // bodies have labels, see callLabelled
)

func (r *runner) callWatched(c *Context, b Body, named any) error {
	checks := r.sys.checks.Load()
	if checks&checkWatched != 0 {
		if w := r.watch(c); w != nil {
			defer w.End()
		}
	}
	if checks&checkLabelled != 0 {
		return r.callLabelled(c, b, named)
	}
	return b.call(c)
}

// watch shows until End that the body of c, the last on the stack, runs.
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

func (r *runner) leaveLookout() {
	if l := r.lookout; l != nil {
		r.lookout = nil
		r.sys.lookouts.Put(l)
	}
}

// A running is a body that runs, as reports see it. If it is a task of a graph, Of is the graph and
// Part the first number of the task.
type running struct {
	watch.Running[Graph]
	ev   Event
	call bool // one without an event; the part is its kind
}

func (s *System) watchedBodies() (all []running) {
	for _, b := range s.lookouts.All(func(ref uint64) bool {
		return ref != callRef && s.eventOf(ref).IsComplete()
	}) {
		r := running{Running: b, call: b.Ref == callRef}
		if !r.call {
			r.ev = s.eventOf(b.Ref)
		}
		all = append(all, r)
	}
	return all
}
