package graphevent

// Flags describe a node to be launched.
type Flags uint32

const (
	// RunAlways makes a node ready even if a prerequisite failed.
	RunAlways Flags = always

	// Pinned marks a node that only one thread may run; see [Store.TryClaim].
	Pinned Flags = pinned
)

// check panics if f has other flags.
func (f Flags) check() {
	if f&^(RunAlways|Pinned) != 0 {
		badFlags()
	}
}

//go:noinline
func badFlags() { panic("graphevent: unknown Flags") }

// Start makes n, just acquired, ready at once, and returns its event. The caller queues it. It
// panics if f has flags other than the constants.
func (s *Store) Start(n Node, f Flags) Event {
	f.check()
	nd := s.at(n)
	gen := nd.generation()
	nd.ctl.Store(gen<<genShift | queued | uint64(f))
	return Event{s, ref(gen, n)}
}

// Hold puts n, just acquired, under its set-up lock, and returns its event: prerequisites
// can be added, and it becomes ready only after Launch. It panics where Start does.
func (s *Store) Hold(n Node, f Flags) Event {
	f.check()
	nd := s.at(n)
	gen := nd.generation()
	nd.ctl.Store(gen<<genShift | queued | uint64(f) | setUpLock)
	return Event{s, ref(gen, n)}
}

// Event returns the event of n, which the caller has acquired or claimed.
func (s *Store) Event(n Node) Event {
	return Event{s, ref(s.at(n).generation(), n)}
}

// Held reports whether the set-up lock of e's node is still held.
func (s *Store) Held(e Event) bool {
	if !s.has(e) {
		return false
	}
	v := s.at(e.Node()).ctl.Load()
	return v>>genShift == e.ref>>genShift && v&running == 0 && v&countMask > maxEdges
}

// SetFlags adds f to the flags of a node that is held. It panics where Start does.
func (s *Store) SetFlags(n Node, f Flags) {
	f.check()
	s.at(n).ctl.Or(uint64(f))
}

// After adds e to the prerequisites of n, which is held, as edge number i. Edges are
// numbered from 0, and a number is used up even if After returns false: then e was
// complete. Launch must be told how many calls returned true. It panics if n has more than
// 2^22-1 edges or if e is n's own event.
func (s *Store) After(n Node, i uint32, e Event) bool {
	s.checkEdge(n, i, e)
	return s.addEdge(n, i, e)
}

func (s *Store) checkEdge(n Node, i uint32, e Event) {
	if i >= maxEdges {
		panic("graphevent: more than 2^22-1 prerequisites")
	}
	s.checkSelf(n, e)
}

// countHold counts one more reason not to complete.
func (s *Store) countHold(nd *node) {
	if nd.ctl.Add(1)&countMask > maxEdges {
		nd.ctl.Add(^uint64(0)) // the body's own count keeps the count above zero
		panic("graphevent: more than 2^22-1 events hold one event open")
	}
}

func (s *Store) checkSelf(n Node, e Event) {
	if e.store == s && e.Node() == n && !e.IsComplete() {
		panic("graphevent: a task that waits for itself")
	}
}

// Launched is what [Store.Launch] found.
type Launched uint8

const (
	LaunchWaiting Launched = iota // the Scheduler hears of the node later, or it was skipped
	LaunchReady                   // the caller queues the node
	LaunchNotHeld                 // the lock was released before, or the node was abandoned
)

// Launch releases the set-up lock of e's node, for which edges calls of After returned true. It
// panics if edges is more than an event can have.
func (s *Store) Launch(e Event, edges uint32, c *Cache, r Scheduler) Launched {
	if !s.has(e) {
		return LaunchNotHeld
	}
	if edges > maxEdges {
		panic("graphevent: more than 2^22-1 prerequisites")
	}
	n := e.Node()
	nd := s.at(n)
	for {
		v := nd.ctl.Load()
		if v>>genShift != e.ref>>genShift || v&running != 0 || v&countMask <= maxEdges {
			return LaunchNotHeld
		}
		// The lock makes the count so high that completing prerequisites cannot bring it to zero;
		// now the count becomes the true number of those that are left.
		w := v - (setUpLock - uint64(edges))
		if !nd.ctl.CompareAndSwap(v, w) { // LP(Launch)
			continue
		}
		switch {
		case w&countMask != 0:
			return LaunchWaiting
		case w&(failed|always) == failed:
			nd.ctl.Store(w &^ queued)
			s.complete(n, c, r, true)
			return LaunchWaiting
		default:
			return LaunchReady
		}
	}
}

// Claim takes the right to run n, whose queue entry the caller has popped. False means that
// somebody ran it early: there is nothing to do.
func (s *Store) Claim(n Node, c *Cache) bool {
	nd := s.at(n)
	for {
		v := nd.ctl.Load()
		if v&running != 0 {
			// A tombstone. The node could not be recycled while its entry was queued; the later of
			// completion and this pop recycles it. If it becomes ready again before the swap, see
			// rearm, this is its entry.
			if !nd.ctl.CompareAndSwap(v, v&^queued) {
				continue
			}
			if v&free != 0 {
				s.recycle(n, nd, c)
			}
			return false
		}
		if nd.ctl.CompareAndSwap(v, v&^queued|running|1) { // LP(Claim)
			s.forgive(n, v)
			return true
		}
	}
}

// IsTombstone reports whether the queue entry of n, which has not been popped, is a tombstone: its
// task was run early and has completed.
func (s *Store) IsTombstone(n Node) bool { return s.at(n).ctl.Load()&free != 0 }

// TryClaim takes the right to run the task of e before its queue entry is popped. It fails
// if the task is not ready, was claimed, or is not a task. A pinned node's thread must be
// checked before, see [Store.IsPinned]. That check holds if the claim succeeds, provided
// that the node was not [Store.Held] before the check: until the launch it can be pinned.
func (s *Store) TryClaim(e Event) bool {
	if !s.has(e) {
		return false
	}
	nd := s.at(e.Node())
	for {
		v := nd.ctl.Load()
		if v>>genShift != e.ref>>genShift || v&(running|notify|countMask) != 0 ||
			v&(failed|always) == failed {
			return false
		}
		if nd.ctl.CompareAndSwap(v, v|running|1) { // LP(TryClaim)
			s.forgive(e.Node(), v)
			return true
		}
	}
}

// IsPinned reports whether e's node is marked [Pinned]. For a complete event the result means
// nothing: the node may belong to another event.
func (s *Store) IsPinned(e Event) bool {
	return s.has(e) && s.at(e.Node()).ctl.Load()&pinned != 0
}

// forgive clears the failure of the prerequisites of a node with RunAlways.
func (s *Store) forgive(n Node, v uint64) {
	if v&failed != 0 {
		s.sides.At(uint32(n)).cause.Store(nil)
		s.at(n).ctl.And(^uint64(failed))
	}
}

// HoldOpen delays the completion of n until e has completed, as edge number i; numbers go on from
// those of After. Only the body of n may call it. It panics if e is n's own event, or if n is held
// open by MaxEdges at this moment, the body included, and then changes nothing.
func (s *Store) HoldOpen(n Node, i uint32, e Event) {
	s.checkSelf(n, e)
	nd := s.at(n)
	s.countHold(nd) // the count first: e may complete at once
	if !s.addEdge(n, i, e) {
		nd.ctl.Add(^uint64(0)) // the body's own count keeps the count above zero
	}
}

// EndBody says that the body of n, claimed by the caller, has returned err. It completes the
// node's event unless something holds it open, and reports whether it did; if not, the
// Scheduler's Completed follows. Subsequents that become ready go to r.
func (s *Store) EndBody(n Node, err error, c *Cache, r Scheduler) (completed bool) {
	nd := s.at(n)
	v := nd.ctl.Load()
	if err != nil {
		// An abandoned event has its failure already and keeps it.
		s.sides.Grow(uint32(n)).outcome.CompareAndSwap(nil, newOutcome(v>>genShift, err, nil))
		nd.ctl.Or(failed)
	} else if v&(countMask|queued|failed|notify) == 1 {
		// The body is the only reason left, and only it could add another: nobody else writes the
		// word any more, and no queue holds the node. The rest is as in complete.
		if link := nd.head.Swap(uint32(v>>genShift)+1, true); link != 0 { // LP(complete)
			if todo := s.release(link, nil, worklist{}, c, r); !todo.empty() {
				s.recycle(n, nd, c)
				s.completeAll(0, todo, c, r, true)
				return true
			}
		}
		s.recycle(n, nd, c)
		return true
	}
	if nd.ctl.Add(^uint64(0))&countMask != 0 {
		return false
	}
	s.complete(n, c, r, false)
	return true
}
