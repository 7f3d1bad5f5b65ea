package taskgraph

import (
	"context"
	"fmt"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/namedthread"
	"github.com/heddle-go/heddle/taskgraph/internal/entry"
	"github.com/heddle-go/heddle/taskgraph/internal/kernel"
	"github.com/heddle-go/heddle/taskgraph/internal/waits"
)

// A threadRunner is a named thread as it runs what is bound to it, and, while it is lent a slot, what
// workers can run.
type threadRunner struct {
	runner
	thread *namedthread.Thread
	wake   func()         // its Wake
	caller *kernel.Runner // that it takes part as, once it has; then its Runner is that or nil

	// What comes to it, and what the innermost of its waits has seen of that.
	posts atomics.Uint32            // of tasks
	taken atomics.Uint32            // of these, that it has taken out of its lanes
	stirs atomics.Uint32            // see stir
	cast  atomics.Pointer[castPart] // if it is called
	turns int                       // calls of Broadcast that wait for their turn here
	seen  view

	// Its waits.
	waitsHere   atomics.Int32
	threadWait  waits.List    // what they wait for, the innermost first
	lookers     atomics.Int32 // at that
	threadWaits []*threadWait // used again and again
	threadDepth int           // those in use
	among       []Event       // what the next one is for one of, by a WaitAny
	uncounted   bool          // one goes on, and nothing is counted as active on top of it
}

var (
	_ namedthread.Runnable = (*threadRunner)(nil)
	_ namedthread.Canceler = (*threadRunner)(nil)
)

// foreign returns an error if th is none of the system's threads, and has not been one.
func (s *System) foreign(th *namedthread.Thread) error {
	switch s.opts.Threads {
	case th.Registry():
		return nil
	case nil:
		return fmt.Errorf("taskgraph: On %v, but the system has no Options.Threads", th)
	}
	return fmt.Errorf("taskgraph: On %v of another registry than Options.Threads of the system", th)
}

// Threads returns Options.Threads.
func (s *System) Threads() *namedthread.Registry { return s.opts.Threads }

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
		n := &threadRunner{runner: runner{sys: s, kind: namedThreadRunner}, thread: th, wake: th.Wake}
		n.named = n
		n.slotWait.End = n.wake
		n.initLinger()
		n.linger.Leaves = true
		if p.CompareAndSwap(t, n) {
			s.joinThread(th)
			return n
		}
	}
}

// post posts e to th, and reports false if that does not take it.
func (s *System) post(th *namedthread.Thread, q namedthread.Queue, p namedthread.Priority, e entry.Entry) bool {
	if !s.owns(th) {
		return false
	}
	t := s.threadRunner(th)
	if th.Post(q, p, t, e.Token()) != nil {
		return false
	}
	t.posts.Add(1) // now that a search finds it
	return true
}

// RunOn runs the task of the entry token on its thread.
func (t *threadRunner) RunOn(_ *namedthread.Thread, token uint64) {
	s, e := t.sys, entry.OfToken(token)
	t.taken.Add(1)
	n, isTask := e.Task()
	if isTask && !s.store.Claim(n, nil) {
		return
	}
	if !t.onSlot() { // see T2
		defer t.uncount(t.count())
	}
	s.traceBound(t, e)
	if isTask {
		t.nested(n)
	} else if g, i := s.taken(e); g != nil {
		t.runBound(g, i)
	}
}

// CancelOn completes the task of the entry token, which its thread has no time for any more.
func (t *threadRunner) CancelOn(_ *namedthread.Thread, token uint64) {
	s, e := t.sys, entry.OfToken(token)
	t.taken.Add(1)
	n, isTask := e.Task()
	if !isTask {
		s.kern.Enter() // see takeBack
		defer s.kern.Leave()
		if g, i := s.taken(e); g != nil {
			g.ended(i, graphevent.ErrCanceled)
		}
		return
	}
	if s.unbind(n) {
		s.kern.Enter()
		defer s.kern.Leave()
		s.queue(n, nil) // as if it had just become ready
		return
	}
	if !s.store.Claim(n, nil) {
		return
	}
	s.colds.At(uint32(n)).drop()
	if s.store.EndBody(n, graphevent.ErrCanceled, nil, &s.outside) {
		s.finishOutside(1)
	}
}

// waitOnThread is block for a named thread: it runs what is awaited and bound to it, and what a says.
// Other work of the thread keeps its place in the queues.
func (r *threadRunner) waitOnThread(ctx context.Context, events []Event, a *awaited) error {
	s, th := r.sys, r.thread
	if a.join == nil && complete(events) {
		return nil
	}
	if s.canEnd(ctx) {
		stop := s.onEnd(ctx, r.wake)
		defer stop()
	}
	if r.depth == 0 {
		// Nobody's body: the goroutine that pumps the thread.
		r.knowGoroutine()
		own := r.ownWait()
		own.Show(s.store, events, nil)
		defer s.noLongerWaits()
		defer own.Hide()
	}
	was, held, uncounted := r.seen, r.onSlot(), r.uncounted
	counted := false
	if r.depth > 0 && !s.abandoned.Load() {
		counted, r.uncounted = r.isCounted() && !held, true
		if a.join == nil && r.frames[r.depth-1].hasEvent() { // else there is no event to show it at
			defer r.unpublish(r.publish(events))
		}
	}
	// W1: counted before the first look, so that whoever adds later to what is awaited here
	// makes the thread look again; and aside for as long as the body is not active.
	r.waitsHere.Add(1)
	defer r.waitsHere.Add(-1)
	s.kern.CountAside()
	defer s.kern.UncountAside()
	defer r.endHelp(was, held, uncounted)
	if counted {
		// The body waits: it is not what keeps the system busy.
		s.kern.Leave()
		defer s.kern.Enter()
	}
	w := r.beginThreadWait(ctx, events)
	defer r.endThreadWait(w)
	w.awaited, w.noted = *a, false
	if a.join == nil {
		s.traceWait(events)
	}
	th.Wait(namedthread.QueueMain, w.look)
	switch {
	case w.isOver():
		r.linger.Slept()
		return nil
	case ctx.Err() != nil:
		return s.causeOf(ctx)
	case w.stuck != nil:
		return w.stuck
	}
	return graphevent.ErrClosed
}

// endHelp leaves r as it was when a wait began. It is deferred, for a Goexit.
func (r *threadRunner) endHelp(was view, held, uncounted bool) {
	r.seen, r.uncounted = was, uncounted
	switch {
	case held && !r.onSlot():
		r.caller.Attach()
		r.hasSlot()
	case !held && r.onSlot():
		r.partThread()
	}
}

// events returns what the wait is for, unless that is a fork.
func (w *threadWait) events() []Event { return w.shown.Events[:w.own] }

// isOver reports whether what the wait is for has come.
func (w *threadWait) isOver() bool { return w.awaited.isOver(w.events()) }

// isCut reports whether the wait ends early. One for a call that others have begun does not.
func (w *threadWait) isCut() bool {
	s := w.r.sys
	if w.join != nil {
		return false
	}
	if w.ctx.Err() != nil || s.abandoned.Load() {
		return true
	}
	w.stuck = s.takeStuck()
	return w.stuck != nil || s.isOverFor(w.events())
}

// try runs what the wait may run, until there is nothing, and reports whether the wait is over.
func (w *threadWait) try() bool {
	for {
		if w.search() {
			return true
		}
		if !w.help() {
			return w.rest()
		}
	}
}

// search runs what is awaited and bound to the thread, until there is nothing, and reports whether
// the wait is over: W3.
func (w *threadWait) search() bool {
	r := w.r
	for {
		if r.turns > 0 {
			r.answerCast()
		}
		if w.isOver() || w.isCut() {
			return true
		}
		r.seen = view{r.news(), w} // before the look
		for _, g := range w.others {
			g.seen = g.r.news()
		}
		clear(w.seen)
		w.runs = w.runs[:0]
		ran := false
		others := len(w.others)
		for i, e := range w.shown.Events {
			awaited := e
			if i >= w.own {
				awaited = w.shown.Events[0]
			}
			ran = w.helpBound(e, awaited) || ran
		}
		ran = w.runPosted() || ran
		if ran {
			r.linger.Begin()
		}
		if !ran && len(w.others) == others {
			return false
		}
	}
}

// helpBound runs the tasks bound to the thread among e and all that it waits for, as far
// as they are ready and until awaited is complete. Unlike help it looks everywhere, at all alternatives and in other systems too: nobody else can
// run them.
func (w *threadWait) helpBound(e, awaited Event) (ran bool) {
	stack := append(w.stack[:0], e)
	if w.join != nil { // it is for what those who run calls of the body wait for
		stack = behindBodies(w.r.sys, e, stack[:0])
	}
	for len(stack) > 0 {
		e := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if awaited.IsComplete() {
			break
		}
		if e.IsComplete() || w.seen[e] {
			continue
		}
		r := w.runnerFor(e)
		if r == nil {
			continue
		}
		w.seen[e] = true
		s := r.sys
		if s.store.IsPinned(e) {
			if w.tryBound(r, e) {
				ran = true
				continue
			}
			stack = w.behindThread(r, e, stack)
		}
		stack = s.store.Prerequisites(e, stack)
		stack = s.store.Alternatives(e, stack)
		stack = w.addRun(r, e, stack)
		stack = behindBodies(s, e, stack)
	}
	w.stack = stack[:0]
	return ran
}

// behindBodies appends what the bodies of e wait for.
func behindBodies(s *System, e Event, stack []Event) []Event {
	c := s.colds.At(uint32(e.Node()))
	for of := c.waits.First(); of != nil && !e.IsComplete(); of = of.Next() {
		stack = c.waits.AppendTo(of, s.store, stack)
	}
	return stack
}

// tryBound runs the task of e, which is bound to the thread, if it is ready. In another system than that of the wait, r is the thread's runner
// there: a slot is held only where the thread runs something.
func (w *threadWait) tryBound(r *threadRunner, e Event) bool {
	if r != w.r && w.r.onSlot() {
		w.r.partThread()
	}
	if !r.onSlot() { // see T2
		defer r.uncount(r.count()) // also if the body's Goexit unwinds the stack
	}
	return r.tryRun(e)
}

// newEdge, W6, is called after something was added to what some event waits for. A named thread
// that waits may depend on it now, and the task that it adds may be bound to that thread: it
// must look again.
func (s *System) newEdge() {
	if s.kern.Aside() != 0 || s.guestWaits.Load() != 0 {
		s.wakeThreadsBut(nil)
	}
}

// wakeThreadsBut lets the named threads that wait look again, but for one.
func (s *System) wakeThreadsBut(th *namedthread.Thread) {
	for i := range s.threads {
		if t := s.threads[i].Load(); t != nil && t.thread != th && t.waitsHere.Load() != 0 {
			t.stir()
		}
	}
}
