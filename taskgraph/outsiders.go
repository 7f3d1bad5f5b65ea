package taskgraph

import (
	"context"
	"runtime"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/cacheline"
	"github.com/heddle-go/heddle/internal/park"
	"github.com/heddle-go/heddle/internal/spin"
	"github.com/heddle-go/heddle/internal/yield"
)

// outsiders is for the waits of goroutines from outside. One spins for a while, as long as there are processors for it and
// for all runners that are awake: with one thread more, the kernel would have a worker wait. Then it
// sleeps as a goroutine, and the worker that ends the wait lets it run as soon as its task is over.
type outsiders struct {
	awake  atomics.Int32 // of them
	budget spin.Budget

	_     cacheline.Pad // between two tasks each worker looks at the following
	woken atomics.Uint32
	_     cacheline.Pad
}

// fullPatience is what the sleep of one costs, in nanoseconds.
const fullPatience = 200_000

// A waiter is what a goroutine from outside sleeps on.
type waiter struct {
	parker *park.Parker
	wake   func()
	wait   waiting // see ownWait
	older  *waiter // made before; none is ever dropped
}

func (s *System) newWaiter(mode park.Mode) *waiter {
	if w, ok := s.waiters[min(mode, 1)].Pop(); ok {
		return w
	}
	w := &waiter{parker: s.newParker(mode)}
	w.wake = func() { w.parker.Unpark() }
	if mode == park.Go && s.turns == nil {
		w.wake = func() { s.outsiders.wake(w) }
	}
	w.wait.end = w.wake
	for {
		w.older = s.waiting.Load()
		if s.waiting.CompareAndSwap(w.older, w) {
			return w
		}
	}
}

// waitOutside is block for a goroutine that holds no slot.
func (s *System) waitOutside(ctx context.Context, events []Event) error {
	s.mustTakePart()
	s.traceWait(events)
	var spinning spin.Wait
	if ctx.Err() == nil && s.spinOutside(&spinning, events) {
		return nil
	}
	w := s.newWaiter(park.Go)
	// A wake that comes after the wait has ended finds the waiter in another wait, which
	// looks again.
	defer s.waiters[park.Go].Push(w)
	if !s.store.Notify(nil, w.wake, events...) {
		return nil
	}
	if s.canEnd(ctx) {
		stop := s.onEnd(ctx, w.wake)
		defer stop()
	}
	if s.opts.Sites {
		w.wait.gid.Store(goroutineID())
	} else {
		w.wait.gid.Store(0)
	}
	w.wait.show(s, events, nil)
	defer s.noLongerWaits()
	defer w.wait.hide()
	for !complete(events) {
		if ctx.Err() != nil {
			return s.causeOf(ctx)
		}
		if s.isOverFor(events) {
			return graphevent.ErrClosed
		}
		w.parker.Park()
		if err := s.takeStuck(); err != nil {
			return err
		}
	}
	spinning.Slept()
	return nil
}

// spinOutside spins as w, and reports whether the events completed meanwhile.
func (s *System) spinOutside(w *spin.Wait, events []Event) bool {
	procs := runtime.GOMAXPROCS(0)
	if procs == 1 || s.turns != nil || s.mode != park.OS || s.opts.Idle == IdleSleep {
		return false
	}
	p := &s.outsiders
	p.awake.Add(1)
	defer p.awake.Add(-1)
	for w.Budget = &p.budget; !w.IsOver(); {
		switch {
		case complete(events):
			return true
		case !w.Look():
		case s.kern.Awake()+int(p.awake.Load()) > procs:
			w.Stop(false)
		case w.IsSpent():
			w.Stop(true)
		}
	}
	return false
}

// wake wakes w.
func (p *outsiders) wake(w *waiter) {
	if w.parker.Unpark() {
		p.woken.Add(1)
	}
}

// yieldToWoken lets those run that were woken, perhaps by r, since r last did so. Else they would have to wait until the worker has nothing
// to do, or for the runtime to preempt it: ten milliseconds or more.
func (r *runner) yieldToWoken() {
	if n := r.sys.outsiders.woken.Load(); n != r.woken {
		r.yieldTo(n)
	}
}

// yieldTo is yieldToWoken for who has not seen the nth wake. They can see then what r has completed, and others what r would
// have run next.
func (r *runner) yieldTo(n uint32) {
	r.woken = n
	slot := r.Slot()
	r.sys.report(slot)
	r.sys.kern.Announce(slot)
	yield.IfWanted()
}
