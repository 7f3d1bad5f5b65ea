package taskgraph

import (
	"context"
	"fmt"
	"slices"

	"github.com/heddle-go/heddle/graphevent"
)

// WaitAny blocks until one of events has completed. It returns the index of the first of them,
// in the order given, that is complete then, and the failure of that one; or -1 and the cause
// of ctx's end. Failures of the others do not count as seen. It panics if there are no events.
//
// It runs nothing on the caller's stack: what is run there keeps the caller until it ends, and
// a loser may take any time, or wait for the caller. The exception is a named thread of the
// system's registry, which runs the awaited tasks that are bound to it, because nobody else
// can, until one of events is complete.
//
// The losers go on. To cancel them, give them a context or a flag of their own, and end it
// when WaitAny has returned. Each of them that does not complete keeps a few words of memory
// for every WaitAny that it lost.
func (s *System) WaitAny(ctx context.Context, events ...Event) (int, error) {
	return s.waitAny(ctx, nil, events)
}

// WaitAny is [System.WaitAny] in a body, whose worker goes to another runner until the wait is
// over, so that losers and winner run even if the body has the only one. The body may go on as
// another worker. It is an error if nothing but the body's own task, and tasks that wait below
// it on the same stack, are among events.
func (c *Context) WaitAny(ctx context.Context, events ...Event) (int, error) {
	return c.r.sys.waitAny(ctx, c, events)
}

// waitAny is WaitAny for the body of c, or for a goroutine without a body if c is nil.
func (s *System) waitAny(ctx context.Context, c *Context, events []Event) (int, error) {
	if len(events) == 0 {
		panic("taskgraph: WaitAny of no events")
	}
	if i := firstComplete(events); i >= 0 {
		return i, events[i].Err()
	}
	if c != nil && c.r.allBelow(events) {
		return -1, fmt.Errorf("taskgraph: %s waits for itself", s.nameOf(events[0]))
	}
	first := [...]Event{s.store.Any(events...)}
	err := s.blockForOne(ctx, c, first[:], events)
	if i := firstComplete(events); i >= 0 {
		return i, events[i].Err()
	}
	if err == nil {
		err = first[0].Err() // a shutdown has failed it
	}
	first[0].Trigger() // nobody waits for it any more
	return -1, err
}

// blockForOne blocks until first has completed, which completes with one of events. A named thread
// looks at all of them, since first knows nothing of events of other systems.
func (s *System) blockForOne(ctx context.Context, c *Context, first, events []Event) error {
	if slices.ContainsFunc(events, s.isAlien) {
		r := s.currentThread()
		if c != nil {
			r = c.r.named
		}
		if r != nil {
			r.among = slices.Clone(events) // otherwise events of every WaitAny would escape
			defer func() { r.among = nil }()
		}
	}
	if c != nil {
		return c.r.block(ctx, first)
	}
	return s.block(ctx, first)
}

// firstComplete returns the index of the first event that is complete, or -1.
func firstComplete(events []Event) int {
	for i, e := range events {
		if e.IsComplete() {
			return i
		}
	}
	return -1
}

// allBelow reports whether all events are tasks whose bodies are on r's stack: a wait for any of
// them would not end.
func (r *runner) allBelow(events []Event) bool {
	return !slices.ContainsFunc(events, func(e Event) bool { return !r.isBelow(e) })
}

// isBelow reports whether e is the event of a body on r's stack. Most waits are for tasks that have
// not started, and need not look through the stack.
func (r *runner) isBelow(e Event) bool {
	return e.State() == graphevent.StateExecuting &&
		slices.ContainsFunc(r.frames[:r.depth], func(c *Context) bool { return c.ev == e })
}

// All returns an event that completes when all events have: see [graphevent.Store.All]. A wait
// for it runs what it waits for, as one for the events themselves would.
func (s *System) All(events ...Event) Event { return s.store.All(events...) }

// Any returns an event that completes as soon as one of events has, with that one's outcome:
// see [graphevent.Store.Any]. As a prerequisite it starts a task after the first of several.
func (s *System) Any(events ...Event) Event { return s.store.Any(events...) }

// TriggerEventWhenTasksComplete triggers e, a manual event, as soon as tasks have completed; if
// one of them fails, e fails with the first failure. Whoever completes the last of tasks
// completes e, in the same step and before it does anything else: that takes no worker. From
// the call on e counts as triggered: a Trigger or Fail by hand changes nothing. A wait for e
// runs tasks, as a wait for those would.
//
// It panics if e is not a manual event. If e was triggered before but is still held open, that
// goes on until tasks have completed as well. It takes no memory once the store of e has grown,
// except for a closure for each task of another system.
func (s *System) TriggerEventWhenTasksComplete(e Event, tasks ...Event) {
	if e.Store() == nil {
		panic("taskgraph: TriggerEventWhenTasksComplete of the zero Event")
	}
	for _, t := range tasks {
		e.DontCompleteUntil(t)
	}
	e.Trigger()
}
