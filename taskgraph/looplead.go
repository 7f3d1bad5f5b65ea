package taskgraph

import (
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/taskgraph/internal/loopcost"
)

// What decides whether a loop is shared, in nanoseconds. A helper that drowses comes quickly. The
// kernel must wake a sleeping one, which takes long, and the caller pays part of it.
const (
	worthStaying = 2_500          // least that is worth sharing with a helper that stays, see stay
	worthHandy   = 6_000          // with a helper that comes quickly
	worthAsleep  = 80_000         // with one that must be woken, in one loop or several
	worthMissed  = 3 * worthHandy // with one that comes quickly, in several loops
)

// lead is what the caller does: the loop of spec, whose elements cost what is kept at a place, or,
// if spec is nil, what is left of the loop from which it has stepped out (LO12).
func (l *loop) lead(c *Context, spec *Loop, at loopcost.Place) (err error) {
	over, out := false, false
	defer func() {
		if !over { // what cuts the caller off is a failure of the loop
			l.fail(thrown(recover()))
		}
		if !out {
			l.end(c, &err)
		}
	}()
	p := &l.participants[0].Participant
	if spec != nil {
		out = p.lead(c, spec, at)
	} else {
		p.c = c
		_, out = p.runRest(c, atomics.Now(), 0)
	}
	over = true
	return nil // see end
}

// lead reports whether the caller has stepped out. In deterministic mode a loop is shared from its
// beginning, unless it is serial, and nothing is known or measured.
func (p *Participant) lead(c *Context, spec *Loop, at loopcost.Place) (out bool) {
	l := p.l
	l.did = 0
	byTurn, per := l.sys.turns != nil, 0.
	if !byTurn {
		per = at.Known() // of a unit
		if l.grain > 0 {
			per *= float64(l.grain)
		}
	}
	if l.limit > 1 && (byTurn || spec.Unbalanced || spec.PreWork != nil ||
		l.isWorth(c, per*float64(l.units))) {
		l.begin(c, 0, per)
	}
	if spec.PreWork != nil {
		spec.PreWork()
	}
	switch {
	case l.units == 0:
		return false
	case byTurn && !l.shared:
		p.runSome(0, l.units, false)
		return false
	}
	begin := atomics.Now()
	did, out := p.runRest(c, begin, per)
	if did > 0 && !byTurn && !spec.Unbalanced && !l.cut.Load() {
		now := atomics.Now()
		if !l.shared && l.limit > 1 && now-begin >= worthStaying {
			l.sys.missedBy(c).Alone(begin, now)
		}
		took := float64(now-begin) / float64(did)
		if l.grain > 0 {
			took /= float64(l.grain)
		}
		at.Learn(took)
	}
	return out
}

// runRest runs what is left of the loop. It returns how many units the caller took, and whether it
// has stepped out.
func (p *Participant) runRest(c *Context, begin int64, per float64) (did uint64, out bool) {
	if !p.l.shared {
		did, out = p.alone(c, begin, per)
	}
	if p.l.shared && !out {
		more, made, _ := p.share(0)
		did, out = did+more, made > 0
	}
	return did, out
}

// alone runs units on the caller alone (LO1) until none is left, or what is left is worth sharing:
// then it shares them. A unit costs per, if that is not 0.
func (p *Participant) alone(c *Context, begin int64, per float64) (did uint64, out bool) {
	l := p.l
	steps, from := p.mayStepOut(), l.did
	pieces := loopcost.Begin(begin, l.units, per)
	for {
		at, made, ok := p.runSome(l.did, l.did+pieces.Next(l.units-l.did), steps)
		if !ok {
			return l.did - from, false
		}
		ran := at - l.did
		if l.did = at; at == l.units {
			return at - from, false
		}
		seen, ok := pieces.Ran(ran, atomics.Now())
		if !ok {
			continue
		}
		if l.limit > 1 && pieces.Tell() && l.isWorth(c, seen*float64(l.units-at)) {
			l.begin(c, at, seen)
		}
		if made > 0 {
			out = p.stepOut(made)
		}
		if l.shared || out {
			return at - from, out
		}
	}
}

// isWorth reports whether work that takes left nanoseconds is worth sharing.
func (l *loop) isWorth(c *Context, left float64) bool {
	switch {
	case left < worthStaying:
		return false
	case left >= worthAsleep || l.crew.Stays():
		return true
	}
	missed := int64(worthAsleep)
	if l.sys.kern.Handy(l.prio.level()) {
		if left >= worthHandy {
			return true
		}
		missed = worthMissed
	}
	return l.sys.missedBy(c).IsDue(missed)
}

// missedBy returns what the runner of c or, if c is nil, callers from outside have missed.
func (s *System) missedBy(c *Context) *loopcost.Missed {
	if c != nil {
		return &c.r.missed
	}
	return &s.missed
}
