package graphevent

// All returns an event that completes when all events have completed, with the failure of the one
// that failed first; of those that fail before All returns, it is the one that All sees first.
// Without events it is complete; it panics if there are more than MaxEdges. Events of other stores
// may be among them.
//
// The event is not one to be triggered by hand: Trigger and Fail return false. It can be held
// open by DontCompleteUntil, as a manual event can. It is completed by the goroutine that
// completes the last of events, and what was done before any of them was completed happens
// before whatever observes that the event is complete. It makes no garbage, except for a
// small object for each event of another store.
func (s *Store) All(events ...Event) Event {
	if len(events) == 0 {
		return Event{}
	}
	if len(events) > maxEdges {
		panic("graphevent: All of more than 2^22-1 events")
	}
	n := s.Acquire(nil)
	nd := s.at(n)
	gen := nd.generation()
	// The count first, with one more reason while we register.
	nd.ctl.Store(gen<<genShift | running | notify | uint64(len(events)+1))
	over := uint64(1)
	for i, e := range events {
		if !s.addEdge(n, uint32(i), e) {
			over++
		}
	}
	if nd.ctl.Add(-over)&countMask == 0 {
		s.complete(n, nil, s.opts.Scheduler, true)
	}
	return Event{s, ref(gen, n)}
}

// Any returns an event that completes as soon as one of events has completed, with that one's
// outcome. If some are complete already, it returns the first of these in the order given. Events
// of other stores may be among them. It panics without events: no outcome would be right, and an
// event that never completes would be a hang that nobody can explain.
//
// The event is a manual one as well: Trigger and Fail complete it if they come first, which
// suits a limit or a cancellation, and DontCompleteUntil holds it open. It is completed by
// the goroutine that completes the first of events, and what was done before that happens
// before whatever observes that the event is complete; of the others nothing is promised.
//
// Any makes no garbage, except for an object for each event of another store. The others, the
// losers, are not affected. Each keeps a few words in its store (a node and an object if that is
// another one) until it completes, even if the event of Any is long complete: repeated calls with
// an event that never completes fill the memory.
func (s *Store) Any(events ...Event) Event {
	if len(events) == 0 {
		panic("graphevent: Any of no events")
	}
	for _, e := range events {
		if e.IsComplete() {
			return e
		}
	}
	n := s.Acquire(nil)
	nd := s.at(n)
	gen := nd.generation()
	a := Event{s, ref(gen, n)}
	// One reason for the decision, and one that keeps the node while we register.
	nd.ctl.Store(gen<<genShift | choice | manual | 2)
	for _, e := range events {
		if !s.addAlternative(a, e) {
			s.decide(a.ref, e.outcome())
			break
		}
	}
	s.finishEdge(n, nil)
	return a
}

// addAlternative makes the completion of e decide a, which the caller keeps from completing, and
// reports whether e was incomplete.
func (s *Store) addAlternative(a, e Event) bool {
	if e.store != s {
		return e.store.admit(&foreignEdge{store: s, owner: a.ref, decide: true}, e)
	}
	// Two edges: one in the node's own list, for walkers, which is freed with the node; and one in
	// the list of e, which stays there if another event is first.
	s.spill(a.Node(), e.ref)
	x := s.newSlabEdge()
	sl := s.slab.At(x)
	sl.kind = choiceEdge
	sl.back.Store(a.ref)
	if e.head().TryPush(e.gen(), slabLink|x, &sl.next) {
		return true
	}
	s.edges.Push(x)
	return false
}

// decide gives r, an event of Any, the outcome o, unless r was decided or triggered before. It
// reports whether the caller has to complete r now.
func (s *Store) decide(r uint64, o *outcome) bool {
	n := Node(uint32(r))
	nd := s.at(n)
	for {
		v := nd.ctl.Load()
		if v>>genShift != r>>genShift || v&manual == 0 {
			return false
		}
		if nd.ctl.CompareAndSwap(v, v&^manual) { // LP(Any)
			break
		}
	}
	// From here on the node stays: only we can remove its first reason.
	return s.unlock(n, o) == unlockComplete
}
