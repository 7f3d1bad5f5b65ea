package taskgraph

// A Body is what a task runs. Make one with [Do], [Try], [Run], [RunJob], [RunLoop] or
// [ParallelFor]; only the last allocates.
type Body struct {
	f any // func(), func() error, func(*Context) error, Job, or another type that call knows
}

// Do returns the body that calls f.
func Do(f func()) Body {
	if f == nil {
		panic("taskgraph: Do with a nil function")
	}
	return Body{f}
}

// Try returns the body that calls f and fails with its error.
func Try(f func() error) Body {
	if f == nil {
		panic("taskgraph: Try with a nil function")
	}
	return Body{f}
}

// Run returns the body that calls f with the task's Context, and fails with its error.
func Run(f func(*Context) error) Body {
	if f == nil {
		panic("taskgraph: Run with a nil function")
	}
	return Body{f}
}

func (b Body) must() {
	if b.f == nil {
		panicZeroBody()
	}
}

func panicZeroBody() { panic("taskgraph: task with a zero Body") }

// must panics with what is wrong unless ok. It panics itself so that the compiler sees that nothing
// is needed behind: callers keep their values in registers.
func must(ok bool, wrong string) {
	if !ok {
		panic(misuse(wrong))
	}
}

// misuse is apart so that must is inlined.
//
//go:noinline
func misuse(wrong string) any { return "taskgraph: " + wrong }
