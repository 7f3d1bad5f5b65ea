package modelcheck

import "math/bits"

// An Explorer decides the order of steps, execution after execution. Its methods, but for
// begin and end, run on the threads of the model, under the token: they are hidden from the
// race detector and use no maps, which the runtime would report to it.
type Explorer interface {
	// Name is the explorer's name in reports.
	Name() string

	begin(e *Engine)
	// pick chooses one of the enabled threads; cur is the one that moved last if it is enabled,
	// else -1. The answer -1 abandons the execution: it would repeat others.
	pick(e *Engine, cur int, enabled set) int
	choose(e *Engine, t *thread, n int) int
	did(e *Engine, t *thread, ev event)
	// opEnd notes that the last step of t ends an operation; first: it begins it as well.
	opEnd(e *Engine, t *thread, first bool)
	spawn(e *Engine, parent, child *thread)
	// end prepares the next execution; false: there is none.
	end(e *Engine) bool
}

// An observer is the part of an Explorer that ignores what the steps are.
type observer struct{}

//go:norace
func (observer) did(*Engine, *thread, event) {}

//go:norace
func (observer) opEnd(*Engine, *thread, bool) {}

//go:norace
func (observer) spawn(*Engine, *thread, *thread) {}

// lowest returns the lowest thread of a set.
//
//go:norace
func lowest(s set) int { return bits.TrailingZeros16(s) }

// A Set holds the hashes of schedules, to count those that are distinct.
type Set struct {
	slots []uint64
	n     int
}

// Len returns the number of schedules.
func (s *Set) Len() int { return s.n }

// Add adds a schedule and reports whether it is new.
func (s *Set) Add(schedule []uint16) bool {
	h := uint64(len(schedule)) + 0x9e3779b97f4a7c15
	for _, v := range schedule {
		h = (h ^ uint64(v)) * 0xff51afd7ed558ccd
		h ^= h >> 32
	}
	if h == 0 {
		h = 1
	}
	if 2*s.n >= len(s.slots) {
		old := s.slots
		s.slots = make([]uint64, max(64, 4*len(old)))
		for _, v := range old {
			if v != 0 {
				s.put(v)
			}
		}
	}
	if !s.put(h) {
		return false
	}
	s.n++
	return true
}

func (s *Set) put(h uint64) bool {
	mask := uint64(len(s.slots) - 1)
	for i := h & mask; ; i = (i + 1) & mask {
		switch s.slots[i] {
		case 0:
			s.slots[i] = h
			return true
		case h:
			return false
		}
	}
}
