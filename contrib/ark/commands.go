package ark

import "github.com/mlange-42/ark/ecs"

// Commands are changes of the world that are made later: at the next flush point, or at the end of
// the frame. They are recorded by [Run.Commands] and [Chunk.Commands], and applied in the order of
// recording. One that is about an entity that has been removed meanwhile does nothing.
//
// A Commands is for one goroutine at a time. It keeps its memory from frame to frame.
type Commands struct {
	entities []ecs.Entity // what the commands are about, one after the other
	spells   []spell      // what they do with them
	values   []values     // of the handles by which components are added, by their number
	calls    []func(w *ecs.World)

	// In verification: how many commands, and spells, the first run of the system has recorded.
	first, firstSpells int
}

// A spell is as many commands of one kind, one after the other, as have been recorded without
// another between them. So what applies them is found once for all.
type spell struct {
	by applier
	n  int // of commands
	at int // where their values begin, among those of the kind
}

type applier interface {
	// apply applies commands about these entities, whose values begin at an index.
	apply(from *Commands, w *ecs.World, entities []ecs.Entity, at int)
}

// A mover is an applier that can move all entities of a table to another at once.
type mover interface {
	applier

	// moves says whether the commands move the table's entities, and sets in of the components
	// that they then have.
	moves(t *table, of *mask) bool

	// move does so, for the entities of all, whose values are in chunks.
	move(all ecs.Batch, chunks []Chunk)
}

type values interface{ clear() }

// note records a command of a kind whose value, if it has one, is at an index.
func (c *Commands) note(by applier, e ecs.Entity, at int) {
	c.entities = append(c.entities, e)
	if n := len(c.spells); n > c.firstSpells && c.spells[n-1].by == by {
		c.spells[n-1].n++
		return
	}
	c.spells = append(c.spells, spell{by, 1, at})
}

// RemoveEntity removes an entity.
func (c *Commands) RemoveEntity(e ecs.Entity) { c.note(removal{}, e, 0) }

type removal struct{}

func (removal) apply(_ *Commands, w *ecs.World, entities []ecs.Entity, _ int) {
	for _, e := range entities {
		if w.Alive(e) {
			w.RemoveEntity(e)
		}
	}
}

// Do calls f, which may do with the world what it likes but flush it: make entities, for example.
// It runs while no system does.
func (c *Commands) Do(f func(w *ecs.World)) {
	c.note(call{}, ecs.Entity{}, len(c.calls))
	c.calls = append(c.calls, f)
}

type call struct{}

func (call) apply(from *Commands, w *ecs.World, entities []ecs.Entity, at int) {
	for _, f := range from.calls[at : at+len(entities)] {
		f(w)
	}
}

// apply applies the commands to w, and empties the list.
func (c *Commands) apply(w *ecs.World) {
	entities := c.entities
	for _, s := range c.spells {
		s.by.apply(c, w, entities[:s.n], s.at)
		entities = entities[s.n:]
	}
	c.clear()
}

func (c *Commands) clear() {
	c.firstSpells = 0
	if len(c.entities) == 0 && len(c.calls) == 0 {
		return
	}
	c.entities = c.entities[:0]
	clear(c.spells) // so that no function or pointer is kept
	c.spells = c.spells[:0]
	clear(c.calls)
	c.calls = c.calls[:0]
	for _, v := range c.values {
		if v != nil {
			v.clear()
		}
	}
}

// An Adder records that entities are given a component. Make one with [AddTo].
type Adder[T any] struct {
	step  *System
	id    ecs.ID
	comps *ecs.Map[T]
	n     int // its number in the system

	// While entities are moved: whose values come next, and what puts them in place. That is made
	// once, so that a move allocates nothing.
	chunks []Chunk
	at     int
	put    func(ecs.Entity, *T)
}

// AddTo declares that a system records commands that add component T.
func AddTo[T any](a *Access) *Adder[T] {
	a.Commands()
	w := a.step.schedule.world
	d := &Adder[T]{
		step:  a.step,
		id:    ecs.ComponentID[T](w),
		comps: ecs.NewMap[T](w),
		n:     a.step.adders,
	}
	d.put = func(_ ecs.Entity, v *T) {
		for d.at == d.chunks[0].n {
			d.chunks, d.at = d.chunks[1:], 0
		}
		*v = d.chunks[0].cmds.values[d.n].(*valuesOf[T]).of[d.at]
		d.at++
	}
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
	c.note(d, e, len(list.of))
	list.of = append(list.of, v)
}

func (d *Adder[T]) apply(from *Commands, w *ecs.World, entities []ecs.Entity, at int) {
	of := from.values[d.n].(*valuesOf[T]).of[at:]
	for i, e := range entities {
		switch {
		case !w.Alive(e):
		case d.comps.HasUnchecked(e):
			d.comps.Set(e, &of[i])
		default:
			d.comps.Add(e, &of[i])
		}
	}
}

func (d *Adder[T]) moves(t *table, of *mask) bool {
	*of = t.mask
	of.set(d.id)
	return *of != t.mask
}

func (d *Adder[T]) move(all ecs.Batch, chunks []Chunk) {
	d.chunks, d.at = chunks, 0
	d.comps.AddBatchFn(all, d.put)
	d.chunks = nil
}

type valuesOf[T any] struct{ of []T }

func (v *valuesOf[T]) clear() {
	clear(v.of)
	v.of = v.of[:0]
}

// A Remover records that a component is taken from entities. Make one with [RemoveFrom].
type Remover[T any] struct {
	id    ecs.ID
	comps *ecs.Map[T]
}

// RemoveFrom declares that a system records commands that remove component T.
func RemoveFrom[T any](a *Access) *Remover[T] {
	a.Commands()
	w := a.step.schedule.world
	return &Remover[T]{ecs.ComponentID[T](w), ecs.NewMap[T](w)}
}

// Remove records in c that the component is taken from e. If e does not have it by then nothing
// happens.
func (d *Remover[T]) Remove(c *Commands, e ecs.Entity) { c.note(d, e, 0) }

func (d *Remover[T]) apply(_ *Commands, w *ecs.World, entities []ecs.Entity, _ int) {
	for _, e := range entities {
		if w.Alive(e) && d.comps.HasUnchecked(e) {
			d.comps.Remove(e)
		}
	}
}

func (d *Remover[T]) moves(t *table, of *mask) bool {
	*of = t.mask
	of.unset(d.id)
	return *of != t.mask
}

func (d *Remover[T]) move(all ecs.Batch, _ []Chunk) { d.comps.RemoveBatch(all, nil) }
