package ark

import (
	"sync"

	"github.com/mlange-42/ark/ecs"
)

// A census is the list of a table's entities. Ark does not show its column of entities: to ask for
// one of them takes as long as to list several, so the list is made once that pays.
type census struct {
	mu    sync.Mutex
	of    []ecs.Entity
	epoch uint64 // of the view, when it was made
	asked int    // how many entities have been asked for since the table was locked
	since uint64 // the epoch of that
}

const (
	// askedTogether is how many entities a chunk asks for before the table hears of it.
	askedTogether = 16

	// askedPart says that a list is made when an askedPart-th of the table has been asked for.
	askedPart = 8
)

// entities returns the list of a table, or nil as long as too few entities of it have been asked
// for: some more at this call. Chunks of several systems may call it at the same time.
func (t *table) entities(v *view, more int) []ecs.Entity {
	if t.relations { // a query of its components would have other tables too
		return nil
	}
	c := t.census
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.epoch == v.epoch {
		return c.of
	}
	if c.since != v.epoch {
		c.asked, c.since = 0, v.epoch
	}
	c.asked += more
	if c.asked < t.len/askedPart {
		return nil
	}
	c.of = c.of[:0]
	for q := t.filter.Query(); q.Next(); {
		c.of = append(c.of, q.Entity())
	}
	c.epoch = v.epoch
	return c.of
}
