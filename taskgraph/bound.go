package taskgraph

import (
	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/cacheline"
	"github.com/heddle-go/heddle/lockfree"
	"github.com/heddle-go/heddle/namedthread"
)

// A bound counts the tasks of a system that has Options.MaxTasks.
type bound struct {
	sys    *System
	max    int64
	policy FullPolicy
	left   func() // leave, made once

	inliners lockfree.Stack[*runner] // of goroutines from outside that run a task at once
	inlined  atomics.Int32           // how many of them do

	waiting atomics.Int32 // goroutines that block for room, counted after they are in the queue
	queue   lockfree.Queue[*roomWaiter]
	free    lockfree.Stack[*roomWaiter]

	_ cacheline.Pad
	n atomics.Int64 // incomplete tasks
}

func (s *System) newBound() *bound {
	b := &bound{sys: s, max: int64(s.opts.MaxTasks), policy: s.opts.WhenFull}
	b.left = b.leave
	return b
}

// take counts one more task, if there is room: BO1.
func (b *bound) take() bool {
	for {
		n := b.n.Load()
		if n >= b.max {
			return false
		}
		if b.n.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

// A roomWaiter stands in the queue for a goroutine, once at most. Whoever pops it wakes the
// goroutine, or frees it if that has gone on.
type roomWaiter struct {
	w     *waiter
	state atomics.Uint32
}

const (
	roomQueued uint32 = iota
	roomWoken         // popped; the goroutine frees it, or queues it again
	roomGone          // the goroutine has gone on; who pops it frees it
)

// leave is called when a task that counts has completed: BO4.
func (b *bound) leave() {
	b.n.Add(-1)
	b.wake()
}

// wake lets one of those who block look again: for one room, one wake.
func (b *bound) wake() (woke bool) {
	for b.waiting.Load() > 0 {
		x, ok := b.queue.Pop()
		if !ok {
			return false
		}
		w := x.w
		if x.state.CompareAndSwap(roomQueued, roomWoken) {
			w.wake()
			return true
		}
		b.free.Push(x)
	}
	return false
}

// close lets all who block look again: the system is being shut down.
func (b *bound) close() {
	for b.wake() {
	}
}

// wait blocks until there is room, and reports false if the system is being shut down: BO3.
func (b *bound) wait() bool {
	s := b.sys
	w := s.newWaiter(s.mode)
	defer s.waiters[min(s.mode, 1)].Push(w)
	x, ok := b.free.Pop()
	if !ok {
		x = new(roomWaiter)
	}
	x.w = w
	x.state.Store(roomQueued)
	b.queue.Push(x)
	b.waiting.Add(1)
	for {
		// Whoever makes room does so and then looks who waits.
		took := b.take()
		switch {
		case took || s.closing.Load():
			b.waiting.Add(-1)
			if !x.state.CompareAndSwap(roomQueued, roomGone) {
				b.free.Push(x)
				if b.n.Load() < b.max {
					b.wake() // BO5: we were woken for room that we did not take
				}
			}
			return took
		case x.state.Load() == roomWoken: // and somebody else was faster
			x.state.Store(roomQueued)
			b.queue.Push(x)
		default:
			w.parker.Park()
		}
	}
}

// isBound reports whether the tasks that run b count.
func (s *System) isBound(b Body) bool {
	if s.bound == nil {
		return false
	}
	_, helper := b.f.(*Participant)
	return !helper // the loop has one caller, who counts
}

// boundTask begins a task in a system with a bound, for the body of c or, if c is nil, for
// somebody else.
func (s *System) boundTask(c *Context, b Body) Task {
	bd := s.bound
	counted := bd.take()
	if !counted && !s.closing.Load() {
		switch {
		case bd.policy == FullError:
			return Task{sys: s, ev: s.full, in: c}
		case bd.policy == FullBlock && c == nil && s.currentThread() == nil:
			counted = bd.wait()
		}
	}
	var t Task
	if c != nil {
		t = c.beginTask(b)
	} else {
		t = s.beginTask(b)
	}
	switch {
	case !counted:
		t.over = true
	case t.ev == s.closed:
		bd.leave()
	default:
		s.store.Notify(nil, bd.left, t.ev) // BO2
	}
	return t
}

// currentThread returns the runner of the calling goroutine, if that is a named thread of the
// system.
func (s *System) currentThread() *threadRunner {
	if s.opts.Threads != nil {
		if th, err := namedthread.Current(); err == nil && s.owns(th) {
			return s.threadRunner(th)
		}
	}
	return nil
}

// A task without room that runs at once may launch the next such one, and so on. How far that may go, so that no stack
// overflows: so many bodies on top of each other where the launches come through their Contexts, and so many launches
// at a time that come from elsewhere, since nobody knows which of these are on one stack.
const (
	maxInlineDepth   = 256
	maxInlineOutside = 64
)

// launchOver launches a task for which there was no room: it runs it at once if it can.
func (t Task) launchOver(c *cold) Event {
	s, n := t.sys, t.ev.Node()
	t.over = false
	r, ok := s.inliner(t.in)
	if ok && t.in == nil {
		defer s.bound.inlined.Add(-1)
	}
	if !ok || c.pending > 0 || s.store.IsPinned(t.ev) {
		s.bound.n.Add(1)
		s.store.Notify(nil, s.bound.left, t.ev)
		return t.Launch()
	}
	if s.store.Launch(t.ev, 0, nil, &s.outside) != graphevent.LaunchReady || !s.store.Claim(n, nil) {
		return t.ev
	}
	if t.in != nil {
		r.nested(n)
		return t.ev
	}
	if r != nil && r.onSlot() { // see T2
		r.nested(n)
		return t.ev
	}
	if r != nil {
		defer r.named.uncount(r.named.count())
		r.nested(n)
		return t.ev
	}
	s.kern.Enter()
	defer s.kern.Leave()
	r, ok = s.bound.inliners.Pop()
	if !ok {
		w := s.newWaiter(s.mode)
		r = &runner{sys: s, alone: w, kind: launcherRunner}
	}
	r.nested(n)
	s.bound.inliners.Push(r)
	return t.ev
}

// inliner returns the runner that a task without room runs on which the body of c launches or, if c is nil, somebody
// else: nil for one of the spare ones. It reports false if too many bodies are on their stacks.
func (s *System) inliner(c *Context) (r *runner, ok bool) {
	if c != nil {
		return c.r, c.r.depth < maxInlineDepth
	}
	if s.bound.inlined.Add(1) > maxInlineOutside {
		s.bound.inlined.Add(-1)
		return nil, false
	}
	t := s.currentThread()
	if t == nil {
		return nil, true
	}
	if t.depth >= maxInlineDepth {
		s.bound.inlined.Add(-1)
		return nil, false
	}
	return &t.runner, true
}
