package taskgraph

import "github.com/heddle-go/heddle/internal/atomics"

// With short loops in a row most time goes into bringing a helper to the next one: an event, an
// entry in a deque, a wake, a steal. So the first helper of a loop stays for a while with the
// loop's memory, and polls one word, which the caller changes when it uses that memory for its next
// loop.

// stayCosts is what it costs, in nanoseconds, to bring back a helper that has gone: a wake, perhaps
// from sleep.
const stayCosts = 50_000

// mayStay reports whether p may go from loop to loop: it is the first helper of a common loop, and
// nothing is left to do at the end of its body.
func (p *Participant) mayStay(c *Context) bool {
	l, r := p.l, c.r
	return p.index == 1 && l.sys.spin && l.isCommon() && r.depth == 1 && r.onSlot() &&
		c.ctx == nil && c.forks == nil && c.merged == nil && l.sys.checks.Load() == 0 &&
		!l.sys.kern.Asked(r.Slot())
}

// isCommon reports whether a helper of another common loop may also run this one.
func (l *loop) isCommon() bool { return l.prio == PriorityNormal && !l.yields && !l.cancels }

// stay makes the helper wait, after the given round, for the next loop: LO10. It reports whether
// the helper has joined one. If not, the helper has dropped the loop, and must not touch it any
// more.
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
