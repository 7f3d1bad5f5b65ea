package graphevent

// A foreignEdge is an edge between two stores: it belongs to an event of one store, and a notify
// node of the other, which no handle names, represents it in the list of the awaited event.
type foreignEdge struct {
	store  *Store
	owner  uint64       // the event that waits, in store
	decide bool         // the edge decides the owner, an event of Any
	next   *foreignEdge // in a worklist
}

// addForeign registers n on an event of another store, which counts like any other prerequisite.
func (s *Store) addForeign(n Node, e Event) bool {
	if e.store == nil {
		return false // the zero Event is complete
	}
	if e.store.admit(&foreignEdge{store: s, owner: uint64(n)}, e) {
		return true
	}
	s.inherit(n, e)
	return false
}

// admit registers f on e, an event of s, and reports whether e was incomplete.
func (s *Store) admit(f *foreignEdge, e Event) bool {
	if e.IsComplete() {
		return false
	}
	n := s.Acquire(nil)
	s.sides.Grow(uint32(n)).foreign = f
	return s.callAfter(n, e)
}

// release takes f off its owner, for an event of another store that ended in o. It returns todo,
// with the owner if this completes it.
func (f *foreignEdge) release(o *outcome, todo worklist) worklist {
	s, n := f.store, Node(uint32(f.owner))
	if f.decide {
		if s.decide(f.owner, o) {
			todo.enlistForeign(f)
		}
		return todo
	}
	switch s.unlock(n, o) {
	case unlockWaiting:
	case unlockReady:
		s.opts.Scheduler.Ready(n)
	case unlockNotify:
		return s.call(n, nil, todo)
	case unlockComplete:
		todo.enlistForeign(f)
	}
	return todo
}

// enlistForeign appends f, whose owner has to be completed.
func (w *worklist) enlistForeign(f *foreignEdge) {
	if w.foreign == nil {
		f.next = f
	} else {
		f.next, w.foreign.next = w.foreign.next, f
	}
	w.foreign = f
}

// nextForeign takes the first edge off, or returns nil.
func (w *worklist) nextForeign() *foreignEdge {
	last := w.foreign
	if last == nil {
		return nil
	}
	f := last.next
	last.next = f.next
	if f == last {
		w.foreign = nil
	}
	return f
}
