package taskgraph

// ParallelFor returns the body that calls [Context.ParallelFor] with the same arguments: a loop as a task of its
// own, or of a graph. It fails as that does. It panics if n or grain is negative or body is nil.
//
// What a range makes ready, a task that it launches, say, runs next on the worker that ran the range,
// and then the loop goes on there. So a task that depends on one element does not wait for the others.
// In a loop that a body calls this holds for the helpers, and not for the caller.
//
// For a number of elements that is not known before the task runs see [RunLoop].
func ParallelFor(n, grain int, body func(lo, hi int)) Body {
	mustLoop(n, grain, body)
	return Body{&plainLoop{n, grain, body}}
}

// RunLoop returns the body that calls [Context.RunLoop] with what l says by then: what comes before the
// task may set N. It fails as that does. It panics if l is nil; what is not valid in *l fails the task.
func RunLoop(l *Loop) Body {
	if l == nil {
		panic("taskgraph: RunLoop of a nil Loop")
	}
	return Body{l}
}

// A plainLoop is the body that [ParallelFor] makes.
type plainLoop struct {
	n, grain int
	body     func(lo, hi int)
}
