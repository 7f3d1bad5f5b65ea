package taskgraph

import "slices"

// orderedFrom is how many tasks a graph has at least that is put in order: smaller ones are in the cache anyhow.
const orderedFrom = 1 << 13

// putInOrder renumbers the tasks as one worker runs them, so that what is run next lies next in memory. It is for
// a graph that is run again, whose tasks were added in whatever order. Nobody may hold a number of a task of g but a
// report, which has the first one, and names by that.
func (g *Graph) putInOrder() {
	g.ordered = true
	n := g.Len()
	waits := make([]uint32, n)
	var only [1]uint32
	for i := range uint32(n) {
		for _, e := range g.dependents(i, &only) {
			waits[e&edgeMask]++
		}
	}
	ready := slices.Clone(g.roots)
	slices.Reverse(ready)
	order, changes := make([]uint32, 0, n), false
	for len(ready) > 0 {
		i := ready[len(ready)-1]
		ready = ready[:len(ready)-1]
		changes = changes || i != uint32(len(order))
		order = append(order, i)
		for _, e := range g.dependents(i, &only) {
			t := e & edgeMask
			if waits[t]--; waits[t] == 0 {
				ready = append(ready, t)
			}
		}
	}
	if changes {
		g.renumber(order, waits)
	}
}

// renumber makes task order[k] task k. Its second argument is room for as many numbers.
func (g *Graph) renumber(order, now []uint32) {
	for k, i := range order {
		now[i] = uint32(k)
	}
	links, next := make([]uint32, len(order)), make([]uint32, 1, len(g.next))
	for k, i := range order {
		l := g.links[i]
		switch {
		case l&lastEdge != 0:
			l = l&^edgeMask | now[l&edgeMask]
		case l != 0:
			row := g.row(l)
			l = uint32(len(next))
			for _, e := range row {
				next = append(next, e&^edgeMask|now[e&edgeMask])
			}
		}
		links[k] = l
	}
	for k, i := range g.roots {
		g.roots[k] = now[i]
	}
	copy(g.bodies, reordered(g.bodies, order)) // the slice stays: a report may ask for its length
	g.links, g.next, g.numbers = links, append(next, 0), order
	g.setBack()
	g.others, g.preds = reordered(g.others, order), reordered(g.preds, order)
}

// setBack makes the next run the first, as far as the counts of predecessors go. No run may go on.
func (g *Graph) setBack() {
	clear(g.arrived)
	g.run = 0
}

// reordered returns s in another order, or nil if it is empty.
func reordered[T any](s []T, order []uint32) []T {
	if len(s) == 0 {
		return nil
	}
	to := make([]T, len(order))
	for k, i := range order {
		to[k] = s[i]
	}
	return to
}

// first returns the number that task i had when it was added.
func (g *Graph) first(i uint32) uint32 {
	if g.numbers != nil {
		return g.numbers[i]
	}
	return i
}
