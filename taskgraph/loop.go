package taskgraph

import "errors"

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
	must(l.Limit >= 0, "a loop with a negative Limit")
	must(l.Site == nil || isSite(l.Site), "a loop whose Site is neither a function nor a *LoopSite")
}

// ParallelFor calls body for disjoint ranges [lo, hi) that together cover [0, n), in parallel, and
// returns when all calls have returned. The calls synchronize before the return. A range has grain
// elements; the last one may have fewer. If grain is 0, the system chooses the ranges. The caller
// takes part and begins alone. A loop that would end before help arrives is not shared, so a call
// must not wait for another call.
//
// If a call panics or ends its goroutine, no further range is begun and ParallelFor returns the
// failure. A Goexit on the caller's own goroutine ends that goroutine. After a shutdown the caller
// runs all ranges. ParallelFor allocates nothing once the system has had as many loops at once,
// unless body is a closure made for the call.
func (s *System) ParallelFor(n, grain int, body func(lo, hi int)) error {
	return s.parallelFor(nil, n, grain, body, nil)
}

// ParallelFor is [System.ParallelFor] in a body: the helpers have the priority and the context of
// its task. When that context ends no further range begins, and if one was left out the error is
// graphevent.ErrCanceled with the cause. A loop inside is started by the System or a [Participant].
func (c *Context) ParallelFor(n, grain int, body func(lo, hi int)) error {
	return c.r.sys.parallelFor(c, n, grain, body, nil)
}

// RunLoop runs a loop and returns when all calls of its body have: nil, or why the loop ended
// early, the first failure of several in time. For the rest it is [System.ParallelFor]. It panics
// if l is not valid.
func (s *System) RunLoop(l Loop) error { return s.loop(nil, &l, nil) }

// RunLoop is [System.RunLoop] in a body, as [Context.ParallelFor] is.
func (c *Context) RunLoop(l Loop) error { return c.r.sys.loop(c, &l, nil) }

// ParallelFor returns the body that calls [Context.ParallelFor] with the same arguments, and fails
// as that does. It panics at once where that would. For a number of elements that is known only
// when the task runs see [RunLoop].
//
// What a range makes ready, a task that it launches, say, runs next on the worker that ran the
// range, and then the loop goes on there: so it does not wait for the other ranges. In a loop that
// a body calls this holds for the helpers, and not for the caller.
func ParallelFor(n, grain int, body func(lo, hi int)) Body {
	mustLoop("ParallelFor", n, grain, body == nil)
	return Body{&plainLoop{n, grain, body}}
}

// RunLoop returns the body that calls [Context.RunLoop] with what l says by then, and fails as that
// does: what comes before the task may set N. What is not valid in *l then fails the task.
func RunLoop(l *Loop) Body {
	must(l != nil, "RunLoop of a nil Loop")
	return Body{l}
}

// A plainLoop is the body that [ParallelFor] makes.
type plainLoop struct {
	n, grain int
	body     func(lo, hi int)
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
