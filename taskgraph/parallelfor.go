package taskgraph

// ParallelFor calls body for disjoint ranges [lo, hi) that together cover [0, n), in parallel, and
// returns when all calls have, which synchronizes. A range has grain elements, the last one perhaps
// fewer; with grain 0 ranges are chosen. The caller takes part and begins alone; a loop that takes
// less time than others need to come is not shared, so a call must not wait for another one.
//
// If a call panics or ends its goroutine, no further range is begun and the failure is returned; a
// Goexit of the caller's own goroutine goes on. After a shutdown the caller does it all. Nothing is
// allocated once the system has had as many loops at a time, if body is not a closure made for the
// call.
func (s *System) ParallelFor(n, grain int, body func(lo, hi int)) error {
	return s.parallelFor(nil, n, grain, body, nil)
}

// ParallelFor is [System.ParallelFor] in a body: the helpers have the priority and the context of
// its task. When that context ends no further range begins, and if one was left out the error is
// graphevent.ErrCanceled with the cause. A loop inside this one is started by the System or by a
// [Participant].
func (c *Context) ParallelFor(n, grain int, body func(lo, hi int)) error {
	return c.r.sys.parallelFor(c, n, grain, body, nil)
}

// RunLoop runs a loop and returns when all calls of its body have: nil, or why the loop ended
// early, the first failure of several in time. For the rest it is [System.ParallelFor]. It panics
// if l is not valid.
func (s *System) RunLoop(l Loop) error { return s.loop(nil, &l, nil) }

// RunLoop is [System.RunLoop] in a body, as [Context.ParallelFor] is.
func (c *Context) RunLoop(l Loop) error { return c.r.sys.loop(c, &l, nil) }
