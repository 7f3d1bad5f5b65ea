package plan

import "slices"

// OrderedFrom is how many tasks a plan must have to be put in order: smaller ones fit into the
// cache.
const OrderedFrom = 1 << 13

// PutInOrder renumbers the tasks, once, before the second run, in the order in which one worker
// runs them, so that successive tasks are neighbours in memory. It returns which task is now the
// first, the second and so on, or nil if nothing changes. Nobody may keep the number of a task
// other than its First one.
func (p *Plan) PutInOrder() []uint32 {
	n := len(p.links)
	if p.run != 1 || n < OrderedFrom || p.ordered {
		return nil
	}
	p.ordered = true
	order, changes := p.InOrder(make([]uint32, 0, n), make([]uint32, n)), false
	for k, i := range order {
		changes = changes || i != uint32(k)
	}
	if !changes {
		return nil
	}
	p.renumber(order, make([]uint32, n))
	return order
}

// InOrder appends the tasks to order, which is empty, in the order in which one worker runs them.
// waits is memory for as many numbers.
func (p *Plan) InOrder(order, waits []uint32) []uint32 {
	clear(waits)
	var only [1]Edge
	for i := range uint32(len(p.links)) {
		for _, e := range p.Dependents(i, &only) {
			waits[e.To()]++
		}
	}
	ready := slices.Clone(p.Roots)
	slices.Reverse(ready)
	for len(ready) > 0 {
		i := ready[len(ready)-1]
		ready = ready[:len(ready)-1]
		order = append(order, i)
		for _, e := range p.Dependents(i, &only) {
			t := e.To()
			if waits[t]--; waits[t] == 0 {
				ready = append(ready, t)
			}
		}
	}
	return order
}

// renumber makes task order[k] task k. now is memory for as many numbers.
func (p *Plan) renumber(order, now []uint32) {
	for k, i := range order {
		now[i] = uint32(k)
	}
	links, next := make([]Link, len(order)), make([]Edge, 1, len(p.next))
	for k, i := range order {
		l := p.links[i]
		if e, ok := l.Only(); ok {
			l = Link(e.with(now[e.To()]))
		} else if !l.IsNone() {
			row := p.row(l.Row())
			l = Link(len(next))
			for _, e := range row {
				next = append(next, e.with(now[e.To()]))
			}
		}
		links[k] = l
	}
	for k, i := range p.Roots {
		p.Roots[k] = now[i]
	}
	p.links, p.next, p.first = links, append(next, 0), order
	p.SetBack()
	p.preds = Reordered(p.preds, order)
}

// Reordered returns s in the order that PutInOrder returned, or nil if it is empty.
func Reordered[T any](s []T, order []uint32) []T {
	if len(s) == 0 {
		return nil
	}
	to := make([]T, len(order))
	for k, i := range order {
		to[k] = s[i]
	}
	return to
}
