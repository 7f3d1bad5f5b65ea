package taskgraph

import "github.com/heddle-go/heddle/taskgraph/internal/plan"

// Reads declares what the task reads, and Writes what it writes; the orders that follow are the
// graph's. A task that writes a thing runs after all tasks added earlier that read or write it, one
// that reads it after the last one before that writes it. An After that contradicts this is a
// *[CycleError].
//
// A thing is whatever == can tell apart: a pointer, a name, a reflect.Type. It is only compared: a
// struct and a field of it are two things, and pointers to values without a size may be one. A task
// declares a thing once, and what it reads and writes it writes, or Build fails. Reads panics at
// nil and at what cannot be compared.
func (t GraphTask) Reads(things ...any) GraphTask { return t.declare(things, false, "Reads") }

// Writes is described at [GraphTask.Reads].
func (t GraphTask) Writes(things ...any) GraphTask { return t.declare(things, true, "Writes") }

func (t GraphTask) declare(things []any, writes bool, how string) GraphTask {
	t.open()
	for _, thing := range things {
		if !plan.IsThing(thing) {
			panic("taskgraph: " + how + " of what cannot be compared")
		}
		t.b.accesses.Declare(t.n, thing, writes)
	}
	return t
}
