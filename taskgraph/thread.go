package taskgraph

import (
	"context"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/namedthread"
	"github.com/heddle-go/heddle/taskgraph/internal/entry"
	"github.com/heddle-go/heddle/taskgraph/internal/kernel"
)

var (
	_ namedthread.Runnable = (*threadRunner)(nil)
	_ namedthread.Canceler = (*threadRunner)(nil)
)

// post posts e to th, and reports false if th does not take it.
func (s *System) post(th *namedthread.Thread, q namedthread.Queue, p namedthread.Priority,
	e entry.Entry) bool {
	if !s.owns(th) {
		return false
	}
	t := s.threadRunner(th)
	if th.Post(q, p, t, e.Token()) != nil {
		return false
	}
	t.posts.Add(1) // after the post, so that a search finds the task
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
	if s.turns.Traced() {
		s.turns.Note(t.describe() + " takes " + s.describeEntry(e, kernel.Normal))
	}
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
			g.endedBy(nil, i, graphevent.ErrCanceled)
		}
		return
	}
	if c := s.colds.At(uint32(n)); c.special.Load() && c.props.Load().unbind() {
		// If the task has been run early, the new entry is a tombstone, as the old one was.
		s.kern.Enter()
		defer s.kern.Leave()
		s.queue(n, nil) // like a task that has just become ready
		return
	}
	if !s.store.Claim(n, nil) {
		return
	}
	s.endUnrun(n, graphevent.ErrCanceled)
}

// waitOnThread is block for a named thread: it runs awaited work that is bound to the thread, and
// what a allows. Other work of the thread keeps its place in the queues, unless the wait pumps.
func (r *threadRunner) waitOnThread(ctx context.Context, events []Event, a *awaited) error {
	s, th := r.sys, r.thread
	if a.join == nil && !a.pumps && complete(events) {
		return nil
	}
	if s.canEnd(ctx) {
		stop := s.turns.OnEnd(ctx, r.wake)
		defer stop()
	}
	if r.depth == 0 {
		// The wait is not in a body: it is of the goroutine that pumps the thread.
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
	w := r.beginThreadWait(ctx, events, a)
	defer r.endThreadWait(w)
	if a.join == nil {
		s.traceWait(events)
	}
	if w.pumps {
		return w.pump(th)
	}
	th.Wait(namedthread.QueueMain, w.look)
	if w.isOver() {
		r.linger.Slept()
		return nil
	}
	return w.cause()
}

// endHelp restores the state of r when the wait began. It is deferred because of a Goexit.
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

// events returns the events of the wait; there are none if it is for a fork.
func (w *threadWait) events() []Event { return w.shown.Events[:w.own] }

func (w *threadWait) isOver() bool { return w.awaited.isOver(w.events()) }

// isCut reports whether the wait ends early. A wait for a call that others have begun does not.
func (w *threadWait) isCut() bool {
	s := w.r.sys
	if w.join != nil {
		return false
	}
	if w.ctx.Err() != nil || s.abandoned.Load() {
		return true
	}
	w.stuck = s.turns.TakeStuck()
	return w.stuck != nil || s.isOverFor(w.events())
}

// cause returns why the wait, which is not over, gave up.
func (w *threadWait) cause() error {
	switch {
	case w.ctx.Err() != nil:
		return w.r.sys.causeOf(w.ctx)
	case w.stuck != nil:
		return w.stuck
	}
	return graphevent.ErrClosed
}

// try runs what the wait may run until there is nothing left, and reports whether the wait is over.
func (w *threadWait) try() bool {
	if w.pumps { // what is bound to the thread lies in its lanes, and is run
		return w.isOver() || w.isCut() || w.rest()
	}
	for {
		if w.search() {
			return true
		}
		if !w.help() {
			return w.rest()
		}
	}
}

// search runs awaited work that is bound to the thread until there is none, and reports whether the
// wait is over: W3.
func (w *threadWait) search() bool {
	r := w.r
	for {
		if r.turns > 0 {
			r.answerCast()
		}
		if w.isOver() || w.isCut() {
			return true
		}
		r.seen = view{r.news(), w} // before the search
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

// helpBound runs the ready tasks bound to the thread among e and everything for which e waits,
// until awaited is complete. Unlike help it looks at everything, at all alternatives and in other
// systems too: nobody else can run these tasks.
func (w *threadWait) helpBound(e, awaited Event) (ran bool) {
	stack := append(w.stack[:0], e)
	if w.join != nil { // for a fork: its calls may wait for work bound here
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
			// Until the other thread's wait is over, the task runs only if it is awaited there.
			th := s.colds.At(uint32(e.Node())).boundTo()
			if th != nil && th != r.thread {
				stack = w.behind(th, stack)
			}
		}
		stack = s.store.Prerequisites(e, stack)
		stack = s.store.Alternatives(e, stack)
		stack = w.addRun(r, e, stack)
		stack = behindBodies(s, e, stack)
	}
	w.stack = stack[:0]
	return ran
}

// behindBodies appends the events for which the bodies of e wait.
func behindBodies(s *System, e Event, stack []Event) []Event {
	c := s.colds.At(uint32(e.Node()))
	for of := c.waits.First(); of != nil && !e.IsComplete(); of = of.Next() {
		stack = c.waits.AppendTo(of, s.store, stack)
	}
	return stack
}

// tryBound runs the task of e, which is bound to the thread, if it is ready. r is the thread's
// runner in the system of e: the thread holds a slot only in the system of which it runs something.
func (w *threadWait) tryBound(r *threadRunner, e Event) bool {
	if r != w.r && w.r.onSlot() {
		w.r.partThread()
	}
	if !r.onSlot() { // see T2
		defer r.uncount(r.count()) // deferred: a Goexit of the body may unwind the stack
	}
	return r.tryRun(e)
}
