package taskgraph

import "github.com/heddle-go/heddle/graphevent"

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
