package graphevent

import "github.com/heddle-go/heddle/internal/paged"

const (
	batchSize = 64
	cacheSize = 2 * batchSize
)

// A Cache holds free nodes for one goroutine at a time, typically a worker, so that taking
// and returning a node costs no atomic operation. The zero value is empty. Nodes in a cache
// that is dropped are lost to their store; see [Store.Flush].
type Cache struct {
	n    int
	free [cacheSize]Node
}

// Acquire returns a free node, from c if it is not nil. It panics if 2^28 are in use. The caller
// owns the node until it has launched it and the node's event has completed, or until it gives it
// to Discard.
func (s *Store) Acquire(c *Cache) Node {
	if c != nil {
		if c.n == 0 {
			s.refill(c)
		}
		c.n--
		return c.free[c.n]
	}
	if n, ok := s.singles.Pop(); ok {
		return n
	}
	if n, ok := s.batches.Pop(); ok {
		for m := Node(s.at(n).next[0]); m != 0; {
			next := Node(s.at(m).next[0])
			s.singles.Push(m)
			m = next
		}
		return n
	}
	first, end := s.newNodes()
	for n := first + 1; n < end; n++ {
		s.singles.Push(n)
	}
	return first
}

// Discard gives back a node that was acquired and not used: its next event will have the same
// handle.
func (s *Store) Discard(n Node, c *Cache) { s.recycle(n, s.at(n), c) }

// Flush gives the nodes of c, which may be nil, back to the store.
func (s *Store) Flush(c *Cache) {
	if c == nil {
		return
	}
	for c.n > 0 {
		c.n--
		s.singles.Push(c.free[c.n])
	}
}

func (s *Store) refill(c *Cache) {
	if n, ok := s.batches.Pop(); ok {
		for ; n != 0; n = Node(s.at(n).next[0]) {
			c.free[c.n] = n
			c.n++
		}
		return
	}
	for c.n < batchSize {
		n, ok := s.singles.Pop()
		if !ok {
			break
		}
		c.free[c.n] = n
		c.n++
	}
	if c.n > 0 {
		return
	}
	first, end := s.newNodes()
	for n := end - 1; n >= first; n-- { // the lowest is handed out first
		c.free[c.n] = n
		c.n++
	}
}

// newNodes makes a batch of fresh nodes.
func (s *Store) newNodes() (first, end Node) {
	e := s.fresh.Add(batchSize)
	if e > paged.Most() || e < batchSize {
		s.fresh.Add(^uint32(batchSize - 1))
		panic("graphevent: more than 2^28 incomplete events")
	}
	first, end = Node(e-batchSize), Node(e)
	if s.opts.Grow != nil {
		s.opts.Grow(end)
	}
	s.nodes.Grow(uint32(first)) // a batch lies within one page
	if first == 0 {
		first = 1 // link 0 ends a list
	}
	for n := first; n < end; n++ {
		s.at(n).head.Swap(uint32(s.firstGen), true)
	}
	return first, end
}

// recycle makes n, which is nd, available again. Its generation has moved on.
func (s *Store) recycle(n Node, nd *node, c *Cache) {
	if nd.back[inlineEdges-1].Load()&^(1<<30-1) == spilled {
		s.freeSpilled(nd)
	}
	if nd.generation() == lastGen {
		return // retired: another use would repeat a generation
	}
	if c == nil {
		s.singles.Push(n)
		return
	}
	if c.n == cacheSize {
		var chain Node
		for range batchSize {
			c.n--
			m := c.free[c.n]
			s.at(m).next[0] = uint32(chain)
			chain = m
		}
		s.batches.Push(chain)
	}
	c.free[c.n] = n
	c.n++
}
