package plan

import (
	"fmt"
	"reflect"
)

// A Twice says that a task declares one thing twice.
type Twice struct {
	Task          uint32
	Thing         any
	Reads, Writes bool // in which ways; both: once each
}

// Err says the same of a task with a name.
func (t *Twice) Err(task string) error {
	thing := nameOfThing(t.Thing)
	switch {
	case !t.Writes:
		return fmt.Errorf("taskgraph: %s reads %s twice", task, thing)
	case !t.Reads:
		return fmt.Errorf("taskgraph: %s writes %s twice", task, thing)
	}
	return fmt.Errorf("taskgraph: %s both reads and writes %s; Writes alone says both", task, thing)
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

// IsThing reports whether thing == thing does not panic, and thing is not nil. It allocates only
// for arrays and structs.
func IsThing(thing any) bool {
	if thing == nil || !reflect.TypeOf(thing).Comparable() {
		return false
	}
	switch reflect.TypeOf(thing).Kind() {
	case reflect.Struct, reflect.Array:
		return reflect.ValueOf(thing).Comparable()
	}
	return true
}
