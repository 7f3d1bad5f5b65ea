package taskgraph

import (
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/lockfree"
)

// cellCache is how many free cells of a type a slot keeps at most.
const cellCache = 256

// forkCells are the free cells of a slot, by the type of their forks.
type forkCells struct {
	recent any   // the *slotCells used last
	others []any // all
}

// slotCells are the free cells of one type: those from top on. Like in a forkStack, what is given back
// mostly stands where it was taken.
type slotCells[T any] struct {
	cells  []*forkCell[T]
	top    int
	shared *sharedCells[T]
}

// sharedCells are those that slots have too many of: a body may fork on one slot and wait on another, always.
type sharedCells[T any] struct{ lockfree.Stack[*forkCell[T]] }

// A cellTypes is a list of the *sharedCells of a system, to which is only added.
type cellTypes struct {
	shared any
	next   *cellTypes
}

// more makes one cell free.
func (p *slotCells[T]) more() {
	k, ok := p.shared.Pop()
	if !ok {
		k = newCell[T]()
	}
	if len(p.cells) < cellCache {
		p.cells = append(p.cells, nil)
		p.top = len(p.cells)
	}
	p.top--
	p.cells[p.top] = k
}

// put makes k free.
func (p *slotCells[T]) put(k *forkCell[T]) {
	if p.top == 0 {
		p.shared.Push(k)
		return
	}
	p.top--
	if p.cells[p.top] != k {
		p.cells[p.top] = k
	}
}

// putCell gives k to the slot of o, if there is one. Nobody refers to it any more but a JoinOf that was waited for.
func putCell[T any](o *owner, k *forkCell[T]) {
	var none T
	k.v, k.f = none, nil
	if o == nil {
		return
	}
	p, ok := o.cells.recent.(*slotCells[T])
	if !ok {
		p = cellsOf[T](o)
	}
	p.put(k)
}

// cellsOf returns the cells of a slot for a type, which is then the one used last.
func cellsOf[T any](o *owner) *slotCells[T] {
	for _, c := range o.cells.others {
		if p, ok := c.(*slotCells[T]); ok {
			o.cells.recent = c
			return p
		}
	}
	p := &slotCells[T]{shared: sharedOf[T](&o.sys.cellTypes)}
	o.cells.recent = p
	o.cells.others = append(o.cells.others, p)
	return p
}

// sharedOf returns those of a system.
func sharedOf[T any](list *atomics.Pointer[cellTypes]) *sharedCells[T] {
	fresh := &cellTypes{shared: new(sharedCells[T])}
	for {
		first := list.Load()
		for t := first; t != nil; t = t.next {
			if c, ok := t.shared.(*sharedCells[T]); ok {
				return c
			}
		}
		fresh.next = first
		if list.CompareAndSwap(first, fresh) {
			return fresh.shared.(*sharedCells[T])
		}
	}
}
