package taskgraph

import (
	"context"
	"fmt"
	"slices"

	"github.com/heddle-go/heddle/graphevent"
)

// WaitAny blocks until one of events has completed. It returns the index of the first of them, in
// the order given, that is complete then, and the failure of that one; or -1 and the cause of ctx's
// end. It panics if there are no events. It runs nothing here, except on a named thread what is
// bound to that and awaited.
//
// Failures of the others do not count as seen. They go on; to cancel them, give them a context. One
// that does not complete keeps a few words of memory for each WaitAny that it lost.
func (s *System) WaitAny(ctx context.Context, events ...Event) (int, error) {
	return s.waitAny(ctx, nil, events)
}

// WaitAny is [System.WaitAny] in a body, whose worker goes to others while it waits. It is an error
// if nothing is awaited but the body's own task and tasks that wait below it on the same stack.
func (c *Context) WaitAny(ctx context.Context, events ...Event) (int, error) {
	return c.r.sys.waitAny(ctx, c, events)
}

// waitAny is WaitAny for the body of c, or for a goroutine without a body if c is nil.
func (s *System) waitAny(ctx context.Context, c *Context, events []Event) (int, error) {
	must(len(events) != 0, "WaitAny of no events")
	if i := slices.IndexFunc(events, Event.IsComplete); i >= 0 {
		return i, events[i].Err()
	}
	if c != nil && !slices.ContainsFunc(events, func(e Event) bool { return !c.r.isBelow(e) }) {
		return -1, fmt.Errorf("taskgraph: %s waits for itself", s.nameOf(events[0]))
	}
	first := [...]Event{s.store.Any(events...)} // completes with one of events
	if slices.ContainsFunc(events, s.isAlien) {
		// A named thread looks at all of them, since first knows nothing of other systems.
		if r := s.threadOf(c); r != nil {
			r.among = slices.Clone(events) // otherwise events of every WaitAny would escape
			defer func() { r.among = nil }()
		}
	}
	err := s.blockOn(ctx, c, first[:])
	if i := slices.IndexFunc(events, Event.IsComplete); i >= 0 {
		return i, events[i].Err()
	}
	if err == nil {
		err = first[0].Err() // a shutdown has failed it
	}
	first[0].Trigger() // nobody waits for it any more
	return -1, err
}

// isBelow reports whether e is the event of a body on r's stack. Most waits are for tasks that have
// not started, and need not look through the stack.
func (r *runner) isBelow(e Event) bool {
	return e.State() == graphevent.StateExecuting &&
		slices.ContainsFunc(r.frames[:r.depth], func(c *Context) bool { return c.ev == e })
}

// All returns an event that completes when all events have: graphevent.Store.All.
func (s *System) All(events ...Event) Event { return s.store.All(events...) }

// Any returns an event that completes as soon as one of events has, with that one's outcome: see
// graphevent.Store.Any.
func (s *System) Any(events ...Event) Event { return s.store.Any(events...) }

// TriggerEventWhenTasksComplete triggers e, a manual event, as soon as tasks have completed; if one
// of them fails, e fails with the first failure. From the call on a Trigger or Fail of e by hand
// changes nothing, and a wait for e runs tasks as a wait for those would. If e was triggered before
// but is still held open, tasks hold it open as well. It panics if e is not a manual event, and
// allocates only for a task of another system.
func (s *System) TriggerEventWhenTasksComplete(e Event, tasks ...Event) {
	must(e.Store() != nil, "TriggerEventWhenTasksComplete of the zero Event")
	for _, t := range tasks {
		e.DontCompleteUntil(t)
	}
	e.Trigger()
}
