package kernel

import (
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/taskgraph/internal/entry"
)

// A Join is the state of a forked call: one that the body which made it waits for. It is taken by
// whoever pops its entry, or by that body before: then the entry remains, and the place of
// the call is free only when both have let go of it. As long as the body takes its own entry off
// its own deque, nothing here is written.
type Join struct {
	state atomics.Uint32
}

const (
	joinTaken   uint32 = 1 << iota // by one who popped the entry, or early
	joinEarly                      // by the body, which has not popped the entry
	joinDone                       // taken and run by another; what it left may be read
	joinWaiting                    // the body waits
	joinLeft                       // early: the first of body and popper has let go of it
)

// Take is for whoever popped the entry, unless that is the body itself. Run says that the call
// is the caller's to run, and Done is to follow; else it was taken early, and free says that the
// place is the caller's to free.
func (j *Join) Take() (run, free bool) {
	if j.state.CompareAndSwap(0, joinTaken) { // J2, LP(Take)
		return true, false
	}
	return false, j.letGo()
}

// TakeEarly is for the body. If it returns true the call is the body's to run, and Leave is to
// follow.
func (j *Join) TakeEarly() bool {
	return j.state.CompareAndSwap(0, joinTaken|joinEarly) // J3, LP(TakeEarly)
}

// Leave ends what TakeEarly began, and reports whether the place is the body's to free.
func (j *Join) Leave() (free bool) { return j.letGo() }

func (j *Join) letGo() (last bool) { return j.state.Or(joinLeft)&joinLeft != 0 } // J4

// Done says that the call was run, and reports whether the body waits and must be told. After it
// the place is the body's.
func (j *Join) Done() (waiting bool) { return j.state.Or(joinDone)&joinWaiting != 0 } // J5

// IsDone reports whether Done was called.
func (j *Join) IsDone() bool { return j.state.Load()&joinDone != 0 }

// IsTaken reports whether somebody has taken the call.
func (j *Join) IsTaken() bool { return j.state.Load()&joinTaken != 0 }

// IsEarly reports whether the body has taken the call early.
func (j *Join) IsEarly() bool { return j.state.Load()&joinEarly != 0 }

// Await announces that the body waits, and reports whether it need not, because Done was called.
func (j *Join) Await() (done bool) { return j.state.Or(joinWaiting)&joinDone != 0 } // J6

// Reset makes the place ready for another call. It is for whoever frees it.
func (j *Join) Reset() {
	if j.state.Load() != 0 {
		j.state.Store(0)
	}
}

// Forks returns how many entries lie where the holder of s queues the forks of a task of level l.
func (s *Slot) Forks(l Level) int {
	i, _ := s.forkDeque(l)
	return s.deques[i].Len()
}

// PushFork queues the fork n for the holder of s, and wakes a worker for it.
func (k *Kernel) PushFork(s *Slot, l Level, n uint32) {
	i, l := s.forkDeque(l)
	d := &s.deques[i]
	k.ForksGoOn(s)
	d.Push(entry.Of(entry.Fork, n))
	k.wakeFor(s, d, l)
}

// PopFork takes the fork n off the holder's own deque if it is what was pushed there last.
func (k *Kernel) PopFork(s *Slot, l Level, n uint32) bool {
	i, l := s.forkDeque(l)
	d := &s.deques[i]
	k.ForksGoOn(s)
	m, ok := d.Pop() // J1
	if !ok {
		return k.sim != nil && k.sim.take(entry.Of(entry.Fork, n))
	}
	if m == entry.Of(entry.Fork, n) {
		return true
	}
	d.Push(m)
	k.Wake(l) // A5
	return false
}

// Enough returns what EnoughForks has said. Once for each question of the watch it is more than ever lie there, so that a
// holder who finds too few comes to EnoughForks, and otherwise pays nothing for the question.
func (s *Slot) Enough() int { return int(s.enough.Load()) }

// EnoughForks says how many entries are enough where forks lie, and answers the watch. It is for the holder of s, at first and
// when there were fewer than Enough.
func (k *Kernel) EnoughForks(s *Slot, n int) {
	if s.enough.Load() != int32(n) {
		s.enough.Store(int32(n)) // W3: before the look, so that no question is lost
	}
	k.ForksGoOn(s)
}

// ForksGoOn gives the watch a sign of life of the holder of s, whose body forks or waits for a fork: what its deques hold
// gets on, if that is forks only. The body is at no task boundary, so it says nothing about other work.
func (k *Kernel) ForksGoOn(s *Slot) {
	if (k.hints.Load()^s.seenAll)&hintProbe != 0 {
		k.forksGoOn(s)
	}
}

// mostForks is how many entries forksGoOn looks at: forks that lie in a deque are fewer.
const mostForks = 1024

//go:noinline
func (k *Kernel) forksGoOn(s *Slot) {
	s.seenAll = k.hints.Load() & hintProbe
	for i := range s.deques {
		d := &s.deques[i]
		if d.Len() > mostForks {
			return
		}
		for n := range d.All() {
			if n.Kind() != entry.Fork {
				return
			}
		}
	}
	s.forked.Store(s.seenAll)
}

// forkDeque returns which deque holds the forks of a task of level l, and the level at which they
// are looked for there.
func (s *Slot) forkDeque(l Level) (i int, as Level) {
	if l.IsBackground() && s.background {
		return 1, BackgroundNormal
	}
	return 0, Normal
}
