package taskgraph

import "github.com/heddle-go/heddle/internal/atomics"

// handOver is about how many nanoseconds it takes to give a slot away and to get one back: two wakes through the kernel.
const handOver = 100_000

// ownWork is how long the holder's own tasks, which nobody steals, lie there before a wait gives the slot away.
const ownWork = 20_000

// A linger is a wait in a body that keeps its slot for as long as a hand-over would take, unless the slot is
// asked for: so a wait costs no more than twice what the better of both would have.
type linger struct {
	r     *runner
	looks int
	since int64
}

// lingerRound is how many looks there are between two at the clock.
const lingerRound = 8

// on pauses, and reports whether the wait goes on that way.
func (l *linger) on() bool {
	s := l.r.sys
	if !s.spin {
		return false
	}
	if l.looks++; l.looks%lingerRound == 1 {
		now, slot := atomics.Now(), l.r.Slot()
		if l.since == 0 {
			l.since = now
		}
		took := now - l.since
		if took > handOver || s.kern.HasOther(slot) || took > ownWork && s.kern.HasOwn(slot) {
			return false
		}
	}
	atomics.Pause(30)
	return true
}
