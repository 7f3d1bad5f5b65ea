package taskgraph

import (
	"github.com/heddle-go/heddle/internal/cacheline"
	"github.com/heddle-go/heddle/taskgraph/internal/forks"
)

// ForkOf is [Context.Fork] for a call whose arguments and results are a T: f works on a T with the
// value v, and [JoinOf.Wait] returns what f has left of it. It allocates nothing once there have
// been as many forks of the type at a time, unless another worker runs a fork that is never waited
// for.
func ForkOf[T any](c *Context, f func(c *Context, v *T), v T) JoinOf[T] {
	o := c.r.o
	if o == nil || f == nil || o.forks.IsFull() {
		return forkAfter(c, f, v)
	}
	p, ok := o.cells.Recent.(*forks.Cache[forkCell[T]])
	if !ok || p.IsEmpty() {
		return forkAfter(c, f, v)
	}
	cell := p.Take()
	cell.f, cell.v = f, v
	// F1, as in Fork.
	k := o.forks.Push()
	k.F, k.In, k.Next = cell.run, c, c.forks
	c.forks = k
	if l := c.prio.level(); o.slot.Forks(l) < o.slot.Enough() {
		o.publish(l)
	} else if o.forks.IsCalm() {
		o.settleDown()
	}
	return JoinOf[T]{c, k, cell}
}

// forkAfter is ForkOf without a slot, or when memory for the fork must be obtained first.
//
//go:noinline
func forkAfter[T any](c *Context, f func(c *Context, v *T), v T) JoinOf[T] {
	must(f != nil, "Fork of a nil function")
	o := c.r.o
	if o == nil {
		c.r.mustNotBlock("Fork")
		if c.enterFor() {
			j := forkAfter(c, f, v)
			c.showFirst(j.k)
			return j
		}
		cell := newCell[T]()
		cell.f, cell.v = f, v
		return JoinOf[T]{c, c.forkHere(cell.run, Args{}).k, cell}
	}
	if o.forks.IsFull() {
		o.sys.forks.Fill(&o.forks)
	}
	if p := forks.CacheOf[forkCell[T]](&o.cells, &o.sys.cells); p.IsEmpty() {
		p.More(newCell[T])
	}
	return ForkOf(c, f, v)
}

// A forkCell is what a fork of a T has besides its record. Cells are recycled and never freed.
type forkCell[T any] struct {
	v      T
	f      func(*Context, *T)    // nil: not in use
	run    func(*Context, *Args) // calls f with v: made once, since it is a closure
	last   *forkCell[T]          // of the same Forks, or nil
	join   Join                  // if the fork is part of a Forks
	waited bool                  // the slow path of Wait has the result, and frees the cell
}

func newCell[T any]() *forkCell[T] {
	cell := new(struct {
		forkCell[T]
		_ cacheline.Pad // thieves write results: keep them apart from other cells
	})
	k := &cell.forkCell
	k.run = func(c *Context, _ *Args) {
		k.f(c, &k.v)
		// In a call that another worker runs the depth is 0, and the body may be about to wait.
		// Else the body runs it, and if not in a wait, at its end: nobody wants the result.
		if c.depth != 0 && !k.waited {
			putCell(c.r.o, k)
		}
	}
	return k
}

// putCell gives k to the slot of o, if there is one. Only a JoinOf that was waited for still refers
// to k.
func putCell[T any](o *owner, k *forkCell[T]) {
	var none T
	k.v, k.f = none, nil
	if o == nil {
		return
	}
	p, ok := o.cells.Recent.(*forks.Cache[forkCell[T]])
	if !ok {
		p = forks.CacheOf[forkCell[T]](&o.cells, &o.sys.cells)
	}
	p.Put(k)
}
