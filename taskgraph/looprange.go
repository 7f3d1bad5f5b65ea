package taskgraph

import (
	"time"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/taskgraph/internal/flight"
	"github.com/heddle-go/heddle/taskgraph/internal/labels"
)

// help is the body of a helper. Each helper launches the next, so that wake-ups form a chain.
func (p *Participant) help(c *Context) error {
	l := p.l
	if !l.crew.Join() { // LO4
		p.late()
		return nil
	}
	c.reported = true
	if l.sys.checks.Load()&checkLabelled != 0 {
		// Before that it was not known which loop it is.
		c.r.labels.Show(labels.Label{Task: bodyName(l.code()), Priority: c.prio.String()})
	}
	until := int64(0)
	if l.yields && c.r.onSlot() {
		until = l.sys.turns.Now() + backgroundTurn
	}
	joined, inside, again, made := true, false, false, 0
	defer func() {
		if inside { // a range has ended early
			l.fail(thrown(recover()))
		}
		if !joined {
			return
		}
		p.c = nil
		if again || made > 0 {
			// LO9 does not take it back: the event that it has is that of its first task.
			l.queue(p, c)
		}
		if made > 0 {
			l.sys.kern.Sink(c.r.Slot(), made)
		}
		if l.crew.Leave() { // LO8
			l.done[0].Trigger()
			l.left.Unpark()
		}
		p.late()
	}()
	for loops := 0; joined; loops++ {
		p.c = c
		l.launch(c)
		inside = true
		_, made, again = p.share(until)
		inside = false
		if made > 0 || loops == maxInPlace || !p.mayStay(c) {
			break
		}
		p.c = nil
		round := l.crew.Number()
		if !l.crew.Stay() {
			break
		}
		joined = l.stay(c, round)
	}
	return nil
}

// backgroundTurn is how long a helper takes ranges before it stands back, if its loop yields.
const backgroundTurn = int64(2 * time.Millisecond)

// stayCosts is what it costs, in nanoseconds, to bring back a helper that has gone: a wake.
const stayCosts = 50_000

// mayStay reports whether p may go from loop to loop: it is the first helper of a common loop, and
// nothing is left to do at the end of its body.
func (p *Participant) mayStay(c *Context) bool {
	l, r := p.l, c.r
	return p.index == 1 && l.sys.spin && l.isCommon() && r.depth == 1 && r.onSlot() &&
		c.ctx == nil && c.forks == nil && c.merged == nil && l.sys.checks.Load() == 0 &&
		!l.sys.kern.Asked(r.Slot())
}

// stay makes the helper wait, after the given round, for the next loop: LO10. It reports whether
// the helper has joined one. If not, it has dropped the loop, and must not touch it any more.
func (l *loop) stay(c *Context, round uint64) (joined bool) {
	s, slot := l.sys, c.r.Slot()
	waiting := &c.r.linger // no wait is below
	waiting.BeginAt(atomics.Now())
	for {
		if l.crew.Rejoin(round) {
			return true
		}
		if !waiting.Pause(1) {
			continue
		}
		switch {
		case waiting.Took() >= s.loopStay.Time():
			l.stayed = waiting.Now() - waiting.Took()
		case !s.stopped.Load() && c.stopped() == nil && !s.kern.HasWork(slot):
			continue
		}
		if detached, last := l.crew.Detach(round); detached {
			if last {
				l.free()
			}
			return false
		}
		l.stayed = 0
	}
}

// share takes ranges until there are none left, until p leaves the loop for tasks that a range has
// made ready (a caller has stepped out then), or until a moment that is not 0. It returns how many
// units it took, how many such tasks there are, and whether that moment has ended it.
func (p *Participant) share(until int64) (did uint64, made int, again bool) {
	l, steps := p.l, p.mayStepOut()
	for {
		from, to, ok := l.take()
		if !ok {
			return did, 0, false
		}
		if p.c != nil && p.c.r.onSlot() {
			l.sys.kern.Spread(p.c.r.Slot())
		}
		_, made, ok = p.runSome(from, to, steps)
		if !ok {
			return did, 0, false
		}
		did += to - from
		if made > 0 && l.crew.Left(l.units) && (p.index > 0 || p.stepOut(made)) {
			return did, made, false
		}
		if until != 0 && l.sys.turns.Now() > until && l.crew.Left(l.units) {
			return did, 0, true
		}
	}
}

// runSome calls the body for the units of a range. If p may step out it ends after the first call
// that makes tasks ready. It returns where it ended, how many tasks there are, and whether the loop
// continues.
func (p *Participant) runSome(from, to uint64, steps bool) (at uint64, made int, ok bool) {
	l, before := p.l, 0
	if steps {
		before = p.queued()
	}
	for ok = true; ok && from < to && made <= 0; {
		if l.grain == 0 {
			ok = p.call(int(from), int(to))
			from = to
		} else {
			lo := int(from) * l.grain
			ok = p.call(lo, lo+min(l.grain, l.n-lo))
			from++
		}
		if steps {
			made = p.queued() - before
		}
	}
	return from, made, ok
}

func (p *Participant) call(lo, hi int) bool {
	l := p.l
	if p.c != nil {
		if err := p.c.stopped(); err != nil {
			l.fail(err)
			return false
		}
	}
	var lane *flight.Lane
	if p.c != nil && p.c.r.lane != nil {
		lane = p.c.r.lane
		lane.Put2(flight.Range, p.c.key(), uint64(nameOfBody(l.code())), uint64(lo))
	}
	var err error
	if l.plain != nil {
		l.plain(lo, hi)
	} else {
		err = l.body(p, lo, hi)
	}
	if lane != nil {
		lane.Put2(flight.RangeEnd, p.c.key(), 0, uint64(hi-lo))
	}
	if err != nil {
		l.fail(err)
	}
	return err == nil
}
