package taskgraph

import "github.com/heddle-go/heddle/taskgraph/internal/kernel"

// Stats is a snapshot of what a system counted since its start. Workers report when they run out of
// work, so the figures lag behind while they are busy. Calls of a [Group] that lie together count
// as one in Live and Steals.
type Stats struct {
	Launched     uint64   // tasks launched from inside bodies
	Completed    uint64   // tasks completed, in whatever way
	Live         int64    // tasks incomplete, those being built included
	Steals       uint64   // tasks that a worker took from another
	KernelWakes  uint64   // sleeping workers woken by a call to the kernel
	DrowseWakes  uint64   // drowsing workers woken without one
	Sleeps       uint64   // times that a worker went to sleep
	Parks        uint64   // waits in bodies that gave their worker away
	Replacements uint64   // runners that took over a worker for one that waits or blocks
	Spares       uint64   // most workers added at a time for bodies that block unseen
	Blocking     int64    // bodies inside Context.Blocking whose workers are stood in for
	Overflowed   uint64   // calls of Context.Blocking beyond Options.MaxBlocking
	Ran          []uint64 // bodies run by each worker, by number

	// Queued is how many tasks wait for a worker at about the moment of the call, by their
	// [Priority]. Calls of a Group, forks and what is to help with a loop count among those of
	// PriorityNormal, and what a wait has run before its turn counts until its turn comes.
	Queued [5]int
	Active int // workers that run something then, or look for it
}

// Stats returns what was counted so far.
func (s *System) Stats() Stats {
	k := s.kern.Stats()
	st := Stats{
		Launched:     s.launches.Load(),
		Completed:    s.completed.Load(),
		Live:         max(0, s.door.Live()), // completion may be reported before launch
		Steals:       k.Steals,
		KernelWakes:  k.KernelWakes,
		DrowseWakes:  k.DrowseWakes,
		Sleeps:       k.Sleeps,
		Parks:        k.RunnerParks,
		Replacements: k.Replacements,
		Spares:       k.Spares,
		Blocking:     int64(s.blocking.Len()),
		Overflowed:   s.blockedOver.Load(),
		Active:       k.Active,
	}
	for l, n := range k.Queued {
		st.Queued[priorityOf(kernel.Level(l))] = n
	}
	for _, slot := range s.kern.AllSlots() {
		st.Ran = append(st.Ran, ownerOf(slot).total.Load())
	}
	return st
}
