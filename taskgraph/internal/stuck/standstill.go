package stuck

// A Standstill measures for how long something has stood still. It belongs to one goroutine.
type Standstill[T comparable] struct {
	Most int64 // what the time between two looks counts for at most, or 0: all of it counts

	begun  bool
	of     T
	looked int64
	age    int64
}

// Look says whether it stands still at a moment, and in which state. It returns for how long the
// looks have found that, of the same state each time; and whether this look has not, or is the
// first one of a state.
func (s *Standstill[T]) Look(now int64, still bool, of T) (age int64, moved bool) {
	passed := now - s.looked
	if s.Most != 0 {
		passed = min(passed, s.Most)
	}
	s.looked = now
	if !s.begun || !still || of != s.of {
		s.begun, s.of, s.age = true, of, 0
		return 0, true
	}
	s.age += passed
	return s.age, false
}
