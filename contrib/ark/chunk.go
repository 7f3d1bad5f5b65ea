package ark

import "github.com/mlange-42/ark/ecs"

// A Chunk is a range of rows of one table: entities that have the same components. It is valid
// while the function that [Run.Each] has called with it runs, and for that call only.
type Chunk struct {
	query *Query
	table *table
	lo, n int
	cmds  Commands

	entities []ecs.Entity // if the table has been listed
	asked    int          // how many of them have been asked for otherwise
}

// call calls f for the chunk. The world may have changed since the last call.
func (c *Chunk) call(f func(*Chunk)) {
	c.entities, c.asked = nil, 0
	f(c)
}

// Len returns the number of rows.
func (c *Chunk) Len() int { return c.n }

// Entity returns the entity of row i of the chunk. Ark does not show its column of entities: as
// long as few of a table's are asked for, each takes time in proportion to the number of archetypes
// before that one; once an eighth have been asked for the table is listed, which takes memory for
// all of them.
func (c *Chunk) Entity(i int) ecs.Entity {
	if uint(i) < uint(len(c.entities)) {
		return c.entities[i]
	}
	return c.entitySlow(i)
}

func (c *Chunk) entitySlow(i int) ecs.Entity {
	if uint(i) >= uint(c.n) {
		panic("ark: Chunk.Entity of a row that the chunk does not have")
	}
	v := c.query.step.schedule.view
	if c.asked++; c.asked%askedTogether == 1 {
		if all := c.table.entities(v, min(askedTogether, c.n)); all != nil {
			c.entities = all[c.lo : c.lo+c.n]
			return c.entities[i]
		}
	}
	return v.open.EntityAt(c.table.first + c.lo + i)
}

// Has says whether the chunk's entities have the component of a handle of its system.
func (c *Chunk) Has(of Component) bool { return of.column().of(c).base(of.column().id) != nil }

// Commands returns what the chunk's function records commands in. It panics if the system has not
// declared that it records any.
func (c *Chunk) Commands() *Commands {
	c.query.step.records()
	return &c.cmds
}
