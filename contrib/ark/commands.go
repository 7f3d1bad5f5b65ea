package ark

import "github.com/mlange-42/ark/ecs"

// Commands are changes of the world that are made later: at the next flush point, or at the end of
// the frame. They are recorded by [Run.Commands] and [Chunk.Commands], and applied in the order of
// recording. One that is about an entity that has been removed meanwhile does nothing.
//
// A Commands is for one goroutine at a time. It keeps its memory from frame to frame.
type Commands struct {
	list   []command
	values []values // of the handles by which components are added, by their number in the system
	first  int      // in verification: how many the first run has recorded
}

// A command adds or removes a component by a handle, removes an entity, or calls a function.
type command struct {
	by     applier
	entity ecs.Entity
	index  int // of what is added, among the handle's values
	f      func(w *ecs.World)
}

type applier interface {
	apply(from *Commands, e ecs.Entity, index int)
}

type values interface{ clear() }

// RemoveEntity removes an entity.
func (c *Commands) RemoveEntity(e ecs.Entity) {
	c.list = append(c.list, command{entity: e})
}

// Do calls f, which may do with the world what it likes but flush it: make entities, for example.
// It runs while no system does.
func (c *Commands) Do(f func(w *ecs.World)) {
	c.list = append(c.list, command{f: f})
}

// apply applies the commands to w, and empties the list.
func (c *Commands) apply(w *ecs.World) {
	for i := range c.list {
		switch cmd := &c.list[i]; {
		case cmd.f != nil:
			cmd.f(w)
		case !w.Alive(cmd.entity):
		case cmd.by != nil:
			cmd.by.apply(c, cmd.entity, cmd.index)
		default:
			w.RemoveEntity(cmd.entity)
		}
	}
	c.clear()
}

func (c *Commands) clear() {
	if len(c.list) == 0 {
		return
	}
	clear(c.list) // so that no function or pointer is kept
	c.list = c.list[:0]
	for _, v := range c.values {
		if v != nil {
			v.clear()
		}
	}
}

// An Adder records that entities are given a component. Make one with [AddTo].
type Adder[T any] struct {
	step  *System
	comps *ecs.Map[T]
	n     int // its number in the system
}

// AddTo declares that a system records commands that add component T.
func AddTo[T any](a *Access) *Adder[T] {
	a.Commands()
	d := &Adder[T]{a.step, ecs.NewMap[T](a.step.schedule.world), a.step.adders}
	a.step.adders++
	return d
}

// Add records in c that e is given the component, with value v. If e has it by then it is set.
// c must be of the system that declared the Adder.
func (d *Adder[T]) Add(c *Commands, e ecs.Entity, v T) {
	for len(c.values) < d.step.adders {
		c.values = append(c.values, nil)
	}
	list, ok := c.values[d.n].(*valuesOf[T])
	if !ok {
		list = new(valuesOf[T])
		c.values[d.n] = list
	}
	c.list = append(c.list, command{by: d, entity: e, index: len(list.of)})
	list.of = append(list.of, v)
}

func (d *Adder[T]) apply(from *Commands, e ecs.Entity, index int) {
	v := &from.values[d.n].(*valuesOf[T]).of[index]
	if d.comps.HasUnchecked(e) {
		d.comps.Set(e, v)
		return
	}
	d.comps.Add(e, v)
}

type valuesOf[T any] struct{ of []T }

func (v *valuesOf[T]) clear() {
	clear(v.of)
	v.of = v.of[:0]
}

// A Remover records that a component is taken from entities. Make one with [RemoveFrom].
type Remover[T any] struct {
	comps *ecs.Map[T]
}

// RemoveFrom declares that a system records commands that remove component T.
func RemoveFrom[T any](a *Access) *Remover[T] {
	a.Commands()
	return &Remover[T]{ecs.NewMap[T](a.step.schedule.world)}
}

// Remove records in c that the component is taken from e. If e does not have it by then nothing
// happens.
func (d *Remover[T]) Remove(c *Commands, e ecs.Entity) {
	c.list = append(c.list, command{by: d, entity: e})
}

func (d *Remover[T]) apply(_ *Commands, e ecs.Entity, _ int) {
	if d.comps.HasUnchecked(e) {
		d.comps.Remove(e)
	}
}
