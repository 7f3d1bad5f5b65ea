package taskgraph

import "reflect"

// Reads declares what the task reads, and Writes what it writes: the graph then has the orders
// that follow. A task that writes a thing runs after all tasks added earlier that read or write it, one that reads it after
// the last one before that writes it; tasks that only read a thing may run beside each other. So do the systems of
// an ECS, in the order in which they were added, as far as they have something to do with each other.
//
// A thing is whatever == can tell apart: a pointer to what is meant, a name, a reflect.Type. It is only compared,
// so a struct and a field of it are two things, and so are the int 1 and the int64 1; pointers to values without a size
// may be one. Reads panics at nil and at what cannot be compared.
//
// A task declares a thing once: what it reads and writes, it writes. Otherwise Build returns an *[AccessError].
// An After against the order of adding is a *[CycleError] if the two tasks conflict. Orders that follow from others are left out,
// as far as a look at a limited number of tasks shows that.
func (t GraphTask) Reads(things ...any) GraphTask { return t.declare(things, false, "Reads") }

// Writes is described at [GraphTask.Reads].
func (t GraphTask) Writes(things ...any) GraphTask { return t.declare(things, true, "Writes") }

func (t GraphTask) declare(things []any, writes bool, how string) GraphTask {
	t.open()
	for _, thing := range things {
		if !canBeCompared(thing) {
			panic("taskgraph: " + how + " of what cannot be compared")
		}
		t.b.accesses.Declare(t.n, thing, writes)
	}
	return t
}

// canBeCompared reports whether thing == thing does not panic. It allocates only for arrays and
// structs.
func canBeCompared(thing any) bool {
	if thing == nil || !reflect.TypeOf(thing).Comparable() {
		return false
	}
	switch reflect.TypeOf(thing).Kind() {
	case reflect.Struct, reflect.Array:
		return reflect.ValueOf(thing).Comparable()
	}
	return true
}
