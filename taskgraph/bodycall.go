package taskgraph

import (
	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/taskgraph/internal/flight"
)

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

// bodyName returns the name in words of what a task runs, or "" if it has none.
func bodyName(f any) string {
	switch f.(type) {
	case *loop:
		return "a loop"
	case *Graph:
		return "a graph"
	}
	return nameOfBody(f).String()
}

// nameOfBody returns what a recorder calls f, a task's body or a function that a body calls.
func nameOfBody(f any) flight.Name {
	switch f := f.(type) {
	case func(), func() error, func(*Context) error, func(lo, hi int),
		func(*Participant, int, int) error, func(*Context, *Args):
		return flight.NameOf(f, true)
	case *plainLoop:
		return flight.NameOf(f.body, true)
	case *Loop:
		return flight.NameOf(f.Body, true)
	case *choosing:
		return nameOfBody(f.body.f)
	case *periodic:
		return nameOfBody(f.body.f)
	case *Participant, *loop:
		return 0 // which loop it is for is known when it has joined: see Participant.call
	}
	return flight.NameOf(f, false)
}
