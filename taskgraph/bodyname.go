package taskgraph

import "github.com/heddle-go/heddle/taskgraph/internal/flight"

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

// nameOfBody returns what a recorder calls f, which is the body of a task or a function that a body
// calls.
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
