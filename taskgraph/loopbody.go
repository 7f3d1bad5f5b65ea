package taskgraph

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
