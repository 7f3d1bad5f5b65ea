package taskgraph

import "github.com/heddle-go/heddle/internal/atomics"

// Between short loops one after the other most time goes by until a helper has heard of the next one: an event, an entry in a
// deque, a wake, a steal. So the first helper of a loop stays with its memory for a while, and looks at one word, which
// the next loop changes that uses it: the next one of the same caller.

// stayCosts is what it costs that a helper has gone, in nanoseconds: a wake, perhaps from sleep.
const stayCosts = 50_000

// mayStay reports whether p may go from loop to loop: as the first helper of a loop like most, with nothing left to be seen to by the
// end of its body.
func (p *Participant) mayStay(c *Context) bool {
	l, r := p.l, c.r
	return p.index == 1 && l.sys.spin && l.isCommon() && r.depth == 1 && r.onSlot() &&
		c.ctx == nil && c.forks == nil && c.merged == nil && l.sys.checks.Load() == 0 && !l.sys.kern.Asked(r.Slot())
}

// isCommon reports whether a helper of another loop of that kind may run the loop as well.
func (l *loop) isCommon() bool { return l.prio == PriorityNormal && !l.yields && !l.cancels }

// stay waits for the next loop, for a helper that stays since a round: LO10. It reports whether
// there is one, which the helper has joined. Else the helper has let go of the loop, and is to
// touch nothing of it any more.
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
				l.free(nil)
			}
			return false
		}
		l.stayed = 0
	}
}

// learnStay is for the caller that opens the loop, for which no helper stays any more: perhaps one should have stayed longer.
func (l *loop) learnStay() {
	if l.stayed != 0 {
		l.sys.loopStay.Learn(atomics.Now() - l.stayed)
		l.stayed = 0
	}
}
