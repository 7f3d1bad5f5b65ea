package taskgraph

import (
	"runtime"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/park"
)

// outsiders is for how long goroutines from outside look whether a wait is over before they sleep. As with a
// worker that drowses, looking in vain makes it shorter, down to a sixteenth, and success longer. A sleep that
// more patience would have spared restores all of it: each further one would cost as much. Between looks they leave their
// processor to others as often as a drowser does: it may be the one that a worker needs.
type outsiders struct {
	lost atomics.Int64 // of fullPatience, in nanoseconds
}

const (
	fullPatience = 200_000
	patientRound = 2 // looks between two yields: two microseconds

	// wakeTakes is about how long a sleeper takes to come, at most: what it sleeps beyond the end of its wait.
	wakeTakes = 100_000
)

// lingerOutside reports whether the events completed meanwhile. If not, since is when it began to look, or 0 if it
// did not, because there is but one processor, or nobody is to stay awake.
func (s *System) lingerOutside(events []Event) (done bool, since int64) {
	if s.turns != nil || s.mode != park.OS || s.opts.Idle == IdleSleep || runtime.GOMAXPROCS(0) == 1 {
		return false, 0
	}
	p := &s.outsiders
	patience := fullPatience - p.lost.Load()
	begin := atomics.Now()
	for took := int64(0); took < patience; took = atomics.Now() - begin {
		if drowse(patientRound, events) {
			p.lengthen()
			return true, 0
		}
		atomics.Gosched()
	}
	lost := fullPatience - patience
	p.lost.Store(min(lost+patience/4, fullPatience*15/16))
	return false, begin
}

// slept says how long a wait took that lingerOutside did not see the end of.
func (p *outsiders) slept(took int64) {
	if took <= fullPatience+wakeTakes {
		p.lost.Store(0)
	}
}

// lengthen doubles the patience, up to the full one.
func (p *outsiders) lengthen() {
	if lost := p.lost.Load(); lost > 0 {
		p.lost.Store(max(0, 2*lost-fullPatience))
	}
}
