package ark

import (
	"github.com/heddle-go/heddle/taskgraph"
	"github.com/mlange-42/ark/ecs"
)

// A Query selects entities by their components. Make one with [Access.Query]. It belongs to its
// system, and is narrowed down in its set-up only.
type Query struct {
	step    *System
	with    mask
	without mask

	chunks  []Chunk
	version uint64 // of the tables that the chunks were made of
	busy    bool   // an Each is going on

	// What an Each runs. It is made once, so that an Each allocates nothing.
	loop taskgraph.Loop
	site taskgraph.LoopSite
	f    func(*Chunk)
}

func newQuery(step *System) *Query {
	q := &Query{step: step}
	q.loop = taskgraph.Loop{Site: &q.site, Body: func(_ *taskgraph.Participant, lo, hi int) error {
		for i := lo; i < hi; i++ {
			q.chunks[i].call(q.f)
		}
		return nil
	}}
	return q
}

// With narrows q down to entities that also have these components, whose values the system need not
// declare.
func (q *Query) With(comps ...ecs.Comp) *Query {
	return q.add(&q.with, comps)
}

// Without narrows q down to entities that have none of these components.
func (q *Query) Without(comps ...ecs.Comp) *Query {
	return q.add(&q.without, comps)
}

func (q *Query) add(to *mask, comps []ecs.Comp) *Query {
	(&Access{q.step}).building()
	for _, c := range comps {
		to.set(ecs.TypeID(q.step.schedule.world, c.Type()))
	}
	return q
}

// update divides the tables that match into chunks, if that has changed.
func (q *Query) update(v *view, rows int) {
	if q.version == v.version {
		return
	}
	q.version = v.version
	n := 0
	for _, t := range v.tables {
		if t.len == 0 || !t.mask.contains(&q.with) || t.mask.intersects(&q.without) {
			continue
		}
		for lo := 0; lo < t.len; lo += rows {
			if n == len(q.chunks) {
				q.chunks = append(q.chunks, Chunk{})
			}
			c := &q.chunks[n] // with the memory of its commands
			c.query, c.table, c.lo, c.n = q, t, lo, min(rows, t.len-lo)
			n++
		}
	}
	// Chunks that are left out have no commands: these were applied before the tables changed.
	q.chunks = q.chunks[:n]
}
