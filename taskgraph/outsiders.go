package taskgraph

import (
	"runtime"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/park"
)

// outsiders is for how long goroutines from outside look whether a wait is over before they sleep. As with a
// worker that drowses, looking in vain makes it shorter, down to a sixteenth, and success longer. They look only while
// workers leave them a processor.
type outsiders struct {
	lost atomics.Int64 // of fullPatience, in nanoseconds
}

const (
	fullPatience = 200_000
	patientRound = 32 // looks between two at the clock
)

// lingerOutside reports whether the events completed meanwhile.
func (s *System) lingerOutside(events []Event) bool {
	if s.turns != nil || s.mode != park.OS {
		return false
	}
	procs := runtime.GOMAXPROCS(0)
	p := &s.outsiders
	lost := p.lost.Load()
	begin := atomics.Now()
	for took := int64(0); took < fullPatience-lost; took = atomics.Now() - begin {
		if active, _ := s.kern.Activity(); int(active) >= procs {
			return false
		}
		if drowse(patientRound, events) {
			if lost > 0 {
				p.lost.Store(max(0, 2*lost-fullPatience)) // twice as patient
			}
			return true
		}
		atomics.Gosched()
	}
	p.lost.Store(min(lost+(fullPatience-lost)/4, fullPatience*15/16))
	return false
}
