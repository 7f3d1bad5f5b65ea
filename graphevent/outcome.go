package graphevent

import "github.com/heddle-go/heddle/internal/atomics"

// An outcome is a failure.
type outcome struct {
	gen  uint64 // of the event that failed, to detect that the slot was recycled
	err  error
	root *outcome // the failure that this one follows from, or itself

	// look is nil, or lookedAt, or, if the failure was forgotten before anybody saw it, its own
	// look.
	look atomics.Pointer[look]
}

// A look says of a failure that was forgotten unseen whether somebody has looked since, at a
// consequence of it or at the event itself, whose error is then ErrForgotten.
type look struct {
	store *Store // the store that counts the failure as unseen
	gen   uint64
	taken atomics.Bool
}

var lookedAt = new(look)

// take notes that somebody looked.
func (l *look) take() {
	if l.store != nil && l.taken.CompareAndSwap(false, true) {
		l.store.unseen.Add(-1)
	}
}

// A side has what only few nodes need: those that fail and those that call a function.
type side struct {
	outcome   atomics.Pointer[outcome] // the body's failure, and after completion the event's
	cause     atomics.Pointer[outcome] // the first prerequisite or DontCompleteUntil that failed
	forgotten atomics.Uint32           // the last generation whose failure was dropped
	lost      atomics.Pointer[look]    // of that generation if its failure was unseen, or older
	// of a notify node; written before launch, read after release
	call     func()
	callWith func(err error) // instead, for OnComplete
	foreign  *foreignEdge    // instead, for an edge of another store
	wait     *waiter         // instead, for Wait
}

// forgottenOutcome stands for every forgotten failure. All stores share it, so nobody checks
// whether it was seen.
var forgottenOutcome = func() *outcome {
	o := &outcome{err: ErrForgotten}
	o.root = o
	return o
}()

func newOutcome(gen uint64, err error, root *outcome) *outcome {
	o := &outcome{gen: gen, err: err, root: root}
	if root == nil {
		o.root = o
	}
	return o
}

// see records that somebody looked at the failure.
func (o *outcome) see() error {
	if o.root == forgottenOutcome {
		return o.err
	}
	l := o.root.look.Load()
	if l == nil && !o.root.look.CompareAndSwap(nil, lookedAt) {
		l = o.root.look.Load() // it was forgotten just now
	}
	if l != nil {
		l.take()
	}
	return o.err
}

// isSeen reports whether somebody has looked at the failure o.
func (o *outcome) isSeen() bool { return o.look.Load() != nil }

// result returns the failure in which n ends, or nil for success. v is its control word: no
// prerequisite and no reason to hold it open is left.
func (s *Store) result(n Node, v uint64) *outcome {
	if v&failed == 0 {
		return nil
	}
	sd := s.sides.At(uint32(n))
	gen := v >> genShift
	if o := sd.outcome.Load(); o != nil && o.gen == gen {
		return o // the body's own error comes first
	}
	cause := sd.cause.Load()
	if v&running != 0 {
		return newOutcome(gen, cause.err, cause.root)
	}
	return newOutcome(gen, &skipError{cause.root.err}, cause.root)
}

// Fails reports, within [Scheduler].Completed, whether n fails.
func (s *Store) Fails(n Node) bool { return s.at(n).ctl.Load()&failed != 0 }

// keep remembers the failure of n, and forgets the oldest beyond the bound.
func (s *Store) keep(r uint64) {
	s.failures.Push(r)
	for m := s.remember.Add(1); m > s.limit; m = s.remember.Load() {
		if !s.remember.CompareAndSwap(m, m-1) { // the right to forget one
			continue
		}
		old, ok := s.failures.Pop()
		if !ok { // Failures has popped it just now; the next failure makes up for that
			s.remember.Add(1)
			return
		}
		s.forget(old)
	}
}

// forget recycles the node of a failed event. The order matters to a reader of the event:
// it finds the outcome, or a new generation and then the forgotten one.
func (s *Store) forget(r uint64) {
	n, gen := Node(uint32(r)), r>>genShift
	nd, sd := s.at(n), s.sides.At(uint32(n))
	if o := sd.outcome.Load(); o.root == o && !o.isSeen() {
		s.unseen.Add(1)
		l := &look{store: s, gen: gen}
		sd.lost.Store(l)
		if !o.look.CompareAndSwap(nil, l) {
			l.take() // somebody has looked meanwhile
		}
	}
	sd.forgotten.Store(uint32(gen))
	nd.head.Swap(uint32(gen)+1, true)
	sd.outcome.Store(nil)
	sd.cause.Store(nil)
	if !abandoned(nd.ctl.Load()) {
		s.retire(n, nil)
	}
}

// Failures calls yield for each failure that is remembered and that nobody has seen: no Err, no
// Wait, and none of an event that failed because of this one. It returns how many more were
// forgotten that nobody has seen; having seen ErrForgotten counts, too, as long as the event's node
// has not forgotten another failure. Events that fail meanwhile may be missed, unless the caller
// follows from one: whatever an event releases finds its failure here. It panics if yield is nil.
func (s *Store) Failures(yield func(Event, error) bool) (forgotten int) {
	if yield == nil {
		panic("graphevent: Failures with a nil function")
	}
	more := true
	var first Event
	for range s.failures.Len() {
		r, ok := s.failures.Pop()
		if !ok {
			break
		}
		s.failures.Push(r)
		e := Event{s, r}
		if e == first {
			break // the length counts one that somebody has not put in yet
		}
		if first == (Event{}) {
			first = e
		}
		if o := e.outcome(); more && o != nil && o.root == o && o != forgottenOutcome &&
			!o.isSeen() {
			more = yield(e, o.err)
		}
	}
	return int(s.unseen.Load())
}
