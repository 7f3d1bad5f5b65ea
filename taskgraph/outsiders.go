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
	"github.com/heddle-go/heddle/taskgraph/internal/patience"
	"github.com/heddle-go/heddle/taskgraph/internal/waits"
)

// outsiders is for the waits of goroutines from outside. outsiders.md has the protocol.
type outsiders struct {
	patience.Patience

	_     cacheline.Pad // between two tasks each worker looks at the following
	woken atomics.Uint32
	_     cacheline.Pad
}

func (s *System) newWaiter(mode park.Mode) *waits.Waiter {
	if w, ok := s.waiters.Idle(mode); ok {
		return w
	}
	p := s.newParker(mode)
	wake := func() { p.Unpark() }
	if mode == park.Go && s.turns == nil {
		wake = func() { // O4
			if p.Unpark() {
				s.outsiders.woken.Add(1)
			}
		}
	}
	return s.waiters.Add(mode, p, wake)
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
	defer w.Free()
	if !s.store.Notify(nil, w.End, events...) { // O2
		return nil
	}
	if s.canEnd(ctx) {
		stop := s.turns.OnEnd(ctx, w.End)
		defer stop()
	}
	s.knowCaller(&w.Wait)
	w.Show(s.store, events, nil)
	defer s.noLongerWaits()
	defer w.Hide()
	for !complete(events) { // O3
		if ctx.Err() != nil {
			return s.causeOf(ctx)
		}
		if s.isOverFor(events) {
			return graphevent.ErrClosed
		}
		w.Park()
		if err := s.turns.TakeStuck(); err != nil {
			return err
		}
	}
	s.outsiders.Slept(&spinning)
	return nil
}

// spinOutside spins as w, and reports whether the events completed meanwhile.
func (s *System) spinOutside(w *spin.Wait, events []Event) bool {
	procs := runtime.GOMAXPROCS(0)
	if procs == 1 || s.turns != nil || s.mode != park.OS || s.opts.Idle == IdleSleep {
		return false
	}
	p := &s.outsiders
	p.Begin(w)
	defer p.End()
	for !w.IsOver() {
		if complete(events) {
			p.Spun(w)
			return true
		}
		if w.Look() {
			p.Judge(w, s.kern.Awake(), procs)
		}
	}
	return false
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
