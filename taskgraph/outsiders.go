package taskgraph

import (
	"runtime"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/cacheline"
	"github.com/heddle-go/heddle/internal/park"
	"github.com/heddle-go/heddle/internal/yield"
)

// outsiders is for the waits of goroutines from outside. One looks for a while whether its wait is over, as long as there are
// processors for it and for all runners that are awake: with one thread more, the kernel would have a worker wait. Then it
// sleeps as a goroutine, and the worker that ends the wait lets it run as soon as its task is over.
//
// As with a worker that drowses, looking in vain makes it look less long, down to a sixteenth, and success longer. A sleep that
// more patience would have spared restores all of it: each further one would cost as much.
type outsiders struct {
	awake atomics.Int32 // of them
	lost  atomics.Int64 // of fullPatience, in nanoseconds

	_     cacheline.Pad // between two tasks each worker looks at the following
	woken atomics.Uint32
	_     cacheline.Pad
}

const (
	fullPatience = 200_000
	patientRound = 2 // looks between two at who else wants the processor: a microsecond or two

	// wakeTakes is about how long a sleeper takes to come, at most: what it sleeps beyond the end of its wait.
	wakeTakes = 100_000
)

// lingerOutside reports whether the events completed meanwhile. If not, since is when it began to look, or 0 if it
// did not look for as long as it would have.
func (s *System) lingerOutside(events []Event) (done bool, since int64) {
	procs := runtime.GOMAXPROCS(0)
	if procs == 1 || s.turns != nil || s.mode != park.OS || s.opts.Idle == IdleSleep {
		return false, 0
	}
	p := &s.outsiders
	p.awake.Add(1)
	defer p.awake.Add(-1)
	patience := fullPatience - p.lost.Load()
	begin := atomics.Now()
	for took := int64(0); took < patience; took = atomics.Now() - begin {
		if drowse(patientRound, events) {
			p.lengthen()
			return true, 0
		}
		if s.kern.Awake()+int(p.awake.Load()) > procs {
			return false, 0
		}
		yield.IfWanted()
	}
	lost := fullPatience - patience
	p.lost.Store(min(lost+patience/4, fullPatience*15/16))
	return false, begin
}

// slept says how long a wait took that lingerOutside did not see the end of.
func (p *outsiders) slept(took int64) {
	if took <= fullPatience+wakeTakes {
		p.lost.Store(0)
	}
}

// lengthen doubles the patience, up to the full one.
func (p *outsiders) lengthen() {
	if lost := p.lost.Load(); lost > 0 {
		p.lost.Store(max(0, 2*lost-fullPatience))
	}
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
