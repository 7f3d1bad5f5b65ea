package taskgraph

import "github.com/heddle-go/heddle/taskgraph/internal/loopcost"

// runLoop runs l, whose body is plain if that is not nil, for the body of c or, if c is nil, for
// somebody else. What an element costs is kept at a place. If the loop is all of a task's body,
// origin is what the task holds of it.
func (s *System) runLoop(c *Context, l *Loop, plain func(lo, hi int), at loopcost.Place,
	origin any) error {
	run := s.newLoop(c, l, plain)
	run.origin = origin
	return run.lead(c, l, at)
}

// newLoop returns a loop for the caller alone.
func (s *System) newLoop(c *Context, spec *Loop, plain func(lo, hi int)) *loop {
	l := s.takeLoop(c, spec)
	l.shared = false
	l.plain, l.body = plain, spec.Body
	l.n, l.grain = spec.N, spec.Grain
	if spec.Unbalanced && l.grain == 0 {
		l.grain = 1
	}
	l.units = uint64(l.n)
	if l.grain > 0 && l.n > 0 {
		l.units = uint64((l.n-1)/l.grain) + 1
	}
	l.prio = PriorityNormal
	if c != nil {
		l.prio = c.prio
	}
	if l.yields = spec.Background; l.yields {
		l.prio = PriorityBackgroundNormal
	}
	l.cancels = c != nil && c.ctx != nil
	l.limit = 1
	if !spec.Serial && l.units > 1 && spec.Limit != 1 {
		l.limit = s.participants(c, spec)
	}
	if uint64(l.limit) > l.units {
		l.limit = max(int(l.units), 1)
	}
	if len(l.participants) < l.limit {
		n := 1
		if l.limit > 1 {
			n = s.LoopLimit() // or each longer loop that takes this memory again would make more
		}
		l.participants = make([]seat, n)
		for i := range l.participants {
			l.participants[i].l, l.participants[i].index = l, i
		}
	}
	l.participants[0].c = c
	return l
}

// takeLoop returns a loop that nobody uses. A helper may stay with a common loop, see mayStay; the
// others are kept apart.
func (s *System) takeLoop(c *Context, spec *Loop) *loop {
	free := &s.freeLoops
	if spec.Background || c != nil && (c.prio != PriorityNormal || c.ctx != nil) {
		free = &s.otherLoops
	}
	if l, ok := free.Pop(); ok {
		return l
	}
	l := &loop{sys: s}
	l.left.Init(s.mode)
	l.left.TakeTurns(s.turns)
	return l
}
