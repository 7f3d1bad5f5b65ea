package taskgraph

import (
	"context"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/taskgraph/internal/entry"
	"github.com/heddle-go/heddle/taskgraph/internal/joins"
	"github.com/heddle-go/heddle/taskgraph/internal/kernel"
)

// An awaited says what a wait of a runner is for, except its events, which are passed separately so
// that they stay on their callers' stacks. The wait is over when the call of join has ended; or
// when those of group have, or its event is complete; or else when all events are complete.
// await.md has the protocol.
type awaited struct {
	join  *joins.Join
	note  *kernel.Note[Context] // of the call of join, if the wait may run forks of that call
	group *Group
	c     *Context // of the body that waits for group
	helps bool     // it runs awaited tasks; on a named thread only if a slot can be lent
	pumps bool     // on a named thread: W7

	// What the awake part of the wait knows, see stayAwake.
	seeks  bool  // queues may hold calls of group or tasks of awaited runs
	ran    bool  // there were such entries
	idle   bool  // nothing has run since the flush
	aside  bool  // on an aside: it ends when there is nothing to seek
	budget int32 // how many more events it looks at
	left   int   // how many events are left that it, or their prerequisites, may run early
}

func (a *awaited) isOver(events []Event) bool {
	switch {
	case a.join != nil:
		return a.join.IsDone()
	case a.group == nil:
		return complete(events)
	case a.group.calls.Load() == 0:
		return true
	}
	return len(events) > 0 && complete(events) // no call was incomplete at some moment
}

// ends reports whether the wait is over, or is cut short: one for calls might else never end.
func (a *awaited) ends(events []Event) bool {
	return a.isOver(events) || a.group != nil && a.c.Err() != nil
}

// help runs awaited tasks and stays awake, for a wait. With IsolateWaits an aside does it.
func (r *runner) help(events []Event, a *awaited) {
	if !r.sys.opts.IsolateWaits {
		a.seek(events)
	} else if a.group != nil || r.mayHelp(events) {
		r.helpAside(events, a)
		if a.idle = true; a.isOver(events) {
			return
		}
	}
	r.stayAwake(events, a)
}

// seek makes the wait look, perhaps again, for everything that it may run.
func (a *awaited) seek(events []Event) {
	a.left, a.budget, a.seeks, a.ran, a.idle = 0, helpBudget, true, false, false
	if a.group == nil {
		a.left = len(events)
	}
}

// stayAwake is the awake part of each wait of a runner that holds a slot. It lasts until the wait
// is over, has spun for long enough, or news has come to its thread. Its steps are A1 to A7.
func (r *runner) stayAwake(events []Event, a *awaited) {
	for r.lookAwake(events, a) {
		r.linger.Begin()
	}
}

// lookAwake is stayAwake until a body panics, which it reports: one frame recovers for all bodies.
func (r *runner) lookAwake(events []Event, a *awaited) (more bool) {
	defer r.rescue(r.depth, &more)
	s := r.sys
	for {
		all := a.left == 0
		for a.left > 0 && !r.isStirred() { // A2
			a.left--
			e := events[a.left]
			if e.IsComplete() || e.Store() != s.store {
				continue
			}
			slot := r.Slot()
			if s.kern.PopIf(slot, entry.OfTask(e.Node())) {
				// Taken as any worker would take it, so no tombstone is left behind.
				if s.store.Claim(e.Node(), &slot.Cache) {
					r.execute(e.Node())
				}
				if e.IsComplete() {
					continue
				}
			}
			r.runEarly(e, helpDepth, &a.budget)
		}
		if r.isStirred() || !all && complete(events) { // A1: mostly that was the whole wait
			r.flush()
			return false
		}
		if a.seeks && r.runOwn(events, a) { // A3
			continue
		}
		if !a.idle { // A4
			r.flush()
			if r.lane != nil {
				r.lane.Rest()
			}
			a.idle = true
		}
		switch {
		case a.ends(events): // A5
			return false
		case a.seeks && r.runStolen(events, a), a.note != nil && r.leap(a): // A6
		case a.aside && !a.seeks || !r.linger.on(): // A7
			return false
		}
	}
}

// runOwn runs the newest entry of the slot's own deque, and reports true, if the wait is for it.
func (r *runner) runOwn(events []Event, a *awaited) bool {
	if a.group != nil {
		f, key, g, ok := r.nextCall(a.group)
		if ok {
			a.ran, a.idle = true, false
			r.runCalls(f, key, g, a.group)
			r.linger.Begin()
		}
		return ok
	}
	if e, ok := r.popOfRun(); ok {
		return r.runAwaited(e, events, a)
	}
	if !a.ran {
		a.seeks = r.sys.spin && r.sys.awaitsRun(events)
	}
	return false
}

func (r *runner) runStolen(events []Event, a *awaited) bool {
	e, ok := r.stealAwaited()
	return ok && r.runAwaited(e, events, a)
}

// runAwaited runs what the entry e, which the slot has taken, stands for if the wait is for it. If
// not, it queues e again, where anybody finds it, and the wait seeks no more.
func (r *runner) runAwaited(e entry.Entry, events []Event, a *awaited) bool {
	s := r.sys
	a.idle = false
	switch {
	case a.group != nil && r.isCallOf(e, a.group):
		a.ran = true
		r.runEntry(e, a.group)
	case a.group == nil && s.isOfRun(e, events):
		a.ran = true
		if next, more := r.runGraph(e); more { // no body is below
			s.kern.PutBack(r.Slot(), next)
		}
	case a.group == nil && s.isHelperOf(e, events):
		a.ran = true
		if s.store.Claim(e.Node(), &r.Slot().Cache) {
			r.execute(e.Node())
		}
	default:
		s.kern.PutBack(r.Slot(), e)
		a.seeks = false
		return false
	}
	r.linger.Begin()
	return true
}

// sleep is the rest of a wait, A8 and A9, except on named threads. It gives the slot away, if there
// is one, and sleeps until the call of join has ended or, if join is nil, until events are
// complete. It returns why it gave up.
func (r *runner) sleep(ctx context.Context, events []Event, join *joins.Join) error {
	s := r.sys
	r.flush() // A8: the report may end the wait
	end := r.arm()
	if join != nil {
		if join.Await() {
			return nil
		}
	} else {
		s.promoteFor(events, r.frames[r.depth-1].prio)
		if cache, _ := s.by(r.o); !s.store.Notify(cache, end, events...) {
			return nil
		}
		if s.canEnd(ctx) {
			stop := s.turns.OnEnd(ctx, end)
			defer stop()
		}
		if r.isAlone() {
			r.knowGoroutine()
		}
		defer r.unpublish(r.publish(events))
		if r.isAlone() {
			s.kern.StandAside()
			defer s.kern.GoOn()
		}
		s.traceWait(events)
	}
	for a := (awaited{join: join}); ; { // A9
		// The condition is true before end is called: a call before arm is not missed.
		r.arm()
		switch {
		case a.isOver(events):
			r.linger.Slept()
			return nil
		case join != nil:
		case ctx.Err() != nil:
			return s.causeOf(ctx)
		case s.abandoned.Load():
			return graphevent.ErrClosed
		}
		if err := r.park(); err != nil {
			return err
		}
	}
}

// arm begins a sleep, and returns the function that ends it.
func (r *runner) arm() (end func()) {
	if r.isAlone() {
		return r.alone.End
	}
	return r.Arm()
}

// park sleeps until the sleep is ended, now or since arm, or for no reason.
func (r *runner) park() error {
	if r.isAlone() {
		r.alone.Park()
		return r.sys.turns.TakeStuck()
	}
	r.o.running = false
	r.Await()
	r.hold()
	r.o.running = true
	return nil
}
