package kernel

import (
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/taskgraph/internal/entry"
)

// A Join is the state of a forked call, for which the body that forked it waits. Whoever pops the
// entry takes the call, unless the body takes it early: then the entry remains, and the place of
// the call is free only when the body and the popper have let go of it. While the body pops its own
// entries off its own deque, nothing here is written.
type Join struct {
	state atomics.Uint32
}

const (
	joinTaken   uint32 = 1 << iota // by whoever popped the entry, or early
	joinEarly                      // by the body, which has not popped the entry
	joinDone                       // another has taken and run it; its results may be read
	joinWaiting                    // the body waits
	joinLeft                       // early: the first of body and popper has let go of it
)

// Take is for whoever popped the entry, unless that is the body itself. If run, its caller runs the
// call and then calls Done. Otherwise the call was taken early, and free says that the caller of
// Take must free the place.
func (j *Join) Take() (run, free bool) {
	if j.state.CompareAndSwap(0, joinTaken) { // J2, LP(Take)
		return true, false
	}
	return false, j.letGo()
}

// TakeEarly is for the body. If it returns true, the body runs the call and then calls Leave.
func (j *Join) TakeEarly() bool {
	return j.state.CompareAndSwap(0, joinTaken|joinEarly) // J3, LP(TakeEarly)
}

// Leave ends what TakeEarly began, and reports whether the body must free the place.
func (j *Join) Leave() (free bool) { return j.letGo() }

func (j *Join) letGo() (last bool) { return j.state.Or(joinLeft)&joinLeft != 0 } // J4

// Done says that the call was run, and reports whether the body waits and must be told. Afterwards
// the place belongs to the body.
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

// Enough returns the number that EnoughForks was given. After each question of the watch it is more
// than a deque ever holds: so the holder finds too few forks and calls EnoughForks, and the
// question costs it nothing else.
func (s *Slot) Enough() int { return int(s.enough.Load()) }

// EnoughForks says how many entries are enough in the deque of forks, and answers the watch. The
// holder of s calls it at first, and whenever there are fewer than Enough.
func (k *Kernel) EnoughForks(s *Slot, n int) {
	if s.enough.Load() != int32(n) {
		s.enough.Store(int32(n)) // W3: before the hints are read, so that no question is lost
	}
	k.ForksGoOn(s)
}

// ForksGoOn gives the watch a sign of life of the holder of s, whose body forks or waits for a
// fork: if its deques hold only forks, these make progress. The body is not at a task boundary, so
// this says nothing about other work.
func (k *Kernel) ForksGoOn(s *Slot) {
	if (k.hints.Load()^s.seenAll)&hintProbe != 0 {
		k.forksGoOn(s)
	}
}

// mostForks is how many entries forksGoOn looks at; a deque holds fewer forks than that.
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

// forkDeque returns which deque holds the forks of a task of level l, and the level of that deque.
func (s *Slot) forkDeque(l Level) (i int, as Level) {
	if l.IsBackground() && s.background {
		return 1, BackgroundNormal
	}
	return 0, Normal
}
