package graphevent

// State says how far an event has come, for debugging.
type State uint8

const (
	StateHeld        State = iota // unsubmitted: being built, not launched
	StateUntriggered              // a manual event that waits to be triggered
	StateWaiting                  // for prerequisites, another round, or an event of Any
	StateReady                    // queued
	// the body runs, or it or the trigger is done but the event is held open
	StateExecuting
	StateCompleted // with success or failure
)

var stateNames = [...]string{"unsubmitted", "untriggered", "waiting", "ready", "executing",
	"completed"}

// String returns the state in one word.
func (s State) String() string {
	if int(s) >= len(stateNames) {
		return "State(?)"
	}
	return stateNames[s]
}

// State returns the state of e at some moment during the call.
func (e Event) State() State {
	if e.IsComplete() {
		return StateCompleted
	}
	v := e.store.at(e.Node()).ctl.Load()
	switch {
	case v>>genShift != e.ref>>genShift:
		return StateCompleted
	case v&(manual|choice) == manual|choice:
		return StateWaiting
	case v&manual != 0 && v&notify == 0:
		return StateWaiting // to run again
	case v&manual != 0:
		return StateUntriggered
	case v&running != 0:
		return StateExecuting
	case v&countMask > maxEdges:
		return StateHeld
	case v&countMask != 0:
		return StateWaiting
	default:
		return StateReady
	}
}

// Incomplete calls yield for every event that is incomplete, until yield returns false.
// Events made or completed meanwhile may be missed. It panics if yield is nil.
func (s *Store) Incomplete(yield func(Event) bool) {
	if yield == nil {
		panic("graphevent: Incomplete with a nil function")
	}
	end := s.fresh.Load()
	for n := Node(1); n < Node(end); n++ {
		if s.nodes.Get(uint32(n)) == nil {
			continue // handed out a moment ago
		}
		nd := s.at(n)
		gen, open := nd.head.State()
		v := nd.ctl.Load()
		if gen == 0 {
			continue // not set up yet: no event has generation 0
		}
		if uint64(gen) != v>>genShift || !open || v&(notify|running) == notify {
			continue
		}
		if !yield(Event{s, ref(uint64(gen), n)}) {
			return
		}
	}
}

// Prerequisites appends to buf the incomplete events that e waits for, as far as they live
// in the same store: its prerequisites before it runs, and later what holds it open. Of an
// event of [Store.Any] it appends nothing: see [Store.Alternatives].
func (s *Store) Prerequisites(e Event, buf []Event) []Event {
	if e.store != s || s.isChoice(e) {
		return buf
	}
	return s.appendBack(e, buf)
}

// Alternatives appends to buf the events of which e, an event of [Store.Any], waits for one,
// and what holds it open, as far as they are incomplete and live in the same store. Of other
// events it appends nothing.
func (s *Store) Alternatives(e Event, buf []Event) []Event {
	if e.store != s || !s.isChoice(e) {
		return buf
	}
	return s.appendBack(e, buf)
}

// isChoice reports whether e, while it was incomplete, was one of Any.
func (s *Store) isChoice(e Event) bool { return s.at(e.Node()).ctl.Load()&choice == choice }

func (s *Store) appendBack(e Event, buf []Event) []Event {
	start := len(buf)
	nd := s.at(e.Node())
	for i := range nd.back {
		b := nd.back[i].Load()
		if b&^(1<<30-1) != spilled {
			buf = appendIncomplete(buf, Event{s, b})
			continue
		}
		// The list may be freed meanwhile; the walk ends, and the check below discards it.
		for x := uint32(b & (1<<30 - 1)); x != 0 && !e.IsComplete(); {
			sl := s.slab.At(x)
			buf = appendIncomplete(buf, Event{s, sl.back.Load()})
			x = sl.own.Load()
		}
	}
	if e.IsComplete() {
		return buf[:start] // what was read may belong to the node's next event
	}
	return buf
}

func appendIncomplete(buf []Event, e Event) []Event {
	if e.ref != 0 && !e.IsComplete() {
		return append(buf, e)
	}
	return buf
}

// Abandon completes e with the failure err although its prerequisites, or events that hold it open,
// are incomplete: the last resort of a shutdown. It does nothing to a node that is ready or
// complete. The caller makes sure that the body does not run: it has not started and does not start
// during the call, or its EndBody has returned. Abandon reports whether it completed e. It panics
// if err is nil.
func (s *Store) Abandon(e Event, err error, r Scheduler) bool {
	return s.abandon(e, err, r, false)
}

// AbandonHeld is Abandon of a task that its builder has not launched, and does nothing to one that
// is launched, also during the call: its body may be about to run.
func (s *Store) AbandonHeld(e Event, err error, r Scheduler) bool {
	return s.abandon(e, err, r, true)
}

func (s *Store) abandon(e Event, err error, r Scheduler, held bool) bool {
	if err == nil {
		panic("graphevent: Abandon with a nil error")
	}
	if !s.has(e) {
		return false
	}
	n := e.Node()
	nd := s.at(n)
	var v uint64
	for {
		v = nd.ctl.Load()
		if e.IsComplete() || v>>genShift != e.ref>>genShift || v&countMask == 0 || abandoned(v) {
			return false
		}
		if held && (v&running != 0 || v&countMask <= maxEdges) {
			return false
		}
		// Nobody ever removes these reasons, so the remaining edges do not bring the count to zero.
		// They stay in their lists, so the node is never recycled, see forget.
		if nd.ctl.CompareAndSwap(v, (v&^manual|running|failed)+abandonLock) {
			break
		}
	}
	o := newOutcome(v>>genShift, err, nil)
	o.look.Store(lookedAt) // the caller knows
	if v&running == 0 {
		o = newOutcome(o.gen, &skipError{err}, o)
	}
	// The body's own error comes first.
	s.sides.Grow(uint32(n)).outcome.CompareAndSwap(nil, o)
	s.complete(n, nil, r, true)
	return true
}
