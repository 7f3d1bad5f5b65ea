package graphevent

import (
	"fmt"

	"github.com/heddle-go/heddle/lockfree"
)

// An Event is a handle to a one-shot completion. It is a value: copy it, compare it, keep it
// as long as you like. The zero Event is complete and succeeded.
//
// Any goroutine may call its methods, unless a method says otherwise.
type Event struct {
	store *Store
	ref   uint64 // generation and node
}

// Store returns the store that the event lives in, or nil for the zero Event.
func (e Event) Store() *Store { return e.store }

// Generation tells the lives of a node apart: it and the node identify the event in its store.
func (e Event) Generation() uint64 { return e.ref >> genShift }

// Node returns the node of the event. The node belongs to the event only while the event is
// incomplete.
func (e Event) Node() Node { return Node(uint32(e.ref)) }

// head returns the list of subsequents of e. A TryPush for the generation gen registers and checks
// in one step that e is incomplete. LP(AddSubsequent)
func (e Event) head() *lockfree.ClosableHead { return &e.store.at(e.Node()).head }

func (e Event) gen() uint32 { return uint32(e.ref >> genShift) }

// String names the event for people, as node and generation.
func (e Event) String() string {
	if e.store == nil {
		return "event 0"
	}
	return fmt.Sprintf("event %d.%d", uint32(e.ref), e.ref>>genShift)
}

// IsComplete reports whether the event has completed.
func (e Event) IsComplete() bool {
	if e.store == nil {
		return true
	}
	return !e.head().Open(e.gen())
}

// Err returns the failure of a completed event. It is nil while the event is incomplete and
// after success. A failure dropped beyond MaxFailures reads as [ErrForgotten], for as long
// as its node remembers; after that as success. A failure that was returned counts as seen, see
// [Store.Failures].
func (e Event) Err() error {
	o := e.outcome()
	if o == nil {
		return nil
	}
	if o == forgottenOutcome {
		if l := e.store.sides.At(uint32(e.Node())).lost.Load(); l != nil &&
			l.gen == e.ref>>genShift {
			l.take()
		}
	}
	return o.see()
}

// outcome returns the failure of a completed event, or nil.
func (e Event) outcome() *outcome {
	if e.store == nil {
		return nil
	}
	n, gen := e.Node(), e.ref>>genShift
	nd := e.store.at(n)
	for {
		now, open := nd.head.State()
		if uint64(now) != gen {
			sd := e.store.sides.Get(uint32(n))
			if sd != nil && sd.forgotten.Load() == uint32(gen) {
				return forgottenOutcome
			}
			return nil
		}
		if open {
			return nil
		}
		if o := e.store.sides.At(uint32(n)).outcome.Load(); o != nil && o.gen == gen {
			return o
		}
		// The failure is being forgotten: head has moved on.
	}
}

// Trigger completes a manual event with success, now or as soon as everything given to
// DontCompleteUntil has completed. Only the first Trigger or Fail counts; it reports whether this
// was the one. Everything that this completes completes on the calling goroutine, before the
// return. It panics if e is not a manual event, unless that is long complete.
func (e Event) Trigger() bool { return e.trigger(nil) }

// Fail completes a manual event with the failure err, like Trigger. It panics if err is nil.
func (e Event) Fail(err error) bool {
	if err == nil {
		panic("graphevent: Fail with a nil error")
	}
	return e.trigger(err)
}

func (e Event) trigger(err error) bool {
	if e.store == nil {
		return false
	}
	s, n := e.store, e.Node()
	nd := s.at(n)
	for {
		v := nd.ctl.Load()
		if v>>genShift != e.ref>>genShift {
			return false // long complete
		}
		if v&(running|notify) != running|notify {
			panic("graphevent: Trigger of an event that is not a manual one")
		}
		if v&manual == 0 {
			return false
		}
		if nd.ctl.CompareAndSwap(v, v&^manual) {
			s.EndBody(n, err, nil, s.opts.Scheduler)
			return true
		}
	}
}

// DontCompleteUntil delays the completion of a manual event until other has completed. It
// may be called many times, until e is complete; a failure of other becomes the failure of
// e unless e has one of its own. It reports whether e was incomplete: false means that the
// call came too late and changed nothing. It panics if e is not a manual event (a task
// delays its own completion through its Context), if other is e, or if more than 2^22-1
// events hold e open at one time.
//
// Events that hold each other open, directly or around a cycle, never complete, and nothing here
// notices: [Store.Prerequisites] leads around such a cycle, and the reports of package taskgraph
// name it.
func (e Event) DontCompleteUntil(other Event) bool {
	if e.store == nil {
		return false
	}
	if e == other {
		panic("graphevent: DontCompleteUntil of an event on itself")
	}
	s, n := e.store, e.Node()
	nd := s.at(n)
	for {
		v := nd.ctl.Load()
		if v>>genShift != e.ref>>genShift || v&countMask == 0 || abandoned(v) {
			return false
		}
		if v&(running|notify) != running|notify {
			panic("graphevent: DontCompleteUntil of an event that is not a manual one")
		}
		if v&countMask > maxEdges {
			panic("graphevent: more than 2^22-1 events hold one event open")
		}
		// The count first: other may complete at once.
		if nd.ctl.CompareAndSwap(v, v+1) {
			break
		}
	}
	if !s.addEdge(n, inlineEdges, other) {
		s.finishEdge(n, nil)
	} else if s.opts.OnEdge != nil {
		s.opts.OnEdge()
	}
	return true
}

// AddSubsequent arranges that the store's [Releaser] receives token when the event
// completes. It returns false if the event is complete already; then the token is not
// delivered. It panics if the store has no Releaser.
func (e Event) AddSubsequent(token uint32) bool {
	if e.store == nil {
		return false
	}
	s := e.store
	if s.opts.Releaser == nil {
		panic("graphevent: AddSubsequent on a store without a Releaser")
	}
	x := s.newSlabEdge()
	sl := s.slab.At(x)
	sl.owner, sl.kind = token, tokenEdge
	if e.head().TryPush(e.gen(), slabLink|x, &sl.next) {
		return true
	}
	s.edges.Push(x)
	return false
}
