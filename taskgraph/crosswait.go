package taskgraph

import (
	"context"
	"slices"

	"github.com/heddle-go/heddle/namedthread"
)

// beginThreadWait begins a wait of r's thread, and shows its events to threads that wait for work
// bound to r's thread. It is called after the wait was counted and before its first look.
func (r *threadRunner) beginThreadWait(ctx context.Context, events []Event,
	a *awaited) *threadWait {
	s := r.sys
	w := r.spareThreadWait()
	r.threadDepth++
	w.ctx, w.own, w.awaited, w.noted = ctx, len(events), *a, false
	w.shown.Events = append(append(w.shown.Events[:0], events...), r.among...)
	r.among = nil
	if w.pumps {
		return w
	}
	r.threadWait.Push(&w.shown) // W2
	if s.kern.Aside() > 1 || s.guestWaits.Load() != 0 {
		s.wakeThreadsBut(r.thread)
	}
	return w
}

// spareThreadWait returns a threadWait that nobody else sees. Somebody counted in lookers may still
// see the last one, so then it makes a new one: thread.md says why nobody else sees that.
func (r *threadRunner) spareThreadWait() *threadWait {
	if r.threadDepth == len(r.threadWaits) {
		r.threadWaits = append(r.threadWaits, nil)
	}
	w := r.threadWaits[r.threadDepth]
	if w == nil || r.lookers.Load() != 0 {
		w = &threadWait{r: r, seen: make(map[Event]bool)}
		w.look, w.match = w.try, w.isAwaited
		r.threadWaits[r.threadDepth] = w
	}
	return w
}

// endThreadWait is deferred, because a Goexit in a body that the wait runs may end the wait.
func (r *threadRunner) endThreadWait(w *threadWait) {
	r.threadDepth--
	if !w.pumps {
		r.threadWait.Pop(&w.shown)
	}
	for _, g := range w.others {
		g.r.threadWait.Pop(&g.shown)
		g.r.sys.guestWaits.Add(-1)
		g.r.waitsHere.Add(-1)
	}
	clear(w.others)
	w.others = w.others[:0]
	w.ctx, w.stuck, w.awaited = nil, nil, awaited{}
	clear(w.seen)
	clear(w.stack[:cap(w.stack)])
	clear(w.runs[:cap(w.runs)])
}

// behind appends the events for which th waits, in all systems that the wait knows of.
func (w *threadWait) behind(th *namedthread.Thread, stack []Event) []Event {
	stack = w.r.sys.appendWaits(th, stack)
	for _, g := range w.others {
		stack = g.r.sys.appendWaits(th, stack)
	}
	return stack
}

// appendWaits appends the events for which th waits, as far as this system knows.
func (s *System) appendWaits(th *namedthread.Thread, stack []Event) []Event {
	if t := s.threads[th.Index()].Load(); t != nil && t.thread == th {
		t.lookers.Add(1)
		for w := t.threadWait.First(); w != nil; w = w.Next() {
			stack = append(stack, w.Events...)
		}
		t.lookers.Add(-1)
	}
	return stack
}

// runnerFor returns the runner of the thread in the system of e, or nil if it is not part of that.
func (w *threadWait) runnerFor(e Event) *threadRunner {
	if e.Store() == w.r.sys.store {
		return w.r
	}
	for _, g := range w.others {
		if e.Store() == g.r.sys.store {
			return g.r
		}
	}
	o, ok := e.Store().Scheduler().(*outside)
	if !ok || o.sys.opts.Threads != w.r.sys.opts.Threads || o.sys.turns != w.r.sys.turns {
		return nil
	}
	return w.visit(o.sys)
}

// visit makes the wait known to another system before it looks at anything there, so that whoever
// adds prerequisites there makes the thread look again.
func (w *threadWait) visit(s *System) *threadRunner {
	r := s.threadRunner(w.r.thread)
	r.waitsHere.Add(1)
	s.guestWaits.Add(1)
	g := &guest{r: r, seen: r.news()}
	g.shown.Events = slices.Clone(w.shown.Events)
	r.threadWait.Push(&g.shown)
	w.others = append(w.others, g)
	s.wakeThreadsBut(r.thread)
	return r
}
