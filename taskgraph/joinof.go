package taskgraph

import "github.com/heddle-go/heddle/taskgraph/internal/forks"

// A JoinOf is a call forked by [ForkOf] that the body has to wait for.
type JoinOf[T any] struct {
	in   *Context
	k    *fork
	cell *forkCell[T]
}

// Wait is [Join.Wait], and returns what the call has left of its T.
func (j JoinOf[T]) Wait() T {
	c, k, cell := j.in, j.k, j.cell
	if cell == nil || cell.f == nil || k.F == nil {
		panic("taskgraph: Wait for no fork, or for the second time")
	}
	o := c.r.o
	if !k.IsPrivate() || !o.forks.IsTop(k) {
		return j.waitPublic()
	}
	// As in Join.Wait.
	f := cell.f
	cell.f, k.F = nil, nil
	if o.forks.HidesMore() {
		o.publishMore(c.prio.level())
	}
	c.depth++
	f(c, &cell.v)
	c.depth--
	if c.forks != k {
		c.settle(k)
	}
	c.forks = k.Next
	o = c.r.o
	if !k.IsPrivate() {
		c.r.sys.freeFork(o, k)
	} else {
		o.forks.Pop()
	}
	v := cell.v
	if o != nil {
		if p, ok := o.cells.Recent.(*forks.Cache[forkCell[T]]); ok && p.IsLast(cell) {
			var none T
			cell.v = none
			p.Untake()
			return v
		}
	}
	putCell(o, cell)
	return v
}

// waitPublic is Wait for a call that others may have begun, or in a body without a slot.
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
