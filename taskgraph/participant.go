package taskgraph

import "context"

// A Participant is one of those who run a loop: the caller, or a helper. It is valid during a call
// of the loop's body, and only on the goroutine that makes the call.
type Participant struct {
	l     *loop
	c     *Context // nil: a caller from outside
	index int
}

// Index returns the participant's number in this loop: 0 for the caller, from 1 on for helpers,
// less than [System.LoopLimit] and Loop.Limit. Of two calls with the same number the earlier one
// synchronizes before the later one.
func (p *Participant) Index() int { return p.index }

// Context returns the Context of the task in which the participant runs, or nil if that is a
// goroutine that called a method of the System.
func (p *Participant) Context() *Context { return p.c }

// System returns the system of the loop.
func (p *Participant) System() *System { return p.l.sys }

// Stopped reports whether the loop has been ended early: a long call may return.
func (p *Participant) Stopped() bool { return p.l.cut.Load() || p.c != nil && p.c.stopped() != nil }

// ParallelFor runs a loop inside the loop, see [Context.ParallelFor].
func (p *Participant) ParallelFor(n, grain int, body func(lo, hi int)) error {
	return p.l.sys.parallelFor(p.c, n, grain, body, nil)
}

// RunLoop runs a loop inside the loop, see [Context.RunLoop].
func (p *Participant) RunLoop(l Loop) error { return p.l.sys.loop(p.c, &l, nil) }

// Task begins a task, as that of the Context or, from outside, of the System does.
func (p *Participant) Task(b Body) Task {
	if p.c != nil {
		return p.c.Task(b)
	}
	return p.l.sys.Task(b)
}

// WaitUntilTasksComplete waits as that of the Context or the System does.
func (p *Participant) WaitUntilTasksComplete(ctx context.Context, events ...Event) error {
	return p.l.sys.waitIn(ctx, p.c, events...)
}
