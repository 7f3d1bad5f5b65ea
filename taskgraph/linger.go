package taskgraph

import "github.com/heddle-go/heddle/internal/spin"

// A wait in a body spins for a while before it gives its slot away, in nanoseconds.
const (
	// handOver is about how long it takes to give a slot away and to get one back: two wakes
	// through the kernel. So long a wait spins though no other slot is at work.
	handOver = 100_000

	// fullLinger is what the same costs while another slot is at work. A thread that is woken may
	// stand behind its waker on one processor, with another one idle, until the kernel's next tick:
	// a few milliseconds.
	fullLinger = 1_000_000

	// ownWork is how long the holder's own tasks, which nobody steals, lie there meanwhile.
	ownWork = 20_000
)

// A linger is how the waits in bodies of a runner spin, or that of a caller: until what they wait
// for is complete, and unless the slot is asked for.
type linger struct {
	spin.Wait
	r      *runner
	budget spin.Budget
}

func (r *runner) initLinger() {
	l := &r.linger
	l.r, l.Budget = r, &l.budget
	l.budget.Init(fullLinger, handOver)
}

// on pauses, and reports whether the wait spins on. If not, the next wait may ask less.
func (l *linger) on() bool {
	s := l.r.sys
	if !s.spin || l.IsOver() {
		return false
	}
	if !l.Look() {
		return true
	}
	slot, took := l.r.Slot(), l.Took()
	switch {
	case l.IsWanted(), s.kern.HasOther(slot), took > ownWork && s.kern.HasOwn(slot):
		l.Stop(false)
	case took > handOver && (l.IsSpent() || !s.kern.OthersWork(slot)):
		l.Stop(true)
	}
	return !l.IsOver()
}
