package taskgraph

import "errors"

// ErrStopLoop is returned by the body of a [Loop] to end the loop early without a failure: ranges that have not
// begun are left out, and the loop returns nil. A panic with it is a failure like any other.
var ErrStopLoop = errors.New("taskgraph: stop the loop")

// A Loop says what a parallel loop does and how, for those that [System.ParallelFor] is too plain for: they can fail, know who takes
// part, or say how they are to run. The zero value of each field but Body is usable.
//
// A Loop is a value; one may be used for any number of calls, also at the same time.
type Loop struct {
	// N is the number of elements, which are numbered from 0. With none the body is not called,
	// but PreWork is.
	N int

	// Grain is how many elements a range has, the last one perhaps fewer. 0 lets the loop choose,
	// from what elements have cost so far, and differently for each range.
	Grain int

	// Unbalanced says that the cost of an element tells nothing about that of the others: nothing
	// is estimated, helpers are launched at once, and a range has one element if Grain is 0. It is
	// also for bodies that block.
	Unbalanced bool

	// Serial runs the loop on the caller alone, in order.
	Serial bool

	// Background gives the helpers PriorityBackgroundNormal, and makes them stand back from
	// time to time. Without it they have the priority of the running task, or PriorityNormal.
	Background bool

	// Limit, if not 0, is how many participants there may be, the caller included.
	Limit int

	// PreWork, if not nil, is called by the caller before its own first range, and after the first helper has
	// been launched, unless the loop is known to be too short for one; with Unbalanced in any case. It is
	// called once, also if there is no element.
	PreWork func()

	// Body is called for disjoint ranges [lo, hi) that together cover the elements. An error ends
	// the loop early, see [ErrStopLoop] as well.
	Body func(p *Participant, lo, hi int) error

	// Site is where the cost of an element is remembered, if that is not the code of Body: a
	// function, for a Body that only wraps it, or a *[LoopSite], for a Body that serves several purposes.
	Site any
}

// validate panics if l cannot be run.
func (l *Loop) validate() {
	switch {
	case l.N < 0:
		panic("taskgraph: a loop over a negative number of elements")
	case l.Grain < 0:
		panic("taskgraph: a loop with a negative Grain")
	case l.Limit < 0:
		panic("taskgraph: a loop with a negative Limit")
	case l.Body == nil:
		panic("taskgraph: a loop without a Body")
	case l.Site != nil && !isSite(l.Site):
		panic("taskgraph: a loop whose Site is neither a function nor a *LoopSite")
	}
}

// ParallelFor calls body for disjoint ranges [lo, hi) that together cover [0, n), in
// parallel, and returns when all calls have. The calling goroutine takes part, and begins alone: a loop that
// takes less time than others need to come is not shared. So a call must not wait for another one;
// for that, and for more than this, see [System.RunLoop].
//
// A range has grain elements, the last one perhaps fewer; with grain 0 ranges are chosen.
// If a call panics or ends its goroutine, no further range is begun and the failure is returned: a
// *graphevent.PanicError, or graphevent.ErrGoexit if it was not the caller's goroutine. It
// panics if n or grain is negative. After a shutdown the caller does it all.
//
// The calls synchronize before the return. Nothing is allocated, once the system has had as many loops at
// a time, those included that a late helper has not let go of, if body is not a closure made for the call.
func (s *System) ParallelFor(n, grain int, body func(lo, hi int)) error {
	return s.parallelFor(nil, n, grain, body)
}

// ParallelFor is like [System.ParallelFor]; the helpers have the priority and the context of the running
// task. When that context ends no further range is begun, and if one was left out the error is
// graphevent.ErrCanceled with the cause; graphevent.ErrClosed when the system gives up. Like all
// methods of c it is for the goroutine of c's body: a loop inside this one is started by the
// System, or by a [Participant].
func (c *Context) ParallelFor(n, grain int, body func(lo, hi int)) error {
	return c.r.sys.parallelFor(c, n, grain, body)
}

// RunLoop runs a loop and returns when all calls of its body have: nil, or why the loop ended early, the first
// failure of several in time. It is [System.ParallelFor] with everything that a Loop can say.
// It panics if l is not valid.
func (s *System) RunLoop(l Loop) error { return s.loop(nil, &l) }

// RunLoop is like [System.RunLoop], with what [Context.ParallelFor] says of the helpers and of cancellation.
func (c *Context) RunLoop(l Loop) error { return c.r.sys.loop(c, &l) }

// LoopLimit returns how many participants a loop of the system has at most.
func (s *System) LoopLimit() int { return s.opts.Workers + 1 }
