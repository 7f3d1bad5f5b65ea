package taskgraph

import "context"

// A threadWait is a wait on a named thread. What it needs is used again by the next one that has as
// many others beneath it, so that a wait allocates nothing.
type threadWait struct {
	r     *runner
	ctx   context.Context
	stuck error
	look  func() bool // try, as the thread wants it

	// The events, and the wait beneath, shown to other threads. W1 It is changed only while it cannot be reached
	// through runner.threadWait and nobody who has reached it before is counted in runner.lookers.
	shown waiting

	seen  map[Event]bool // by helpBound
	stack []Event
}

// beginThreadWait begins a wait of r's thread, and shows what for to threads that wait for work bound to it: that
// work has to stay aside until this wait is over, so they wait for what this one waits for. It is
// called after the wait was counted, and before its first look.
func (r *runner) beginThreadWait(ctx context.Context, events []Event) *threadWait {
	s := r.sys
	w := r.spareThreadWait()
	r.threadDepth++
	w.ctx, w.shown.events, w.shown.next = ctx, append(w.shown.events[:0], events...), r.threadWait.Load()
	r.threadWait.Store(&w.shown)
	if s.threadWaits.Load() > 1 {
		for i := range s.threads {
			if t := s.threads[i].Load(); t != nil && t.thread != r.thread && t.waitsHere.Load() != 0 {
				t.thread.Wake()
			}
		}
	}
	return w
}

// spareThreadWait returns one that nobody else sees. Somebody who looks at the moment may see the last one, so
// then it is a new one. Who looks later finds it no more: it was taken away before lookers was found to be zero, and
// they count themselves before they look.
func (r *runner) spareThreadWait() *threadWait {
	if r.threadDepth == len(r.threadWaits) {
		r.threadWaits = append(r.threadWaits, nil)
	}
	w := r.threadWaits[r.threadDepth]
	if w == nil || r.lookers.Load() != 0 {
		w = &threadWait{r: r, seen: make(map[Event]bool)}
		w.look = w.try
		r.threadWaits[r.threadDepth] = w
	}
	return w
}

// endThreadWait is deferred: a Goexit in what the wait runs may end it.
func (r *runner) endThreadWait(w *threadWait) {
	r.threadDepth--
	r.threadWait.Store(w.shown.next)
	w.ctx, w.stuck = nil, nil
	clear(w.seen)
	clear(w.stack[:cap(w.stack)])
}

// behindThread appends what the thread waits for to which the task of e is bound, if it is
// another than r's: until that is over the task does not run, unless it is awaited there.
func (r *runner) behindThread(e Event, stack []Event) []Event {
	s := r.sys
	th := s.colds.At(uint32(e.Node())).boundTo()
	if th == nil || th == r.thread {
		return stack
	}
	if t := s.threads[th.Index()].Load(); t != nil && t.thread == th {
		t.lookers.Add(1)
		for w := t.threadWait.Load(); w != nil; w = w.next {
			stack = append(stack, w.events...)
		}
		t.lookers.Add(-1)
	}
	return stack
}
