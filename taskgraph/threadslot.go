package taskgraph

import (
	"slices"

	"github.com/heddle-go/heddle/taskgraph/internal/entry"
	"github.com/heddle-go/heddle/taskgraph/internal/joins"
)

// A named thread takes part like a caller: it is lent a slot while it runs, or waits for, work that
// workers can run as well, and still runs work bound to it. threadslot.md has the rules T1 to T3.

func (r *threadRunner) news() news { return news{r.posts.Load(), r.stirs.Load()} }

// isStirred reports whether r's thread has news at which its wait has not looked.
func (r *runner) isStirred() bool { return r.onThread() && r.named.stirred() }

//go:noinline // so that isStirred is inlined
func (r *threadRunner) stirred() bool {
	if r.news() != r.seen.news {
		return true
	}
	if w := r.seen.wait; w != nil {
		for _, g := range w.others {
			if g.r.news() != g.seen {
				return true
			}
		}
	}
	return false
}

// joinThread lends r's thread a slot, and reports false if the thread cannot take part.
func (r *threadRunner) joinThread() bool {
	s := r.sys
	if s.turns != nil {
		return false
	}
	if r.caller == nil {
		r.caller = s.kern.NewCaller(s.mode)
	}
	if !r.caller.Join() {
		return false
	}
	r.hasSlot()
	return true
}

func (r *threadRunner) hasSlot() {
	r.Runner = r.caller
	r.hold()
	r.o.running = r.depth > 0
}

func (r *threadRunner) partThread() {
	r.flush()
	r.o.running = false
	r.o, r.Runner = nil, nil
	r.caller.Part()
}

// enter is joinThread, until exit, on a named thread without a slot. Elsewhere it returns false.
func (r *runner) enter() bool { return r.onThread() && !r.onSlot() && r.named.enterSlot() }

func (r *threadRunner) enterSlot() bool {
	if !r.joinThread() {
		return false
	}
	if r.isCounted() {
		r.sys.kern.Leave() // the slot counts as active
	}
	return true
}

func (r *threadRunner) exit() {
	if r.isCounted() {
		r.sys.kern.Enter()
	}
	r.partThread()
}

// isCounted reports whether what runs on the thread counts as active, by Enter or by a slot. What
// its wait runs does not if it is not a body of this system.
func (r *threadRunner) isCounted() bool { return r.depth > 0 && !r.uncounted }

// count counts as active what the thread is about to run without a slot, until uncount.
func (r *threadRunner) count() (before bool) {
	r.sys.kern.Enter()
	before, r.uncounted = r.uncounted, false
	return before
}

func (r *threadRunner) uncount(before bool) {
	r.uncounted = before
	r.sys.kern.Leave()
}

// enterFor is enter for the body of c until it has no forks. It must have none now: waits for forks
// that were made without a slot rely on nobody else knowing these.
func (c *Context) enterFor() bool {
	if c.forks != nil || !c.r.enter() {
		return false
	}
	c.lent = true
	return true
}

// exitFor ends what enterFor began, if no fork is left.
func (c *Context) exitFor() {
	if c.forks == nil {
		c.lent = false
		c.r.named.exit()
	}
}

func (r *threadRunner) mayTakePart() bool { return r.sys.turns == nil && !r.sys.opts.IsolateWaits }

// helpFirst helps as long as the thread's lanes hold nothing for which the wait could be. Otherwise
// a search has to come first, as for events of another system, whose posts this one does not see.
func (r *threadRunner) helpFirst(events []Event, a *awaited) {
	was := r.seen
	defer func() { r.seen = was }()
	r.seen = view{news: r.news()}
	if r.posts.Load() != r.taken.Load() || slices.ContainsFunc(events, r.sys.isAlien) {
		return
	}
	if !r.onSlot() {
		if !r.enter() {
			return
		}
		defer r.exit()
	}
	a.seek(events)
	r.stayAwake(events, a)
}

// help follows a search that has found nothing (W4): it runs what workers can run, and stays awake.
// It reports whether a search may find something now, or the wait is over.
func (w *threadWait) help() bool {
	r := w.r
	if !r.onSlot() && (!w.helps || r.linger.IsOver() || !r.joinThread()) {
		return false
	}
	if w.helps {
		w.seek(w.events())
	}
	r.stayAwake(w.events(), &w.awaited)
	return w.isOver() || r.stirred()
}

// rest is the last step before the thread sleeps, W5. It reports whether the wait is over.
func (w *threadWait) rest() bool {
	r := w.r
	if r.onSlot() {
		r.partThread()
	}
	if w.noted {
		return false
	}
	w.noted = true
	if w.join != nil {
		return w.join.Await()
	}
	return !r.sys.store.Notify(nil, r.wake, w.events()...)
}

// awaitOnThread is awaitFork for a named thread: the call may wait for work bound to this thread.
func (r *threadRunner) awaitOnThread(j *joins.Join) {
	was := r.seen
	r.seen = view{news: r.news()}
	a := awaited{join: j, idle: true}
	if r.posts.Load() == r.taken.Load() {
		r.stayAwake(nil, &a)
	}
	r.seen = was
	if j.IsDone() {
		return
	}
	_ = r.waitOnThread(r.sys.ctx, []Event{r.frames[r.depth-1].ev}, &a)
}

// takeShared takes shared Normal work for a wait on a named thread, since what the thread launches
// without a slot is shared. It drops tombstones.
func (r *threadRunner) takeShared() (e entry.Entry, ok bool) {
	s := r.sys
	for {
		if e, ok = s.kern.TakeShared(); !ok {
			return 0, false
		}
		n, isTask := e.Task()
		if !isTask || !s.store.IsTombstone(n) {
			return e, true
		}
		s.store.Claim(n, &r.Slot().Cache)
	}
}
