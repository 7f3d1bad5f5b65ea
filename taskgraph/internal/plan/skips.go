package plan

import "github.com/heddle-go/heddle/internal/atomics"

// Skips are the tasks of a run that are skipped because one before them has failed. The zero Skips
// is for no tasks. Any goroutine may call Mark, Any and Has during a run, and the others only
// between two runs.
type Skips struct {
	any   atomics.Bool
	marks []atomics.Uint32 // a bit for each task
}

// Use makes s ready for n tasks. If old is not nil, it uses the memory of that.
func (s *Skips) Use(n int, old *Skips) {
	if old != nil {
		s.marks = old.marks
		clear(s.marks)
	}
	if words := (n + 31) / 32; words > cap(s.marks) {
		s.marks = make([]atomics.Uint32, words)
	} else {
		s.marks = s.marks[:words]
	}
}

// Mark marks the dependents of i, which has failed, before p is told that i has ended.
func (s *Skips) Mark(p *Plan, i uint32) {
	var only [1]Edge
	edges := p.Dependents(i, &only)
	if len(edges) == 0 {
		return
	}
	s.any.Store(true)
	for _, e := range edges {
		t := e.To()
		s.marks[t/32].Or(1 << (t % 32))
	}
}

// Any reports whether tasks are marked.
func (s *Skips) Any() bool { return s.any.Load() }

// Has reports whether i, all of whose predecessors have ended, is marked.
func (s *Skips) Has(i uint32) bool { return s.marks[i/32].Load()&(1<<(i%32)) != 0 }

// Clear takes all marks off.
func (s *Skips) Clear() {
	s.any.Store(false)
	for i := range s.marks {
		s.marks[i].Store(0)
	}
}
