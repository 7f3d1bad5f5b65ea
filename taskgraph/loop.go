package taskgraph

import (
	"errors"

	"github.com/heddle-go/heddle/graphevent"
)

// ErrStopLoop is returned by the body of a [Loop] to end the loop early without a failure: ranges
// that have not begun are left out. A panic with it is a failure like any other.
var ErrStopLoop = errors.New("taskgraph: stop the loop")

// A Loop says what a parallel loop does and how, for those that [System.ParallelFor] is too plain
// for. Only Body is required. One may be used for any number of calls, also at the same time.
type Loop struct {
	N int // the number of elements, which are numbered from 0

	// Grain is how many elements a range has, the last one perhaps fewer. With 0 the loop chooses,
	// from what elements have cost so far, and differently for each range.
	Grain int

	// Unbalanced says that the cost of an element tells nothing about that of the others: helpers
	// are launched at once, and a range has one element if Grain is 0. It is also for bodies that
	// block.
	Unbalanced bool

	// Serial runs the loop on the caller alone, in order.
	Serial bool

	// Background gives the helpers PriorityBackgroundNormal, and makes them stand back from time to
	// time. Without it they have the priority of the running task, or PriorityNormal.
	Background bool

	Limit int // if not 0, how many participants there may be, the caller included

	// PreWork, if not nil, is called once by the caller before its own first range, also if there
	// is no element. If the loop is worth a helper, or Unbalanced, one has been launched by then.
	PreWork func()

	// Body is called for disjoint ranges [lo, hi) that together cover the elements. An error ends
	// the loop early, see [ErrStopLoop] as well.
	Body func(p *Participant, lo, hi int) error

	// Site is where the cost of an element is remembered, if that is not the code of Body: a
	// function, for a Body that only wraps it, or a *[LoopSite].
	Site any
}

func (l *Loop) validate() {
	mustLoop("a loop", l.N, l.Grain, l.Body == nil)
	switch {
	case l.Limit < 0:
		panic("taskgraph: a loop with a negative Limit")
	case l.Site != nil && !isSite(l.Site):
		panic("taskgraph: a loop whose Site is neither a function nor a *LoopSite")
	}
}

// LoopLimit returns how many participants a loop of the system has at most.
func (s *System) LoopLimit() int { return s.opts.Workers + 1 }

func mustLoop(what string, n, grain int, bare bool) {
	switch {
	case n < 0:
		panic("taskgraph: " + what + " over a negative number of elements")
	case grain < 0:
		panic("taskgraph: " + what + " with a negative grain")
	case bare:
		panic("taskgraph: " + what + " without a body")
	}
}

// stopsLoop reports whether err is [ErrStopLoop], and not a panic with that.
func stopsLoop(err error) bool {
	if !errors.Is(err, ErrStopLoop) {
		return false
	}
	var panicked *graphevent.PanicError
	return !errors.As(err, &panicked)
}
