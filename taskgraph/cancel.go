package taskgraph

import (
	"context"

	"github.com/heddle-go/heddle/graphevent"
)

// Context gives the task a context. If ctx has ended when the task is taken to run, it does not: it
// fails with graphevent.ErrCanceled and the cause of ctx's end, and its dependents are skipped.
// That is no failure for Options.OnFailure and [System.Shutdown]. A task that runs is not
// interrupted: its [Context] reports the end, the deadline and the values of ctx.
//
// What a body launches through its Context has the task's context too, unless it is given another
// one. A Context given as ctx means that of its task; a context derived from a Context must not be
// given to a task that can outlive the body.
func (t Task) Context(ctx context.Context) Task {
	must(ctx != nil, "Context of a task with a nil context")
	if c := t.held("Context"); c != nil {
		c.propsOf().ctx = ownContext(ctx)
	}
	return t
}

// ownContext returns a context equivalent to ctx that stays valid after a body has returned.
func ownContext(ctx context.Context) context.Context {
	if c, ok := ctx.(*Context); ok {
		return c.ctx
	}
	return ctx
}

// drop drops what a task that does not run holds.
func (c *cold) drop() {
	Body{c.body}.drop()
	c.body = nil
	if c.special.Load() {
		c.props.Load().ctx = nil
	}
}

// A merged is the context of a task, and also ends when the system gives up or the body returns.
type merged struct {
	context.Context
	cancel context.CancelCauseFunc
	stop   func() bool
}

func (c *Context) ends() bool { return c.ctx != nil && c.ctx.Done() != nil }

// merge makes the context of c that also ends with the system. Most bodies never need it.
func (c *Context) merge() *merged {
	if c.merged == nil {
		ctx, cancel := context.WithCancelCause(c.ctx)
		stop := c.r.sys.turns.OnEnd(c.r.sys.ctx, func() { cancel(graphevent.ErrClosed) })
		c.merged = &merged{ctx, cancel, stop}
	}
	return c.merged
}

func (c *Context) unmerge() {
	m := c.merged
	c.merged = nil
	m.stop()
	m.cancel(nil)
}

// A cancelError says that a task did not start because its context had ended.
type cancelError struct{ cause error }

func (e *cancelError) Error() string {
	return graphevent.ErrCanceled.Error() + ": " + e.cause.Error()
}
func (e *cancelError) Unwrap() []error { return []error{graphevent.ErrCanceled, e.cause} }

// cancel completes the task of c, the last on the stack, which must not run.
func (r *runner) cancel(c *Context, err error) {
	s, e := r.sys, c.ev
	r.pop(c)
	cache, by := s.by(r.o)
	if s.store.EndBody(e.Node(), err, cache, by) {
		_ = e.Err() // seen, before it counts as complete
		by.Finished(1)
	}
}

// canEnd reports whether ctx may end a wait by itself. A body's own Context does not count: it ends
// when the system gives up, which ends waits by other means.
func (s *System) canEnd(ctx context.Context) bool {
	if c, ok := ctx.(*Context); ok {
		return c.ends()
	}
	done := ctx.Done()
	return done != nil && done != s.ctx.Done()
}

// causeOf returns why a wait with ctx, which has ended, gave up.
func (s *System) causeOf(ctx context.Context) error {
	if s.bodyIn(ctx) != nil && s.abandoned.Load() {
		return graphevent.ErrClosed
	}
	return context.Cause(ctx)
}
