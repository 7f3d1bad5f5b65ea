package taskgraph

import (
	"context"
	"fmt"
	"slices"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/park"
	"github.com/heddle-go/heddle/namedthread"
)

// WaitUntilTasksComplete blocks until all events have completed, and returns the failure of
// the first of them, in the order given, that failed; or it returns the cause of ctx's end.
//
// On a named thread of the system's registry it runs the awaited tasks that are bound to
// that thread. Elsewhere it runs nothing. In a body that has a [Context], the Context's
// method is better: the system cannot see that a body without one waits, and needs a
// moment to find another worker.
func (s *System) WaitUntilTasksComplete(ctx context.Context, events ...Event) error {
	if complete(events) {
		return failure(events)
	}
	if s.opts.Threads != nil {
		if th, err := namedthread.Current(); err == nil && s.owns(th) {
			return s.threadRunner(th).waitOnThread(ctx, events)
		}
	}
	return s.waitOutside(ctx, events)
}

// WaitUntilTasksComplete blocks until all events have completed, and returns the failure of
// the first of them, in the order given, that failed; or it returns the cause of ctx's end.
//
// If ctx can not end (context.Background, or the Context itself), tasks that it waits for,
// directly or through their prerequisites, and that have not started, are run here, on top
// of the body. Otherwise, and when nothing is left to run, the body's worker goes to another
// runner until the wait is over, and the body may go on as another worker. Waiting for the
// body's own task, or for one that waits below it on the same stack, is an error.
func (c *Context) WaitUntilTasksComplete(ctx context.Context, events ...Event) error {
	if complete(events) {
		return failure(events)
	}
	r := c.r
	for _, e := range events {
		for _, below := range r.frames[:r.depth] {
			if e == below.ev {
				return fmt.Errorf("taskgraph: %s waits for itself", r.sys.nameOf(e))
			}
		}
	}
	if r.sys.opts.Threads != nil {
		// Before helping: what is run here may in turn wait for work of a named thread.
		cold := r.publish(events)
		defer cold.waits.Store(nil)
	}
	if r.thread != nil {
		return r.waitOnThread(ctx, events)
	}
	if !r.sys.canEnd(ctx) {
		for i := len(events); i > 0; {
			i = r.helpAll(events[:i])
		}
	}
	return r.wait(ctx, events)
}

// canEnd reports whether ctx may end a wait by itself. A body's own Context does not count: it
// ends when the system gives up, and then waits are ended by other means.
func (s *System) canEnd(ctx context.Context) bool {
	done := ctx.Done()
	return done != nil && done != s.ctx.Done()
}

func complete(events []Event) bool {
	for _, e := range events {
		if !e.IsComplete() {
			return false
		}
	}
	return true
}

func failure(events []Event) error {
	var first error
	for _, e := range events {
		if err := e.Err(); err != nil && first == nil {
			first = err
		}
	}
	return first
}

const (
	helpDepth  = 64   // how far a wait follows prerequisites
	helpBudget = 1024 // how many events it looks at for that
)

// helpAll runs events that have not started, or what they wait for: the last first, because
// that is where the slot's own deque ends. It returns how many are left to look at: all of
// this is one frame that recovers, left when a body panics.
func (r *runner) helpAll(events []Event) (left int) {
	var more bool
	defer r.rescue(r.depth, &more)
	budget := helpBudget
	for left = len(events); left > 0; {
		left--
		e := events[left]
		if e.IsComplete() || e.Store() != r.sys.store {
			continue
		}
		slot := r.Slot()
		if r.sys.kern.PopIf(slot, e.Node()) {
			// As any worker would take it: no tombstone is left behind.
			if r.sys.store.Claim(e.Node(), &slot.Cache) {
				r.execute(e.Node())
			}
			continue
		}
		r.help(e, helpDepth, &budget)
	}
	return 0
}

// help runs e here if it has not started; else what it waits for, and then e.
func (r *runner) help(e Event, depth int, budget *int) {
	if r.tryRun(e) || depth == 0 {
		return
	}
	var buf [8]Event
	for _, p := range r.sys.store.Prerequisites(e, buf[:0]) {
		if *budget--; *budget < 0 {
			return
		}
		r.help(p, depth-1, budget)
	}
	if !e.IsComplete() {
		r.tryRun(e)
	}
}

// tryRun runs the task of e if it is ready and may run here.
func (r *runner) tryRun(e Event) bool {
	s := r.sys
	if s.store.Held(e) { // may be pinned yet
		return false
	}
	if s.store.IsPinned(e) && s.colds.At(uint32(e.Node())).thread.Load() != r.thread {
		return false
	}
	if !s.store.TryClaim(e) {
		return false
	}
	r.nested(e.Node())
	return true
}

// wait blocks the body of r and gives its slot away.
func (r *runner) wait(ctx context.Context, events []Event) error {
	s := r.sys
	if complete(events) || s.spin && drowse(waitSpins, events) {
		return failure(events)
	}
	end := r.Arm()
	if !s.store.Notify(&r.Slot().Cache, end, events...) {
		return failure(events)
	}
	if s.canEnd(ctx) {
		stop := context.AfterFunc(ctx, end)
		defer stop()
	}
	cold := r.publish(events)
	defer cold.waits.Store(nil)
	for {
		// What ends the wait shows before it calls end, so that a call that came before
		// Arm is not needed any more.
		r.Arm()
		switch {
		case complete(events):
			return failure(events)
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case s.abandoned.Load():
			return graphevent.ErrClosed
		}
		r.ownerSet(false)
		r.Await()
		r.ownerSet(true)
	}
}

// ownerSet says whether a body runs on the slot that r holds.
func (r *runner) ownerSet(running bool) { r.owner().running = running }

// A waiting says that a body waits. It is not changed once published.
type waiting struct {
	events []Event // what for, if there are named threads
	end    func()  // lets the wait look again at whether it is over
}

// publish shows that the last body on r's stack waits for events, and returns the cold part of
// its task, where that is to be taken back.
func (r *runner) publish(events []Event) *cold {
	s := r.sys
	c := s.colds.At(uint32(r.frames[r.depth-1].ev.Node()))
	w := &r.slotWait
	if s.opts.Threads != nil {
		// A wait on a named thread may have to know: what it waits for can be this body,
		// and what this body waits for be bound to that thread.
		w = &waiting{events: slices.Clone(events), end: r.End}
		if r.thread != nil {
			w.end = r.thread.Wake
		}
	}
	c.waits.Store(w)
	s.newEdge()
	return c
}

// newEdge is called after something was added to what some event waits for. A named thread
// that waits may depend on it now, and the task that it adds may be bound to that thread: it
// must look again.
func (s *System) newEdge() {
	if s.threadWaits.Load() == 0 {
		return
	}
	for i := range s.threads {
		if t := s.threads[i].Load(); t != nil && t.waitsHere.Load() != 0 {
			t.thread.Wake()
		}
	}
}

// A waiter is what a goroutine from outside sleeps on.
type waiter struct {
	parker *park.Parker
	wake   func()
}

func (s *System) newWaiter(mode park.Mode) *waiter {
	if w, ok := s.waiters[min(mode, 1)].Pop(); ok {
		return w
	}
	w := &waiter{parker: park.New(mode)}
	w.wake = func() { w.parker.Unpark() }
	return w
}

// waitOutside blocks a goroutine that holds no slot.
func (s *System) waitOutside(ctx context.Context, events []Event) error {
	mode := s.mode
	if s.sleepers.Add(1) > maxParked {
		mode = park.Go
	}
	defer s.sleepers.Add(-1)
	w := s.newWaiter(mode)
	// A wake that comes after the wait has ended finds the waiter in another wait, which
	// looks again.
	defer s.waiters[min(mode, 1)].Push(w)
	if !s.store.Notify(nil, w.wake, events...) {
		return failure(events)
	}
	if s.canEnd(ctx) {
		stop := context.AfterFunc(ctx, w.wake)
		defer stop()
	}
	for !complete(events) {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		w.parker.Park()
	}
	return failure(events)
}

// A threadRunner runs the tasks of a system that are bound to one named thread.
type threadRunner struct{ runner }

var (
	_ namedthread.Runnable = (*threadRunner)(nil)
	_ namedthread.Canceler = (*threadRunner)(nil)
)

// owns reports whether th is one of the system's threads.
func (s *System) owns(th *namedthread.Thread) bool {
	have, ok := s.opts.Threads.At(th.Index())
	return ok && have == th
}

func (s *System) threadRunner(th *namedthread.Thread) *threadRunner {
	p := &s.threads[th.Index()]
	for {
		t := p.Load()
		if t != nil && t.thread == th {
			return t
		}
		n := &threadRunner{runner{thread: th, sys: s}}
		if p.CompareAndSwap(t, n) {
			return n
		}
	}
}

// RunOn runs the task of node token on its thread.
func (t *threadRunner) RunOn(_ *namedthread.Thread, token uint64) {
	s, n := t.sys, graphevent.Node(token)
	if !s.store.Claim(n, nil) {
		return
	}
	s.kern.Enter()
	defer s.kern.Leave()
	t.nested(n)
}

// CancelOn completes the task of node token, which its thread has no time for any more.
func (t *threadRunner) CancelOn(_ *namedthread.Thread, token uint64) {
	s, n := t.sys, graphevent.Node(token)
	if !s.store.Claim(n, nil) {
		return
	}
	s.colds.At(uint32(n)).body = nil
	if s.store.EndBody(n, graphevent.ErrCanceled, nil, &s.outside) {
		s.finishOutside(1)
	}
}

// waitOnThread blocks the named thread of r, and runs on it what is awaited and bound to it.
// Other work of the thread keeps its place in the queues.
func (r *runner) waitOnThread(ctx context.Context, events []Event) error {
	s, th := r.sys, r.thread
	if !s.store.Notify(nil, th.Wake, events...) {
		return failure(events)
	}
	if s.canEnd(ctx) {
		stop := context.AfterFunc(ctx, th.Wake)
		defer stop()
	}
	if r.depth > 0 && !s.abandoned.Load() {
		// The body waits: it is not what keeps the system busy.
		s.kern.Leave()
		defer s.kern.Enter()
		cold := r.publish(events)
		defer cold.waits.Store(nil)
	}
	// Counted before the first look, so that whoever adds later to what is awaited here
	// makes the thread look again.
	r.waitsHere.Add(1)
	defer r.waitsHere.Add(-1)
	s.threadWaits.Add(1)
	defer s.threadWaits.Add(-1)
	var seen map[Event]bool
	th.Wait(namedthread.QueueMain, func() bool {
		for {
			if complete(events) || ctx.Err() != nil || s.abandoned.Load() {
				return true
			}
			if seen == nil {
				seen = make(map[Event]bool)
			} else {
				clear(seen)
			}
			ran := false
			for _, e := range events {
				ran = r.helpBound(e, seen) || ran
			}
			if !ran {
				return false
			}
		}
	})
	switch {
	case complete(events):
		return failure(events)
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	return graphevent.ErrClosed
}

// helpBound runs the tasks bound to r's thread among e and all that e waits for, as far as
// they are ready. Unlike help it looks everywhere: nobody else can run them.
func (r *runner) helpBound(e Event, seen map[Event]bool) (ran bool) {
	s := r.sys
	stack := []Event{e}
	for len(stack) > 0 {
		e := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if e.IsComplete() || seen[e] || e.Store() != s.store {
			continue
		}
		seen[e] = true
		if s.store.IsPinned(e) {
			if r.runBound(e) {
				ran = true
				continue
			}
		}
		stack = s.store.Prerequisites(e, stack)
		if w := s.colds.At(uint32(e.Node())).waits.Load(); w != nil && !e.IsComplete() {
			stack = append(stack, w.events...)
		}
	}
	return ran
}

func (r *runner) runBound(e Event) bool {
	r.sys.kern.Enter()
	defer r.sys.kern.Leave() // also if the body's Goexit unwinds the stack
	return r.tryRun(e)
}

// waitSpins is how often a wait looks again before it gives its slot away: a few
// microseconds, less than the hand-over costs.
const waitSpins = 32

// drowse gives a wait that is nearly over the chance to end without a slot changing hands.
func drowse(spins int, events []Event) bool {
	for range spins {
		if complete(events) {
			return true
		}
		atomics.Pause(30)
	}
	return complete(events)
}
