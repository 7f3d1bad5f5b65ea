package taskgraph

import (
	"slices"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/taskgraph/internal/counts"
	"github.com/heddle-go/heddle/taskgraph/internal/goroutine"
	"github.com/heddle-go/heddle/taskgraph/internal/waits"
)

func refOf(e Event) uint64 { return waits.Ref(e) }

func (s *System) eventOf(ref uint64) Event { return waits.EventOf(s.store, ref) }

func (s *System) trigger(ref uint64) { s.eventOf(ref).Trigger() }

// ownWait returns the Wait that shows that a body of r waits. Only what it shows ever changes,
// since a reader may be late.
func (r *runner) ownWait() *waits.Wait {
	if r.isAlone() {
		return &r.alone.Wait
	}
	return &r.slotWait
}

// waitAt is ownWait for the body at a depth of r's stack, in a system with named threads: there a
// wait is published before it helps, and bodies that it runs can wait on top of it.
func (r *runner) waitAt(depth int) *waits.Wait {
	own := r.ownWait()
	if r.onThread() {
		r.knowGoroutine()
	}
	for len(r.waits) < depth {
		w := &waits.Wait{End: own.End}
		if r.onThread() {
			w.End = r.named.wake
		}
		r.waits = append(r.waits, w)
	}
	w := r.waits[depth-1]
	w.GID.Store(own.GID.Load())
	return w
}

// publish shows that the last body on r's stack waits for events, until unpublish.
func (r *runner) publish(events []Event) *waits.Wait {
	s, b := r.sys, r.frames[r.depth-1]
	c := s.colds.At(uint32(b.ev.Node()))
	w := r.ownWait()
	if s.opts.Threads != nil {
		w = r.waitAt(r.depth)
	}
	// Other goroutines may run bodies of the same event at this moment.
	shared := b.graph != nil || b.fork != nil || b.forks != nil
	if shared || s.opts.Threads != nil &&
		(len(events) > waits.MostEvents || slices.ContainsFunc(events, s.isAlien)) {
		// A wait on a named thread may have to know all of them: it may wait for this body while
		// this body waits for work bound to that thread.
		own := w
		w = &waits.Wait{Events: slices.Clone(events), End: w.End}
		w.GID.Store(own.GID.Load())
		for _, below := range r.frames[max(0, r.depth-1-waits.MostBelow) : r.depth-1] {
			if below.hasEvent() {
				w.Below = append(w.Below, below.ev)
			}
		}
	} else {
		s.show(w, events, r.frames[:r.depth-1])
	}
	if shared {
		c.waits.Add(w)
	} else {
		c.waits.Set(w)
	}
	s.newEdge()
	return w
}

// show shows that w waits for events, on top of the bodies in below.
func (s *System) show(w *waits.Wait, events []Event, below []*Context) {
	var refs [waits.MostBelow]uint64
	under := below[max(0, len(below)-len(refs)):]
	for i, c := range under {
		refs[i] = refOf(c.ev)
	}
	w.Show(s.store, events, refs[:len(under)])
}

func (s *System) isAlien(e Event) bool { return e.Store() != s.store }

func (r *runner) unpublish(w *waits.Wait) {
	c := r.sys.colds.At(uint32(r.frames[r.depth-1].ev.Node()))
	c.waits.End(w)
}

// hasEvent reports whether the body of c belongs to an event: its waits can be shown there, and it
// ends with that. A call of a group does not.
func (c *Context) hasEvent() bool { return c.ev.Store() != nil }

// knowGoroutine notes the number of the calling goroutine, which is that of r, if it is not known.
func (r *runner) knowGoroutine() {
	if w := r.ownWait(); w.GID.Load() == 0 {
		w.GID.Store(goroutine.ID())
	}
}

// knowCaller notes the number of the calling goroutine, from outside, if reports are to have it.
func (s *System) knowCaller(w *waits.Wait) {
	var id uint64
	if s.opts.Sites {
		id = goroutine.ID()
	}
	w.GID.Store(id)
}

func complete(events []Event) bool {
	for _, e := range events {
		if !e.IsComplete() {
			return false
		}
	}
	return true
}

func failure(events []Event) error {
	var first error
	for _, e := range events {
		if err := e.Err(); err != nil && first == nil {
			first = err
		}
	}
	return first
}

// An idleCount counts what is incomplete, and has an event that completes when nothing is.
type idleCount struct{ counts.IdleCount }

func (c *idleCount) done(s *System, k int64) { c.Done(k, s.trigger) }

// event returns an event of s that completes when the count is zero. A fresh one gets the label.
func (c *idleCount) event(s *System, what func() *label) Event {
	ref, ok := c.Event(func() uint64 {
		e := s.NewEvent()
		s.label(e, what())
		return refOf(e)
	}, s.trigger)
	if !ok {
		return Event{}
	}
	return s.eventOf(ref)
}

// isAwaited reports whether a goroutine from outside, or a named thread outside of its bodies,
// waits for something of the system. It may miss one that begins a wait: that one reads dry after
// showing the wait.
func (s *System) isAwaited() bool {
	for range s.shownWaits {
		return true
	}
	return false
}

// shownWaits yields, for each such wait that shows that it is not over, what wakes who waits.
func (s *System) shownWaits(yield func(wake func()) bool) {
	for w := range s.waiters.All {
		if s.isFor(&w.Wait) && !yield(w.End) {
			return
		}
	}
	for t := range s.threadRunners {
		if s.isFor(&t.slotWait) && !yield(t.wake) {
			return
		}
	}
}

func (s *System) isFor(w *waits.Wait) bool {
	seen, ok := w.Look(s.store)
	return ok && (seen.More > 0 || !complete(seen.Events))
}

// noLongerWaits tells Shutdown that a wait is over, in case Shutdown waited only for that.
func (s *System) noLongerWaits() {
	if s.door.IsClosed() && s.kern.Over(&s.door) {
		s.door.Tell()
	}
}

// wakeWaiters makes everybody who shows a wait look again, after dry is set. Whoever is about to
// show one reads dry afterwards, see waitOutside.
func (s *System) wakeWaiters() {
	for wake := range s.shownWaits {
		wake()
	}
}

// isOverFor reports whether the system has been shut down and one of its events will never
// complete: only tasks whose bodies have not returned still complete.
func (s *System) isOverFor(events []Event) bool {
	if !s.dry.Load() {
		return false
	}
	for _, e := range events {
		if e.Store() == s.store &&
			(e.State() != graphevent.StateExecuting || s.store.IsManual(e)) && !e.IsComplete() {
			return true
		}
	}
	return false
}
