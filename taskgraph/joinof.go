package taskgraph

// A JoinOf is a call forked by [ForkOf] that the body has to wait for.
type JoinOf[T any] struct {
	in   *Context
	k    *fork
	cell *forkCell[T]
}

// Wait returns what the call has left of its T. All that [Join.Wait] says holds.
func (j JoinOf[T]) Wait() T {
	c, k, cell := j.in, j.k, j.cell
	if cell == nil || cell.f == nil || k.f == nil {
		panic("taskgraph: Wait for no fork, or for the second time")
	}
	o := c.r.o
	if !k.isPrivate() || o.forks[o.top-1] != k {
		return j.waitPublic()
	}
	// As Join.Wait does it.
	f := cell.f
	cell.f, k.f = nil, nil
	if o.begun < o.top-1 {
		o.publishMore(c.prio.level())
	}
	c.depth++
	f(c, &cell.v)
	c.depth--
	if c.forks != k {
		c.settle(k)
	}
	c.forks = k.next
	o = c.r.o
	if !k.isPrivate() {
		c.r.sys.freeFork(o, k)
	} else {
		o.pop()
	}
	v := cell.v
	if o != nil {
		if p, ok := o.cells.recent.(*slotCells[T]); ok && p.top > 0 && p.cells[p.top-1] == cell {
			var none T
			cell.v = none
			p.top--
			return v
		}
	}
	putCell(o, cell)
	return v
}

// waitPublic is Wait for a call that others may have begun, or one without a slot.
func (j JoinOf[T]) waitPublic() T {
	j.cell.waited = true
	Join{j.in, j.k}.waitPublic()
	v := j.cell.v
	j.cell.waited = false
	putCell(j.in.r.o, j.cell)
	if j.in.lent {
		j.in.exitFor()
	}
	return v
}
