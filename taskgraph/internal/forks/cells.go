package forks

import (
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/lockfree"
)

// cellCache is how many free cells of a type a slot keeps at most.
const cellCache = 256

// Cells are the free cells of a slot by their types, for its holder. A cell extends the record of a
// call with data of any type.
type Cells struct {
	Recent any   // the *Cache used last
	others []any // all
}

// A Cache has the free cells of one type, those from top on. As in a Stack, a cell that is given
// back mostly is still in its place.
type Cache[K any] struct {
	cells  []*K
	top    int
	shared *shared[K]
}

// A shared has surplus cells of slots, since a body may always fork on one slot and wait on
// another.
type shared[K any] struct{ lockfree.Stack[*K] }

// A Types has the surplus cells of all slots of a system, by their types. The zero value is ready.
type Types struct{ list atomics.Pointer[typed] }

// A typed is an element of a list that only grows.
type typed struct {
	shared any
	next   *typed
}

// CacheOf returns the Cache of c for a type, and makes it the one used last.
func CacheOf[K any](c *Cells, t *Types) *Cache[K] {
	for _, o := range c.others {
		if p, ok := o.(*Cache[K]); ok {
			c.Recent = o
			return p
		}
	}
	p := &Cache[K]{shared: sharedOf[K](t)}
	c.Recent = p
	c.others = append(c.others, p)
	return p
}

func sharedOf[K any](t *Types) *shared[K] {
	fresh := &typed{shared: new(shared[K])}
	for {
		first := t.list.Load()
		for o := first; o != nil; o = o.next {
			if s, ok := o.shared.(*shared[K]); ok {
				return s
			}
		}
		fresh.next = first
		if t.list.CompareAndSwap(first, fresh) {
			return fresh.shared.(*shared[K])
		}
	}
}

// IsEmpty reports whether no cell is free, see More.
func (p *Cache[K]) IsEmpty() bool { return p.top == len(p.cells) }

// Take returns a free cell. The cache is not empty.
func (p *Cache[K]) Take() *K {
	k := p.cells[p.top]
	p.top++
	return k
}

// More makes one cell free: a surplus one, or else one that fresh returns.
func (p *Cache[K]) More(fresh func() *K) {
	k, ok := p.shared.Pop()
	if !ok {
		k = fresh()
	}
	if len(p.cells) < cellCache {
		p.cells = append(p.cells, nil)
		p.top = len(p.cells)
	}
	p.top--
	p.cells[p.top] = k
}

// IsLast reports whether k is the last one that was taken, and still has its place, see Untake.
func (p *Cache[K]) IsLast(k *K) bool { return p.top > 0 && p.cells[p.top-1] == k }

// Untake makes the cell that was taken last free again.
func (p *Cache[K]) Untake() { p.top-- }

// Put makes k free.
func (p *Cache[K]) Put(k *K) {
	if p.top == 0 {
		p.shared.Push(k)
		return
	}
	p.top--
	if p.cells[p.top] != k {
		p.cells[p.top] = k
	}
}
