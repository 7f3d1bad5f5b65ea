package ark

import (
	"fmt"
	"reflect"

	"github.com/mlange-42/ark/ecs"
)

// An Access is what a system declares its accesses with, in the function that [Schedule.Add] calls.
// It is of no use after that.
type Access struct {
	step *System
}

// Reads declares that the system reads things other than components, such as resources, and Writes
// that it writes them: whatever == can tell apart, as for taskgraph's GraphTask.Reads. Nothing
// checks what the system does with them.
func (a *Access) Reads(things ...any) {
	a.building()
	for _, thing := range things {
		a.step.declare(thing, false)
	}
}

// Writes is described at [Access.Reads].
func (a *Access) Writes(things ...any) {
	a.building()
	for _, thing := range things {
		a.step.declare(thing, true)
	}
}

// Query declares a query for the entities that have all of the given components. It is iterated
// with [Run.Each] by this system only.
func (a *Access) Query(of ...Component) *Query {
	a.building()
	q := newQuery(a.step)
	for _, c := range of {
		d := c.column()
		if d == nil || d.step != a.step {
			panic(
				fmt.Sprintf(
					"ark: system %q makes a query of a component that it has not declared",
					a.step.name,
				),
			)
		}
		q.with.set(d.id)
	}
	a.step.queries = append(a.step.queries, q)
	return q
}

// Commands declares that the system records commands, see [Run.Commands] and [Chunk.Commands].
// [AddTo] and [RemoveFrom] declare it as well.
func (a *Access) Commands() {
	a.building()
	a.step.commands = true
}

func (a *Access) building() {
	if !a.step.building {
		panic(fmt.Sprintf("ark: the Access of system %q is used after its set-up", a.step.name))
	}
}

// A column is a component that a system has declared, behind its handle.
type column struct {
	step  *System
	world *ecs.World
	id    ecs.ID
	typ   reflect.Type
}

func declare[T any](a *Access, write bool) *column {
	a.building()
	typ := reflect.TypeFor[T]()
	id := ecs.TypeID(a.step.schedule.world, typ)
	a.step.declare(id, write)
	return &column{a.step, a.step.schedule.world, id, typ}
}

// of returns the table of a chunk, if the chunk belongs to the system that declared the column.
func (d *column) of(c *Chunk) *table {
	if d == nil || d.step != c.query.step {
		d.foreign(c)
	}
	return c.table
}

func (d *column) foreign(c *Chunk) {
	if d == nil {
		panic(
			fmt.Sprintf("ark: system %q uses a handle that nobody has declared", c.query.step.name),
		)
	}
	panic(fmt.Sprintf("ark: system %q uses the handle of %v that system %q has declared",
		c.query.step.name, d.typ, d.step.name))
}

// running panics unless the system that declared the column runs.
func (d *column) running() {
	if d == nil || !d.step.running {
		panic("ark: a handle is used by a system that does not run or has not declared it")
	}
}

// A Component is a handle of a component that a system has declared: a [Read] or a [Write].
type Component interface {
	column() *column
}
