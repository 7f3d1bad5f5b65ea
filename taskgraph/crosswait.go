package taskgraph

import (
	"context"
	"slices"

	"github.com/heddle-go/heddle/namedthread"
	"github.com/heddle-go/heddle/taskgraph/internal/waits"
)

// A threadWait is a wait on a named thread. What it needs is used again by the next one that has as
// many others beneath it, so that a wait allocates nothing.
type threadWait struct {
	r     *threadRunner
	ctx   context.Context
	stuck error
	look  func() bool // try, as the thread wants it

	// The events, and the wait beneath, shown to other threads. It is changed only while it cannot be reached
	// through threadRunner.threadWait and nobody who has reached it before is counted in threadRunner.lookers.
	shown waits.Wait

	own int // how many of the events shown the wait is for; the others are those of a WaitAny, which it is for one of

	awaited
	noted bool // the end of what it is for wakes the thread

	others []*guest // the waits that it is in other systems

	seen  map[Event]bool // by helpBound
	stack []Event
	runs  []awaitedRun // that it has found

	match func(namedthread.Runnable, uint64) bool // isAwaited, as the thread wants it
}

// beginThreadWait begins a wait of r's thread, and shows what for to threads that wait for work bound to it: that
// work has to stay aside until this wait is over, so they wait for what this one waits for. It is
// called after the wait was counted, and before its first look.
func (r *threadRunner) beginThreadWait(ctx context.Context, events []Event) *threadWait {
	s := r.sys
	w := r.spareThreadWait()
	r.threadDepth++
	w.ctx, w.own = ctx, len(events)
	w.shown.Events = append(append(w.shown.Events[:0], events...), r.among...)
	r.among = nil
	r.threadWait.Push(&w.shown) // W2
	if s.kern.Aside() > 1 || s.guestWaits.Load() != 0 {
		s.wakeThreadsBut(r.thread)
	}
	return w
}

// spareThreadWait returns one that nobody else sees. Somebody who looks at the moment may see the last one, so
// then it is a new one. Who looks later finds it no more: it was taken away before lookers was found to be zero, and
// they count themselves before they look.
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

// endThreadWait is deferred: a Goexit in what the wait runs may end it.
func (r *threadRunner) endThreadWait(w *threadWait) {
	r.threadDepth--
	r.threadWait.Pop(&w.shown)
	for _, g := range w.others {
		g.end()
	}
	clear(w.others)
	w.others = w.others[:0]
	w.ctx, w.stuck, w.awaited = nil, nil, awaited{}
	clear(w.seen)
	clear(w.stack[:cap(w.stack)])
	clear(w.runs[:cap(w.runs)])
}

// behindThread appends what the thread waits for to which the task of e is bound, an event of r's system, if it is
// another than r's: until that is over the task does not run, unless it is awaited there.
func (w *threadWait) behindThread(r *threadRunner, e Event, stack []Event) []Event {
	th := r.sys.colds.At(uint32(e.Node())).boundTo()
	if th == nil || th == r.thread {
		return stack
	}
	return w.behind(th, stack)
}

// behind appends what th waits for, in all systems that the wait knows of.
func (w *threadWait) behind(th *namedthread.Thread, stack []Event) []Event {
	stack = w.r.sys.appendWaits(th, stack)
	for _, g := range w.others {
		stack = g.r.sys.appendWaits(th, stack)
	}
	return stack
}

// appendWaits appends what th waits for, as far as this system knows.
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

// A guest is a wait on a named thread as a system sees it that has something that the wait is for, while the body
// that waits is another system's. The thread runs what is bound to it there too. It ends before its wait does.
type guest struct {
	r     *threadRunner // of that system
	shown waits.Wait    // as that of the wait; it is never used again
	seen  news          // of r, that the wait has looked at
}

// runnerFor returns the runner of the thread in the system of e, nil if that does not have this thread.
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

// visit makes the wait known to another system, before it looks at anything there: who adds to what is awaited makes
// the thread look again.
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

func (g *guest) end() {
	g.r.threadWait.Pop(&g.shown)
	g.r.sys.guestWaits.Add(-1)
	g.r.waitsHere.Add(-1)
}
