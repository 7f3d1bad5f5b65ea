package taskgraph

import (
	"context"
	"errors"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/cacheline"
	"github.com/heddle-go/heddle/internal/park"
	"github.com/heddle-go/heddle/lockfree"
	"github.com/heddle-go/heddle/taskgraph/internal/crew"
)

// A loop is a loop that is under way. Its memory is used again when the last helper that was
// launched for it has dropped its reference. Late helpers touch nothing but its crew. loop.md has
// the protocol.
type loop struct {
	sys   *System
	home  *lockfree.Stack[*loop] // where its memory lies in between, see takeLoop
	plain func(lo, hi int)       // the body, or
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

	stayed int64 // when the helper that has detached began to stay, or 0

	launched atomics.Int32 // helpers
	cut      atomics.Bool  // ended early
	failed   atomics.Pointer[error]

	done [1]Event    // triggered by the last helper to leave; set before the caller waits
	left park.Parker // unparked after done: a shutdown may complete done, but not the loop

	crew         crew.Crew
	participants []seat
}

// A seat is a participant on cache lines of its own.
type seat struct {
	Participant
	helper Event // the task of the participant, written by its launcher; unset if the loop yields
	_      cacheline.Pad
}

// free gives back the memory of a loop to which nobody refers.
func (l *loop) free() {
	l.plain, l.body, l.origin = nil, nil, nil
	l.participants[0].c = nil
	if l.cut.Load() {
		l.cut.Store(false)
		l.failed.Store(nil)
	}
	l.home.Push(l)
}

// fail ends the loop early. Only the first failure counts.
func (l *loop) fail(err error) {
	if !stopsLoop(err) {
		l.failed.CompareAndSwap(nil, &err)
	}
	l.cut.Store(true)
	l.crew.Cut(l.units)
}

// stopsLoop reports whether err is [ErrStopLoop], and not a panic with that.
func stopsLoop(err error) bool {
	if !errors.Is(err, ErrStopLoop) {
		return false
	}
	var panicked *graphevent.PanicError
	return !errors.As(err, &panicked)
}

// isCommon reports whether a helper of another common loop may also run this one.
func (l *loop) isCommon() bool { return l.home == &l.sys.freeLoops }

// code is the body of l, for its name.
func (l *loop) code() any {
	if l.plain != nil {
		return l.plain
	}
	return l.body
}

// take takes the next units for a participant: LO5.
func (l *loop) take() (from, to uint64, ok bool) {
	if l.grain == 0 {
		from, to, ok = l.crew.TakeMany(l.units, l.parts, l.least)
	} else {
		from, ok = l.crew.Take(l.units)
		to = from + 1
	}
	l.sys.turns.Yield()
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
