package kernel

import "github.com/heddle-go/heddle/taskgraph/internal/entry"

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
	m, ok := d.Pop() // if that is the fork, nobody else knows of it
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
