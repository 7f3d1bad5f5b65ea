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
	"github.com/heddle-go/heddle/taskgraph/internal/goroutine"
)

// outsiders is for the waits of goroutines from outside. One spins for a while, as long as there
// are processors for it and for all runners that are awake: with one thread more, the kernel would
// have a worker wait. Then it sleeps as a goroutine, and the worker that ends the wait lets it run
// as soon as its task is over. outsiders.md has the protocol.
type outsiders struct {
	awake  atomics.Int32 // of them
	brief  atomics.Int32 // so many waits one after the other took less than briefWait
	budget spin.Budget
	ended  atomics.Int64 // when the last wait did, or 0 if that spun for too short to know

	_     cacheline.Pad // between two tasks each worker looks at the following
	woken atomics.Uint32
	_     cacheline.Pad
}

// fullPatience is what the sleep of one costs, in nanoseconds.
const fullPatience = 200_000

func (s *System) newWaiter(mode park.Mode) *waiter {
	idle := &s.waiters[min(mode, 1)]
	if w, ok := idle.Pop(); ok {
		return w
	}
	w := &waiter{parker: s.newParker(mode), idle: idle}
	w.wake = func() { w.parker.Unpark() }
	if mode == park.Go && s.turns == nil {
		w.wake = func() { s.outsiders.wake(w) }
	}
	w.wait.End = w.wake
	for {
		w.older = s.waiting.Load()
		if s.waiting.CompareAndSwap(w.older, w) {
			return w
		}
	}
}

// waitOutside is block for a goroutine that holds no slot.
func (s *System) waitOutside(ctx context.Context, events []Event) error {
	s.turns.Check()
	s.traceWait(events)
	var spinning spin.Wait
	if ctx.Err() == nil && s.spinOutside(&spinning, events) { // O1
		return nil
	}
	w := s.newWaiter(park.Go)
	defer w.free()
	if !s.store.Notify(nil, w.wake, events...) { // O2
		return nil
	}
	if s.canEnd(ctx) {
		stop := s.onEnd(ctx, w.wake)
		defer stop()
	}
	if s.opts.Sites {
		w.wait.GID.Store(goroutine.ID())
	} else {
		w.wait.GID.Store(0)
	}
	w.wait.Show(s.store, events, nil)
	defer s.noLongerWaits()
	defer w.wait.Hide()
	for !complete(events) { // O3
		if ctx.Err() != nil {
			return s.causeOf(ctx)
		}
		if s.isOverFor(events) {
			return graphevent.ErrClosed
		}
		w.parker.Park()
		if err := s.turns.TakeStuck(); err != nil {
			return err
		}
	}
	spinning.Slept()
	if now := spinning.Now(); now != 0 { // else it has not spun
		end := atomics.Now()
		s.outsiders.endedAt(end)
		s.outsiders.learn(end - now + spinning.Took())
	}
	return nil
}

// Who launches and waits for less than briefWait nanoseconds each time has its answer before a
// worker that wants a processor could do anything. So after briefWaits of those it spins for as
// long though there are not enough processors. Else it would lose its own to a worker that finds
// nothing, and get it back by the Go scheduler, with each wait.
const (
	briefWait  = 4_000
	briefWaits = 16
)

// rested is so many nanoseconds after a wait that all workers sleep when the next one begins: they
// come through the kernel, which may put one behind whoever spins meanwhile.
const rested = 1_000_000

func (p *outsiders) isRested(now int64) bool {
	ended := p.ended.Load()
	return ended != 0 && now-ended > rested
}

func (p *outsiders) endedAt(now int64) {
	if now != 0 || p.ended.Load() != 0 {
		p.ended.Store(now)
	}
}

func (p *outsiders) learn(took int64) {
	switch n := p.brief.Load(); {
	case took >= briefWait:
		if n != 0 {
			p.brief.Store(0)
		}
	case n < briefWaits:
		p.brief.Store(n + 1)
	}
}

// mayCrowd returns how long a wait may spin though there are not enough processors.
func (p *outsiders) mayCrowd() int64 {
	if p.brief.Load() == briefWaits {
		return briefWait
	}
	return 0
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
	crowd := p.mayCrowd()
	for w.Budget = &p.budget; !w.IsOver(); {
		switch {
		case complete(events):
			p.learn(w.Took())
			p.endedAt(w.Now())
			return true
		case !w.Look():
		case w.Took() < crowd:
		case p.isRested(w.Now() - w.Took()):
			w.Stop(false)
		case s.kern.Awake()+int(p.awake.Load()) > procs:
			w.Stop(false)
		case w.IsSpent():
			w.Stop(true)
		}
	}
	return false
}

// wake wakes w: O4.
func (p *outsiders) wake(w *waiter) {
	if w.parker.Unpark() {
		p.woken.Add(1)
	}
}

// yieldToWoken lets those run that were woken, perhaps by r, since r last did so: O5. Else they
// would have to wait until the worker has nothing to do, or for the runtime to preempt it: ten
// milliseconds or more.
func (r *runner) yieldToWoken() {
	if n := r.sys.outsiders.woken.Load(); n != r.woken {
		r.yieldTo(n)
	}
}

// yieldTo is yieldToWoken for who has not seen the nth wake. They can see then what r has
// completed, and others what r would have run next.
func (r *runner) yieldTo(n uint32) {
	r.woken = n
	slot := r.Slot()
	r.sys.report(slot)
	r.sys.kern.Announce(slot)
	yield.IfWanted()
}
