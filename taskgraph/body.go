package taskgraph

import "github.com/heddle-go/heddle/graphevent"

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

// drop is called instead of call if the task does not run.
func (b Body) drop() {
	switch f := b.f.(type) {
	case *Graph:
		f.running.Store(false)
	case *Participant:
		f.late()
	case *loop:
		f.abandon()
	}
}

// givenUp returns what the task fails with if a shutdown gives up and the body is not called.
func (b Body) givenUp() error {
	if _, ok := b.f.(*periodic); ok {
		return nil
	}
	return graphevent.ErrClosed
}

func (b Body) call(c *Context) error {
	switch f := b.f.(type) {
	case func():
		f()
		return nil
	case func() error:
		return f()
	case func(*Context) error:
		return f(c)
	case *Participant:
		return f.help(c)
	case *Graph:
		return f.start(c)
	case *Loop:
		return c.r.sys.loop(c, f, c.origin(f))
	case *plainLoop:
		return c.r.sys.parallelFor(c, f.n, f.grain, f.body, c.origin(f))
	case *loop:
		return f.goOn(c)
	case Job:
		return f.Run(c)
	}
	panic("taskgraph: task with a zero Body")
}
