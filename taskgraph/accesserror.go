package taskgraph

import (
	"fmt"
	"reflect"
)

// An AccessError says that a task of a graph declares one thing twice: see [GraphTask.Reads].
type AccessError struct {
	Task          string // its name, or its number
	Thing         any    // what it declares twice
	Reads, Writes bool   // how it does; both: once each
}

// Error names the task and the thing.
func (e *AccessError) Error() string {
	thing := nameOfThing(e.Thing)
	switch {
	case !e.Writes:
		return fmt.Sprintf("taskgraph: %s reads %s twice", e.Task, thing)
	case !e.Reads:
		return fmt.Sprintf("taskgraph: %s writes %s twice", e.Task, thing)
	}
	return fmt.Sprintf("taskgraph: %s both reads and writes %s; Writes alone says both", e.Task, thing)
}

// nameOfThing describes what a task reads or writes, without dereferencing pointers.
func nameOfThing(thing any) string {
	switch v := thing.(type) {
	case string:
		return fmt.Sprintf("%q", v)
	case reflect.Type:
		return v.String()
	}
	switch reflect.TypeOf(thing).Kind() {
	case reflect.Pointer, reflect.Chan, reflect.UnsafePointer:
		return fmt.Sprintf("the %T at %p", thing, thing)
	}
	return fmt.Sprintf("%T(%v)", thing, thing)
}
