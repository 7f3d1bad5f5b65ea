package taskgraph

import (
	"slices"

	"github.com/heddle-go/heddle/taskgraph/internal/entry"
	"github.com/heddle-go/heddle/taskgraph/internal/kernel"
)

// A named thread takes part: it is lent a slot, as a caller, while it runs or waits for what
// workers can run as well, and goes on serving what is bound to it. threadslot.md has its rules, T1
// to T3.

// news is what has come to a named thread that a wait may have to look at: posts of tasks, and edges.
type news struct{ posts, stirs uint32 }

func (r *threadRunner) news() news { return news{r.posts.Load(), r.stirs.Load()} }

// A view is what the innermost wait of a named thread has looked at.
type view struct {
	news
	wait *threadWait // that searches; nil: only the thread's own system is looked at
}

// isStirred reports whether something has come to r's thread that the wait has not looked at.
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

// stir makes a thread that waits look again.
func (r *threadRunner) stir() {
	r.stirs.Add(1) // before it is woken
	r.thread.Wake()
}

// joinThread lends r's thread a slot, and reports false if it cannot take part.
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
	r.Runner, r.o = r.caller, ownerOf(r.caller.Slot())
	r.o.running = r.depth > 0
}

// partThread gives the slot back.
func (r *threadRunner) partThread() {
	r.flush()
	r.o.running = false
	r.o, r.Runner = nil, nil
	r.caller.Part()
}

// enter is joinThread for what runs on a thread without a slot, until exit. It returns false elsewhere.
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

// isCounted reports whether what runs on the thread is counted as active, by Enter or in place of that by a slot. A call that its wait makes
// is not, if it is no body of this system.
func (r *threadRunner) isCounted() bool { return r.depth > 0 && !r.uncounted }

// count counts what is about to run on the thread without a slot, until uncount.
func (r *threadRunner) count() (before bool) {
	r.sys.kern.Enter()
	before, r.uncounted = r.uncounted, false
	return before
}

func (r *threadRunner) uncount(before bool) {
	r.uncounted = before
	r.sys.kern.Leave()
}

// enterFor is enter for the body of c until it has no fork. It has none now: forks made without a slot are not known
// to anybody else, and their waits rely on that.
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

// mayTakePart reports whether a wait on r's thread may run what workers can run.
func (r *threadRunner) mayTakePart() bool { return r.sys.turns == nil && !r.sys.opts.IsolateWaits }

// helpFirst helps as long as nothing lies in the thread's lanes that the wait could be for. Else it takes a search, and so it does
// for what another system has, which posts unknown to this one.
func (r *threadRunner) helpFirst(events []Event, a *awaited) {
	was := r.seen
	defer r.sees(was)
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

func (r *threadRunner) sees(v view) { r.seen = v }

// help is what a wait does when the search has found nothing (W4): it runs what workers can run,
// and stays awake. It reports whether there may be something to search for, or the wait is over.
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

// awaitOnThread is awaitFork for a named thread: the call may wait for what is bound to this thread.
func (r *threadRunner) awaitOnThread(j *kernel.Join) {
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

// takeShared takes Normal work that is shared, for a wait on a named thread: what the thread launched without a slot lies there.
// What stands for nothing any more it drops.
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
