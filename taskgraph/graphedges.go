package taskgraph

// An edge is the number of a dependent, and above edgeBits how many predecessors that has:
// edgeMany if they are so many or more. So no edge is 0. Those of a task lie in a row, the one that was
// added last comes first, and the last of the row has lastEdge.
const (
	edgeBits = 28
	edgeMask = 1<<edgeBits - 1
	edgeMany = 1<<(31-edgeBits) - 1
	lastEdge = 1 << 31
)

// link lays out the edges in g. Each row is filled from its end, so that the room for it needs no mark beside the
// place up to which it is filled: lastEdge stands there until it has an edge.
func (b *GraphBuilder) link(g *Graph) {
	b.outs = sized(b.outs, len(g.links))
	outs := b.outs // of each task the number of its edges, and then the place up to which its row is filled
	clear(outs)
	for _, e := range b.edges {
		outs[e.from]++
	}
	end := uint32(1)
	for i, n := range outs {
		end += n
		outs[i] = end | lastEdge
	}
	g.next = sized(g.next, int(end)+1)
	next := g.next
	for _, e := range b.edges {
		at := &outs[e.from]
		last := *at & lastEdge
		*at = *at&^lastEdge - 1
		next[*at] = e.to | min(b.preds[e.to], edgeMany)<<edgeBits | last
	}
	for i, at := range outs {
		l := at
		if e := next[at&^lastEdge]; e&lastEdge != 0 {
			l = e
		}
		if at&lastEdge != 0 {
			l = 0
		}
		g.links[i] = l
	}
}

// sized returns s with the length n, of zero elements as far as they are new.
func sized[T any](s []T, n int) []T {
	if n <= cap(s) {
		return s[:n]
	}
	return make([]T, n)
}

// dependents returns the edges to the dependents of i, the one that was added last first; only is memory for it.
func (g *Graph) dependents(i uint32, only *[1]uint32) []uint32 {
	switch l := g.links[i]; {
	case l&lastEdge != 0:
		only[0] = l
		return only[:]
	case l != 0:
		return g.row(l)
	}
	return nil
}

// row returns the edges from place l to the end of their row.
func (g *Graph) row(l uint32) []uint32 {
	end := l
	for g.next[end]&lastEdge == 0 {
		end++
	}
	return g.next[l : end+1]
}

// arrive counts the end of a predecessor of the task of e, and reports whether that makes it ready.
func (g *Graph) arrive(e uint32) bool {
	p := e >> edgeBits & edgeMany
	if p == 1 {
		return true
	}
	if p == edgeMany {
		p = g.preds[e&edgeMask]
	}
	return g.arrived[e&edgeMask].Add(1) == g.run*p
}
