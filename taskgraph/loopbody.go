package taskgraph

// ParallelFor returns the body that calls [Context.ParallelFor] with the same arguments, and fails
// as that does. It panics at once where that would. For a number of elements that is known only
// when the task runs see [RunLoop].
func ParallelFor(n, grain int, body func(lo, hi int)) Body {
	mustLoop(n, grain, body)
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
