package taskgraph

import (
	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/taskgraph/internal/goroutine"
)

// What makes every body be looked at before it begins: the system gives up on its tasks, or bodies
// are watched.
const (
	checkAbandoned uint32 = 1 << iota
	checkWatched
)

// A lookout says what bodies a goroutine runs, if the system watches them. It belongs to one runner
// at a time, and is found in a list from which nothing is ever taken off.
type lookout struct {
	bodies [lookoutDepth]watched
	next   *lookout
}

// lookoutDepth is how many bodies, each run by a wait of the one before, are seen.
const lookoutDepth = 8

// A watched is a body that runs. The runner writes the reference last, and clears it first.
type watched struct {
	gid   atomics.Uint64 // of the goroutine
	ref   atomics.Uint64 // of the event, 0: none
	began atomics.Int64
	graph atomics.Pointer[Graph] // of a task of it
	node  atomics.Uint32
}

// callWatched calls the body of c while the system watches.
func (r *runner) callWatched(c *Context, b Body) error {
	if w := r.watch(c); w != nil {
		defer w.over()
	}
	return b.call(c)
}

// watch shows that the body of c, the last on the stack, runs, until over is called.
func (r *runner) watch(c *Context) *watched {
	if r.depth > lookoutDepth {
		return nil
	}
	s := r.sys
	if r.lookout == nil {
		l, ok := s.freeLookouts.Pop()
		if !ok {
			l = new(lookout)
			for {
				l.next = s.lookouts.Load()
				if s.lookouts.CompareAndSwap(l.next, l) {
					break
				}
			}
		}
		r.knowGoroutine()
		r.lookout = l
	}
	w := &r.lookout.bodies[r.depth-1]
	w.gid.Store(r.ownWait().gid.Load())
	w.began.Store(atomics.Now())
	w.graph.Store(c.graph)
	if c.graph != nil {
		w.node.Store(c.graph.plan.First(c.node))
	}
	if c.group != nil {
		w.ref.Store(callRef)
	} else {
		w.ref.Store(refOf(c.ev))
	}
	return w
}

// callRef is what a call of a group has instead of an event.
const callRef = ^uint64(0)

func (w *watched) over() {
	w.ref.Store(0)
	w.graph.Store(nil)
}

// leaveLookout gives the lookout of a runner back that ends.
func (r *runner) leaveLookout() {
	if l := r.lookout; l != nil {
		r.lookout = nil
		r.sys.freeLookouts.Push(l)
	}
}

// knowGoroutine notes the number of the goroutine of r, which is the caller, if it is not known.
func (r *runner) knowGoroutine() {
	if w := r.ownWait(); w.gid.Load() == 0 {
		w.gid.Store(goroutine.ID())
	}
}

// A running is a body that runs, as a report sees it.
type running struct {
	ev    Event
	began int64
	gid   uint64
	graph *Graph
	node  uint32 // its first number
	call  bool   // a call of a group, which has no event
	top   bool   // no other body runs on top of it
}

// watchedBodies returns the bodies that run, if the system watches them.
func (s *System) watchedBodies() (all []running) {
	for l := s.lookouts.Load(); l != nil; l = l.next {
		last := -1
		for i := range l.bodies {
			w := &l.bodies[i]
			ref := w.ref.Load()
			if ref == 0 {
				continue
			}
			var e Event
			if ref != callRef {
				e = s.eventOf(ref)
			}
			b := running{ev: e, call: ref == callRef, began: w.began.Load(), gid: w.gid.Load(), graph: w.graph.Load(), node: w.node.Load()}
			if w.ref.Load() != ref || !b.call && e.IsComplete() {
				continue
			}
			last = len(all)
			all = append(all, b)
		}
		if last >= 0 {
			all[last].top = true
		}
	}
	return all
}

func (s *System) eventOf(ref uint64) Event {
	return s.store.EventOf(ref>>32, graphevent.Node(uint32(ref)))
}
