package taskgraph

import (
	"fmt"
	"reflect"
)

// accessError says that a task of a graph, of a name or a number, declares a thing twice, and how.
func accessError(task string, thing any, reads, writes bool) error {
	name := nameOfThing(thing)
	switch {
	case !writes:
		return fmt.Errorf("taskgraph: %s reads %s twice", task, name)
	case !reads:
		return fmt.Errorf("taskgraph: %s writes %s twice", task, name)
	}
	return fmt.Errorf("taskgraph: %s both reads and writes %s; Writes alone says both", task, name)
}

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
