package plan

import "slices"

// A Builder collects the orders between tasks. The zero value is ready, for a graph without tasks;
// one goroutine at a time may use it.
type Builder struct {
	preds []uint32 // by task; longer than the tasks, with 0 beyond them
	outs  []uint32 // memory for link
	edges []order

	back bool // an edge leads to an older task
	many bool // a task has edgeMany predecessors
}

// An order is a pair of tasks, of which to comes after from.
type order struct{ from, to uint32 }

// Room makes room for tasks with numbers below n. Those that have not been added must have no
// orders.
func (b *Builder) Room(n int) {
	if have := len(b.preds); have < n {
		b.preds = append(b.preds, make([]uint32, n-have)...)
	}
}

// Grow makes room for the given number of further orders.
func (b *Builder) Grow(orders int) { b.edges = slices.Grow(b.edges, orders) }

// Reset forgets all orders between n tasks.
func (b *Builder) Reset(n int) {
	clear(b.preds[:n])
	b.edges, b.back, b.many = b.edges[:0], false, false
}

// Add orders the task to after the task from.
func (b *Builder) Add(from, to uint32) {
	b.edges = append(b.edges, order{from, to})
	b.count(to)
	if from >= to {
		b.back = true
	}
}

func (b *Builder) count(to uint32) {
	if b.preds[to]++; b.preds[to] >= edgeMany {
		b.many = true
	}
}

// Build returns the plan of n tasks, in the memory of old, which must not be used any more, and
// forgets the orders. If there are cycles it also returns the tasks of one, each of which waits for
// the next, and the last for the first.
func (b *Builder) Build(n int, old Plan) (p Plan, cycle []uint32) {
	preds := b.preds[:n]
	p = Plan{links: sized(old.links, n), next: old.next, arrived: old.arrived, Roots: old.Roots[:0]}
	if b.many {
		p.preds = slices.Clone(preds)
	}
	b.link(&p)
	joins := false
	for i, n := range preds {
		if n == 0 {
			p.Roots = append(p.Roots, uint32(i))
		}
		joins = joins || n > 1
	}
	if joins {
		clear(p.arrived) // of another graph
		p.arrived = sized(p.arrived, n)
	}
	if b.back {
		cycle = p.findCycle(preds)
	}
	clear(preds)
	b.edges = b.edges[:0]
	return p, cycle
}

// link lays out the edges. Each row is filled from its end, so that only the place up to which it
// is filled must be known; lastEdge is stored at the end until an edge is.
func (b *Builder) link(p *Plan) {
	b.outs = sized(b.outs, len(p.links))
	outs := b.outs // by task: how many edges, then up to where its row is filled
	clear(outs)
	for _, e := range b.edges {
		outs[e.from]++
	}
	end := uint32(1)
	for i, n := range outs {
		end += n
		outs[i] = end | lastEdge
	}
	p.next = sized(p.next, int(end)+1)
	next := p.next
	for _, e := range b.edges {
		at := &outs[e.from]
		last := *at & lastEdge
		*at = *at&^lastEdge - 1
		next[*at] = Edge(e.to | min(b.preds[e.to], edgeMany)<<edgeBits | last)
	}
	for i, at := range outs {
		l := Link(at)
		if e := next[at&^lastEdge]; e.IsLast() {
			l = Link(e)
		}
		if at&lastEdge != 0 {
			l = 0
		}
		p.links[i] = l
	}
}

// sized returns s with the length n; new elements are zero.
func sized[T any](s []T, n int) []T {
	if n <= cap(s) {
		return s[:n]
	}
	return make([]T, n)
}
