package taskgraph

import (
	"context"
	"runtime"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/cacheline"
	"github.com/heddle-go/heddle/internal/park"
	"github.com/heddle-go/heddle/taskgraph/internal/kernel"
	"github.com/heddle-go/heddle/taskgraph/internal/loopcost"
)

// A loop is a loop that is under way. Its memory is used again when the last helper that was
// launched for it has dropped its reference. Late helpers touch nothing but its crew. loop.md has
// the protocol.
type loop struct {
	sys   *System
	plain func(lo, hi int) // the body, or
	body  func(p *Participant, lo, hi int) error
	n     int
	grain int    // 0: ranges are chosen
	units uint64 // ranges of grain elements, or elements
	least uint64 // units in a range that is chosen
	parts uint64

	prio   Priority
	yields bool
	limit  int    // of participants
	run    uint64 // the run of a graph of which the loop is a part, see refOf; or 0
	shared bool   // only for the caller: the crew is open, and may have helpers
	lent   bool   // only for a caller that is a named thread: it has a slot until the end

	origin any    // the body of the caller's task, if that is all of it and may step out; or nil
	did    uint64 // units that the caller ran before the loop was shared

	cancels bool  // it has a context that can end
	stayed  int64 // when the helper that has detached began to stay, or 0

	launched atomics.Int32 // helpers
	cut      atomics.Bool  // ended early
	failed   atomics.Pointer[error]

	done   Event // triggered by the last helper to leave; set before the caller waits
	events [1]Event
	left   park.Parker // unparked after done: a shutdown may complete done, but not the loop

	crew         kernel.Crew
	participants []seat
}

// A seat is a participant on cache lines of its own.
type seat struct {
	Participant
	helper Event // the task of the participant, written by its launcher; unset if the loop yields
	_      cacheline.Pad
}

// runLoop runs l, whose body is plain if that is not nil, for the body of c or, if c is nil, for
// somebody else. What an element costs is kept at a place. If the loop is all of a task's body,
// origin is what the task holds of it.
func (s *System) runLoop(c *Context, l *Loop, plain func(lo, hi int), at loopcost.Place,
	origin any) (err error) {
	run := s.newLoop(c, l, plain)
	run.origin = origin
	out := false
	defer run.endUnless(&out, c, &err)
	out = run.participants[0].lead(c, l, at)
	return nil // see end
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

// participants returns how many participants the loop has at most: the workers, and a caller from
// outside if there is a processor for it.
func (s *System) participants(c *Context, spec *Loop) int {
	limit := s.kern.Workers()
	if (c == nil || !c.r.onSlot()) && (s.turns != nil || limit < runtime.GOMAXPROCS(0)) {
		limit++
	}
	if spec.Limit > 0 {
		limit = min(limit, spec.Limit)
	}
	return limit
}

// free gives back the memory of a loop to which nobody refers.
func (l *loop) free() {
	l.plain, l.body, l.origin = nil, nil, nil
	l.participants[0].c = nil
	if l.cut.Load() {
		l.cut.Store(false)
		l.failed.Store(nil)
	}
	if l.isCommon() {
		l.sys.freeLoops.Push(l)
	} else {
		l.sys.otherLoops.Push(l)
	}
}

// fail ends the loop early. Only the first failure counts.
func (l *loop) fail(err error) {
	if !stopsLoop(err) {
		l.failed.CompareAndSwap(nil, &err)
	}
	l.cut.Store(true)
	l.crew.Cut(l.units)
}

// take takes the next units for a participant: LO5.
func (l *loop) take() (from, to uint64, ok bool) {
	if l.grain == 0 {
		from, to, ok = l.crew.TakeMany(l.units, l.parts, l.least)
	} else {
		from, ok = l.crew.Take(l.units)
		to = from + 1
	}
	l.sys.yield()
	return from, to, ok
}

// stopped returns why the task should do nothing further, or nil.
func (c *Context) stopped() error {
	if c.ctx != nil && c.ctx.Err() != nil {
		return &cancelError{context.Cause(c.ctx)}
	}
	if c.r.sys.abandoned.Load() {
		return graphevent.ErrClosed
	}
	return nil
}
