package taskgraph

import (
	"context"
	"fmt"

	"github.com/heddle-go/heddle/graphevent"
)

// WaitUntilTasksComplete blocks until all events have completed. It returns the failure of the
// first event, in the order given, that failed. If ctx ends first, it returns the cause; such a
// wait keeps a few words of memory until the events have completed. After a shutdown it returns
// ErrClosed, unless the events complete without it.
//
// On a named thread of the registry it runs the awaited tasks that are bound to that thread, where
// namedthread.Current is supported. Otherwise it runs no tasks. To take part in the work call
// [System.Run]. To run what else is bound to the thread call [System.PumpUntilTasksComplete].
func (s *System) WaitUntilTasksComplete(ctx context.Context, events ...Event) error {
	if !complete(events) {
		if err := s.block(ctx, events); err != nil {
			return err
		}
	}
	return failure(events)
}

// block blocks the calling goroutine, which comes from outside, until all events have completed. It
// returns nil, even if they failed, or why it gave up.
func (s *System) block(ctx context.Context, events []Event) error {
	for len(events) > graphevent.MaxEdges {
		if err := s.block(ctx, events[:graphevent.MaxEdges]); err != nil {
			return err
		}
		events = events[graphevent.MaxEdges:]
	}
	if r := s.currentThread(); r != nil {
		return r.waitOnThread(ctx, events, &awaited{})
	}
	return s.waitOutside(ctx, events)
}

// WaitUntilTasksComplete is [System.WaitUntilTasksComplete] in a body. If ctx cannot end (the
// Context itself, context.Background), it first runs here, on top of the body, tasks that it waits
// for, directly or not, and that have not started, and takes part in loops of the tasks of a graph
// whose run it waits for. Then the body's worker goes to others until the wait is over, and the
// body may go on as another worker. It is an error to wait for the body's own task, or for one that
// waits below it on the same stack.
//
// On a named thread it also runs the awaited tasks that are bound to that, and only these where as
// many callers as workers take part already. A task run so keeps the thread: if it blocks, other
// than by its Context, for what is bound to the thread, both wait for ever. What is run here and
// calls runtime.Goexit ends the waiting body too, which fails with that; see Options.IsolateWaits.
func (c *Context) WaitUntilTasksComplete(ctx context.Context, events ...Event) error {
	c.r.linger.Begin()
	if complete(events) {
		return failure(events)
	}
	if c.r.lane != nil {
		defer c.r.traceWait(c, events).end()
	}
	return c.awaitUntraced(ctx, events)
}

// awaitUntraced is WaitUntilTasksComplete for a wait that is recorded and may have had its awake
// part.
func (c *Context) awaitUntraced(ctx context.Context, events []Event) error {
	r := c.r
	for _, e := range events {
		if r.isBelow(e) {
			return fmt.Errorf("taskgraph: %s waits for itself", r.sys.nameOf(e))
		}
	}
	if r.sys.opts.Threads != nil {
		// Before helping, since what is run here may in turn wait for work of a named thread.
		defer r.unpublish(r.publish(events))
	}
	r.sys.turns.Yield()
	var a awaited
	if !r.sys.canEnd(ctx) {
		r.helpBefore(events, &a)
	}
	if !complete(events) {
		if err := r.blockFor(ctx, events, &a); err != nil {
			return err
		}
	}
	return failure(events)
}

// helpBefore is the part of a wait that helps, before it blocks.
func (r *runner) helpBefore(events []Event, a *awaited) {
	switch {
	case r.onThread():
		if a.helps = r.named.mayTakePart(); a.helps {
			r.named.helpFirst(events, a)
		}
	case r.onSlot():
		r.help(events, a)
	}
}

// block blocks the body of r until all events have completed. It returns nil, even if they failed,
// or why it gave up. It runs only work bound to a named thread.
func (r *runner) block(ctx context.Context, events []Event) error {
	r.linger.Begin()
	if r.lane != nil {
		defer r.traceWait(r.frames[r.depth-1], events).end()
	}
	return r.blockFor(ctx, events, &awaited{})
}

// blockFor is block for a wait that may have had its awake part. On a thread it helps if a says so.
func (r *runner) blockFor(ctx context.Context, events []Event, a *awaited) error {
	for len(events) > graphevent.MaxEdges {
		if err := r.blockFor(ctx, events[:graphevent.MaxEdges], a); err != nil {
			return err
		}
		events = events[graphevent.MaxEdges:]
	}
	if r.onThread() {
		return r.named.waitOnThread(ctx, events, a)
	}
	if r.onSlot() {
		r.stayAwake(events, &awaited{})
	}
	if complete(events) {
		return nil
	}
	return r.sleep(ctx, events, nil)
}

// Wait is [Context.WaitUntilTasksComplete] with the Context itself.
func (c *Context) Wait(events ...Event) error { return c.WaitUntilTasksComplete(c, events...) }

// waitIn is WaitUntilTasksComplete of c or, if c is nil, of the System.
func (s *System) waitIn(ctx context.Context, c *Context, events ...Event) error {
	if c != nil {
		return c.WaitUntilTasksComplete(ctx, events...)
	}
	return s.WaitUntilTasksComplete(ctx, events...)
}

// blockOn blocks the body of c or, if c is nil, the calling goroutine.
func (s *System) blockOn(ctx context.Context, c *Context, events []Event) error {
	if c != nil {
		return c.r.block(ctx, events)
	}
	return s.block(ctx, events)
}
