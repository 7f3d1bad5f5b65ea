package graphevent

// A task that runs again is a claimed node with the flag manual and without notify: when nothing
// holds it open any more, it becomes ready instead of complete. It has at most one queue entry: see
// rearm.

// Again says that the body of n, claimed by the caller, has returned and shall run once more, as
// soon as everything that holds n open has completed. If it has already, Again returns true, and
// the caller queues n; otherwise the Scheduler's Ready follows, unless the entry of an earlier
// round, which was run early, is still queued: then n keeps that entry. If something that holds n
// open fails, n completes with that failure. The claim is over when Again returns.
func (s *Store) Again(n Node, c *Cache, r Scheduler) (ready bool) {
	nd := s.at(n)
	for v := nd.ctl.Load(); v&countMask != 1; v = nd.ctl.Load() {
		if nd.ctl.CompareAndSwap(v, (v|manual)-1) {
			return false // whoever removes the last reason continues from here
		}
	}
	// The body is the only reason left, so only a pop of the entry still writes the word.
	nd.ctl.Add(^uint64(0))
	switch s.rearm(n) {
	case unlockReady:
		return true
	case unlockComplete:
		s.complete(n, c, r, true)
	default:
	}
	return false
}

// rearm makes n ready, a claimed node that nothing holds open any more and whose body has called
// Again. Only the caller can: the count is zero, and nobody can claim the node yet.
func (s *Store) rearm(n Node) unlocked {
	nd := s.at(n)
	for {
		v := nd.ctl.Load()
		if v&failed != 0 {
			nd.ctl.And(^uint64(manual))
			return unlockComplete
		}
		// One step decides between this and a pop of the old entry, which clears queued: a
		// later pop finds the node ready and claims it, an earlier one leaves no entry.
		if !nd.ctl.CompareAndSwap(v, v&^(running|manual)|queued) { // LP(Again)
			continue
		}
		if v&queued == 0 {
			return unlockReady
		}
		if s.opts.OnEdge != nil {
			s.opts.OnEdge() // whoever passed the old entry over looks again
		}
		return unlockWaiting
	}
}

// Disown makes e, a task that waits to run again, complete with the failure err as soon as what
// holds it open has completed. It does nothing to any other event, and reports whether it did
// something. It panics if err is nil.
func (s *Store) Disown(e Event, err error, r Scheduler) bool {
	if err == nil {
		panic("graphevent: Disown with a nil error")
	}
	if !s.has(e) {
		return false
	}
	n := e.Node()
	nd := s.at(n)
	for {
		v := nd.ctl.Load()
		if v>>genShift != e.ref>>genShift || v&(running|notify|manual) != running|manual ||
			v&countMask == 0 || abandoned(v) || e.IsComplete() {
			return false
		}
		// A reason of our own first, so that nobody completes e before the failure is stored.
		if nd.ctl.CompareAndSwap(v, (v&^manual|failed)+1) {
			break
		}
	}
	o := newOutcome(e.ref>>genShift, err, nil)
	o.look.Store(lookedAt) // the caller knows
	s.sides.Grow(uint32(n)).outcome.CompareAndSwap(nil, o)
	if nd.ctl.Add(^uint64(0))&countMask == 0 {
		s.complete(n, nil, r, true)
	}
	return true
}

// HoldAgain is [Store.HoldOpen] for a node after Again: the node's edges, which are all complete
// then, are reused from number 0 on. spare is state of the caller for this node. HoldAgain panics
// where HoldOpen does.
func (s *Store) HoldAgain(n Node, i uint32, e Event, spare *uint32) {
	s.checkSelf(n, e)
	nd := s.at(n)
	s.countHold(nd)
	last := nd.back[inlineEdges-1].Load()
	if i == 0 {
		*spare = 0
		if last&^(1<<30-1) == spilled {
			*spare = uint32(last & (1<<30 - 1))
		}
	}
	x := *spare
	if i < inlineEdges-1 || x == 0 || e.store != s {
		if !s.addEdge(n, i, e) {
			nd.ctl.Add(^uint64(0))
		}
		return
	}
	// An edge of an earlier round. Its event is complete, and whoever completed that has read the
	// edge; it stays in the node's own list, where walkers may be.
	sl := s.slab.At(x)
	*spare = sl.own.Load()
	sl.owner, sl.kind = uint32(n), ownerEdge
	sl.back.Store(e.ref)
	if !e.head().TryPush(e.gen(), slabLink|x, &sl.next) {
		s.inherit(n, e)
		nd.ctl.Add(^uint64(0))
	}
}
