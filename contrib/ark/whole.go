package ark

import (
	"slices"

	"github.com/mlange-42/ark/ecs"
)

// applyTo applies what the system has recorded. There is nothing if it has not run.
func (y *System) applyTo(v *view) {
	if !y.commands {
		return
	}
	v.apply(&y.run.cmds)
	for _, q := range y.queries {
		for i := 0; i < len(q.chunks); {
			if n := q.applyWhole(v, i); n > 0 {
				i += n
				continue
			}
			v.apply(&q.chunks[i].cmds)
			i++
		}
	}
}

func (v *view) apply(c *Commands) {
	if len(c.entities) > 0 {
		v.mixed = true
		c.apply(v.world)
	}
}

// applyWhole applies the commands of chunk i and of those behind it if, together, they give each
// entity of a table the same component, or take it away, in the order of the rows. Ark then moves
// the table as a whole, to the same place in the same order, many times as fast. It returns how
// many chunks these were, or 0.
//
// It is as good as one by one only if the table still is what it was when the commands were
// recorded, and if nobody observes how they are made.
func (q *Query) applyWhole(v *view, i int) int {
	first := &q.chunks[i]
	t := first.table
	if len(first.cmds.spells) != 1 || first.lo != 0 || t.relations || t.census.epoch != v.epoch ||
		t.moved == v.epoch || v.mixed || v.observed {
		return 0
	}
	by, ok := first.cmds.spells[0].by.(mover)
	if !ok {
		return 0
	}
	var then mask
	if !by.moves(t, &then) {
		return 0
	}
	n := 0
	for rows := t.census.of; len(rows) > 0; n++ {
		c := &q.chunks[i+n]
		if len(c.cmds.spells) != 1 || c.cmds.spells[0].by != applier(by) ||
			!slices.Equal(c.cmds.entities, rows[:c.n]) {
			return 0
		}
		rows = rows[c.n:]
	}
	by.move(t.filter.Batch(), q.chunks[i:i+n])
	for k := range n {
		q.chunks[i+k].cmds.clear()
	}
	v.together++
	t.moved = v.epoch
	for _, other := range v.tables { // where they are now, if it was there before
		if other.mask == then {
			other.moved = v.epoch
		}
	}
	return n
}

var _ = [...]mover{(*Adder[ecs.Entity])(nil), (*Remover[ecs.Entity])(nil)}
