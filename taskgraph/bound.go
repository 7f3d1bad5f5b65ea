package taskgraph

import (
	"github.com/heddle-go/heddle/lockfree"
	"github.com/heddle-go/heddle/taskgraph/internal/capacity"
	"github.com/heddle-go/heddle/taskgraph/trace"
)

// A bound counts the tasks of a system that has Options.MaxTasks.
type bound struct {
	*capacity.Capacity
	left func() // Leave, made once

	inliners lockfree.Stack[*runner] // of goroutines from outside that run a task in place
	inlined  *capacity.Capacity      // of those that run one
}

// boundTask begins a task in a system with a bound, for the body of c or, if c is nil, for another
// goroutine.
func (s *System) boundTask(c *Context, b Body) Task {
	bd := s.bound
	counted := bd.TryTake() // BO1
	if !counted && !s.door.IsClosed() {
		switch policy := s.opts.WhenFull; {
		case policy == FullError:
			return Task{sys: s, ev: s.full, in: c}
		case policy == FullBlock && c == nil && s.currentThread() == nil:
			w := s.newWaiter(s.mode)
			counted = bd.Take(w)
			w.Free()
		}
	}
	t := s.beginTask(c, b)
	switch {
	case !counted:
		t.over = true
	case t.ev == s.closed:
		bd.Leave()
	default:
		s.store.Notify(nil, bd.left, t.ev) // BO2
	}
	return t
}

// A task without room that runs in place may launch another one, and so on. So that no stack
// overflows, there are limits: for bodies on top of each other that launch through their Contexts,
// and for all concurrent launches from elsewhere, of which nobody knows which share a stack.
const (
	maxInlineDepth   = 256
	maxInlineOutside = 64
)

// launchOver launches a task for which there was no room: it runs the task in place if it can.
func (t Task) launchOver(c *cold) Event {
	s, n := t.sys, t.ev.Node()
	t.over = false
	r, ok := s.inliner(t.in)
	if ok && t.in == nil {
		defer s.bound.inlined.Leave()
	}
	if !ok || c.pending > 0 || s.store.IsPinned(t.ev) {
		s.bound.Exceed()
		s.store.Notify(nil, s.bound.left, t.ev)
		return t.Launch()
	}
	if !t.claim() {
		return t.ev
	}
	if r != nil {
		if t.in == nil && !r.onSlot() { // see T2
			defer r.named.uncount(r.named.count())
		}
		r.nested(n)
		return t.ev
	}
	s.kern.Enter()
	defer s.kern.Leave()
	r, ok = s.bound.inliners.Pop()
	if !ok {
		w := s.newWaiter(s.mode)
		r = &runner{sys: s, alone: w, kind: launcherRunner}
		r.takeLane(trace.LaneThread, "launcher")
	}
	r.nested(n)
	s.bound.inliners.Push(r)
	return t.ev
}

// inliner returns the runner for a task without room that the body of c launches or, if c is nil,
// another goroutine; nil stands for a spare one. It reports false if stacks are too deep.
func (s *System) inliner(c *Context) (r *runner, ok bool) {
	if c != nil {
		return c.r, c.r.depth < maxInlineDepth
	}
	t := s.currentThread()
	switch {
	case t != nil && t.depth >= maxInlineDepth, !s.bound.inlined.TryTake():
		return nil, false
	case t == nil:
		return nil, true
	}
	return &t.runner, true
}
