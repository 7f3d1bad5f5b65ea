package graphevent

import (
	"context"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/paged"
	"github.com/heddle-go/heddle/lockfree"
)

// DefaultMaxFailures is the number of failed events that a store remembers unless told
// otherwise.
const DefaultMaxFailures = 1 << 16

// Options configures a [Store]. The zero value is usable.
type Options struct {
	// Releaser receives the tokens given to [Event.AddSubsequent]. Nil: there is no use
	// for tokens, and AddSubsequent panics.
	Releaser Releaser

	// Scheduler is told what becomes ready when an event is completed by a goroutine that
	// brings no scheduler of its own: by [Event.Trigger], say. Nil: the store's nodes are
	// manual events only.
	Scheduler Scheduler

	// Wait is called by [Event.Wait] for an event that is incomplete, and does all the rest of
	// it. Nil: the calling goroutine sleeps in the Go scheduler.
	Wait func(context.Context, Event) error

	// Grow is called before nodes below limit are handed out for the first time, so that
	// a scheduler can make a column of its own on the same index.
	Grow func(limit Node)

	// OnEdge is called after [Event.DontCompleteUntil] has added to what an event waits for, and
	// when a task is ready once more whose earlier entry is queued still, see [Store.Again]: so
	// that somebody who looked at that earlier can look again. It must not block, panic or end its
	// goroutine.
	OnEdge func()

	// MaxFailures is the number of failed events whose errors are kept; beyond it the
	// oldest, or another while [Store.Failures] goes through them, is forgotten and then reads as
	// [ErrForgotten]. Default [DefaultMaxFailures]; must not be negative.
	MaxFailures int
}

// A Releaser receives tokens from completed events.
type Releaser interface {
	// Release is called exactly once for each AddSubsequent(token) that returned true, by
	// the goroutine that completes the event and in the order of registration. It must
	// not block, panic or end its goroutine. err is the failure of the event, or nil.
	Release(token uint32, err error)
}

// A Scheduler runs the nodes of a store. Its methods are called by a goroutine that is
// completing an event; they must not block, panic or end their goroutine.
type Scheduler interface {
	// Ready is called exactly once for a launched node, after the last of its
	// prerequisites completed. An entry for the node must now be queued, and whoever pops
	// it must call [Store.Claim].
	Ready(n Node)

	// Completed is called when a node completes other than in the call of its
	// [Store.EndBody]: because it was skipped, or because the last event that it had to
	// wait for completed. What is kept for the node must be dropped: it is recycled next.
	Completed(n Node)

	// Finished is called after count nodes that Completed was called for have completed,
	// and their failures are on record.
	Finished(count int)
}

// A Store holds the nodes of events. Make one with [NewStore].
//
// # Concurrency
//
// All methods may be called by any goroutine, but those about one [Node] only by who the
// method says. Those that change an event or ask how far it has come for a scheduler (Launch,
// TryClaim, Held, IsPinned, Abandon, Disown) panic if it is one of another store; the zero Event is
// complete. Everything that a goroutine did before it completed an event (its part of
// it: returning from EndBody's caller, triggering) synchronizes before whatever observes
// that the event is complete: IsComplete, Err, Wait, a released token, a ready node.
//
// # Progress
//
// Lock-free, [Event.Wait] excepted. A completion takes as many steps as it releases.
//
// # Cost
//
// 64 bytes a node, recycled; no allocation for events that succeed once the store has grown to the
// largest number of those that were incomplete at one time, edges between stores and [Event.Wait]
// aside. A store has at most 2^28 nodes, and 2^28 edges beyond those in the nodes; a call that
// needs one more panics. Memory is not given back before the store is dropped; an Event keeps its
// whole store alive, but no task, error or closure of a completed event (errors up to MaxFailures
// excepted).
type Store struct {
	nodes paged.Table[node]
	slab  paged.Table[slabEdge]
	sides paged.Table[side] // what few nodes need

	opts Options

	// Free nodes: batches of batchSize, linked through next as pack does it, and single ones.
	batches lockfree.Stack[Node]
	singles lockfree.Stack[Node]
	edges   lockfree.Stack[uint32] // free slab edges

	fresh     atomics.Uint32 // nodes below it have been handed out
	freshEdge atomics.Uint32

	// failures is the order in which events failed, so that the oldest is forgotten first.
	failures lockfree.Queue[uint64]
	remember atomics.Int64 // how many failures are remembered
	unseen   atomics.Int64 // failures forgotten before anybody saw them
	firstGen uint64        // the generation of a fresh node; tests start it near the end
	limit    int64
}

// NewStore returns an empty store. It panics if Options.MaxFailures is negative.
func NewStore(o Options) *Store {
	if o.MaxFailures < 0 {
		panic("graphevent: Options.MaxFailures is negative")
	}
	if o.MaxFailures == 0 {
		o.MaxFailures = DefaultMaxFailures
	}
	s := &Store{opts: o, firstGen: 1, limit: int64(o.MaxFailures)}
	s.freshEdge.Store(1) // 0 ends a list
	return s
}

// Scheduler returns Options.Scheduler, by which a maker of stores can find what it made a store
// for.
func (s *Store) Scheduler() Scheduler { return s.opts.Scheduler }

// has reports whether e is an event of s; the zero Event, which is complete, is not. It panics if e
// is an event of another store.
func (s *Store) has(e Event) bool {
	if e.store != s && e.store != nil {
		stranger()
	}
	return e.store == s
}

//go:noinline
func stranger() { panic("graphevent: an event of another store") }

// NewEvent returns a new manual event: it completes when [Event.Trigger] or [Event.Fail]
// was called and everything given to [Event.DontCompleteUntil] has completed.
func (s *Store) NewEvent() Event {
	n := s.Acquire(nil)
	nd := s.at(n)
	gen := nd.generation()
	nd.ctl.Store(gen<<genShift | running | notify | manual | 1)
	return Event{s, ref(gen, n)}
}
