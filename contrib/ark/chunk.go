package ark

import "github.com/mlange-42/ark/ecs"

// A Chunk is a range of rows of one table: entities that have the same components. It is valid
// while the function that [Run.Each] has called with it runs, and for that call only.
type Chunk struct {
	query *Query
	table *table
	lo, n int
	cmds  Commands
}

// Len returns the number of rows.
func (c *Chunk) Len() int { return c.n }

// Entity returns the entity of row i of the chunk. Ark does not show its column of entities, so
// this takes time in proportion to the number of archetypes before that one: ask for the entities
// that commands are about, not for all.
func (c *Chunk) Entity(i int) ecs.Entity {
	if uint(i) >= uint(c.n) {
		panic("ark: Chunk.Entity of a row that the chunk does not have")
	}
	return c.query.step.schedule.view.open.EntityAt(c.table.first + c.lo + i)
}

// Has says whether the chunk's entities have the component of a handle of its system.
func (c *Chunk) Has(of Component) bool { return of.column().of(c).base(of.column().id) != nil }

// Commands returns what the chunk's function records commands in. It panics if the system has not
// declared that it records any.
func (c *Chunk) Commands() *Commands {
	c.query.step.records()
	return &c.cmds
}
