package taskgraph

import (
	"github.com/heddle-go/heddle/internal/atomics"
)

// A wait in a body looks for a while whether it is over before it gives its slot away, in nanoseconds.
const (
	// handOver is about how long it takes to give a slot away and to get one back: two wakes through the kernel. So long
	// a wait stays awake though no other slot is at work.
	handOver = 100_000

	// fullLinger is how long it stays awake while another slot is at work. A thread that is woken may stand behind its
	// waker on one processor, with another one idle, until the kernel's next tick: a few milliseconds.
	fullLinger = 1_000_000

	// ownWork is how long the holder's own tasks, which nobody steals, lie there meanwhile.
	ownWork = 20_000
)

// A linger is a wait in a body, or of a caller, that stays awake: until what it waits for is complete, for as long as that
// has paid of late on this runner, and unless the slot is asked for. Now and then it lets goroutines run that wait
// for a processor.
type linger struct {
	r     *runner
	lost  int64 // of fullLinger, by waits that stayed awake in vain
	looks int
	since int64
	spent bool // it stayed awake in vain, and the same wait need not do so again
}

const (
	lingerRound = 8  // looks between two at the clock
	yieldRound  = 64 // looks between two at who waits for a processor
)

// begin says that a wait begins, or that there was something to do meanwhile.
func (l *linger) begin() { l.looks, l.since, l.spent = 0, 0, false }

// on pauses, and reports whether the wait stays awake. If not, the next wait may ask less.
func (l *linger) on() bool {
	s := l.r.sys
	if !s.spin || l.spent {
		return false
	}
	if l.looks++; l.looks%lingerRound == 1 {
		now, slot := atomics.Now(), l.r.Slot()
		if l.since == 0 {
			l.since = now
		}
		took := now - l.since
		switch {
		case s.kern.HasOther(slot), took > ownWork && s.kern.HasOwn(slot):
			l.spent = true
			return false
		case took <= handOver:
		case took > fullLinger-l.lost || !s.kern.OthersWork(slot):
			l.lost = min(l.lost+(fullLinger-l.lost)/4, fullLinger-handOver)
			l.spent = true
			return false
		}
		if l.looks%yieldRound == 1 && l.looks > 1 && l.r.wantsOff() {
			l.spent = true
			return false
		}
	}
	atomics.Pause(30)
	return true
}

// paid says that what the wait was for has come while it was awake.
func (l *linger) paid() {
	if l.since != 0 && l.lost > 0 && atomics.Now()-l.since > handOver {
		l.lost = max(0, 2*l.lost-fullLinger)
	}
}
