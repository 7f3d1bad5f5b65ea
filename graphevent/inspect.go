package graphevent

// Inspect calls f while the task of e waits for prerequisites, and keeps the task from becoming
// ready, or being skipped, until f has returned: so f may read what the task's builder wrote before
// the launch. It does not call f and reports false if the task does not wait for prerequisites or
// is still held, or if e is an event of another store. f must be short: it holds the task up if the
// last prerequisite completes meanwhile. The caller ensures that nobody abandons e meanwhile.
// Inspect panics if f is nil.
func (s *Store) Inspect(e Event, f func()) bool {
	if f == nil {
		panic("graphevent: Inspect with a nil function")
	}
	if e.store != s {
		return false
	}
	n := e.Node()
	nd := s.at(n)
	for {
		v := nd.ctl.Load()
		if v>>genShift != e.ref>>genShift || v&(running|notify) != 0 || v&countMask == 0 ||
			v&countMask >= maxEdges {
			return false
		}
		// One more prerequisite. The count is not zero, so the task is not ready, and nobody makes
		// it ready before we have removed ours.
		if nd.ctl.CompareAndSwap(v, v+1) {
			break
		}
	}
	defer s.finishEdge(n, nil) // also if f panics
	f()
	return true
}

// IsManual reports whether e, while it is incomplete, is no task: one of [Store.NewEvent], All or
// Any.
func (s *Store) IsManual(e Event) bool {
	return e.store == s && s.at(e.Node()).ctl.Load()&(running|notify) == running|notify
}

// Reasons returns the number of reasons for which e, a task whose body was called or a manual
// event, is incomplete: one for the body or the trigger, as long as it is awaited, and one for
// each event that holds it open.
func (s *Store) Reasons(e Event) int {
	if e.store != s {
		return 0
	}
	return int(s.at(e.Node()).ctl.Load() & countMask)
}

// EventOf returns the event of n with the given generation, which may be complete. It is for
// callers that have kept an [Event] of this store as numbers. A generation that no event has, 0 or
// one of more than 32 bits, gives the zero Event; the next generation of a free node must not be
// given.
func (s *Store) EventOf(generation uint64, n Node) Event {
	if generation-1 >= lastGen-1 {
		return Event{}
	}
	return Event{s, ref(generation, n)}
}
