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

// Next returns the node that Acquire would take from c, or 0 if it would take one from the store.
// Who keeps something beside each node can fetch it ahead. It is for the goroutine whose c is.
func (c *Cache) Next() Node {
	if c.n == 0 {
		return 0
	}
	return c.free[c.n-1]
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
		s.nodes.Prefetch(uint32(c.Next()))
		return c.free[c.n]
	}
	if n, ok := s.singles.Pop(); ok {
		return n
	}
	if n, ok := s.batches.Pop(); ok {
		var batch Cache
		s.unpack(n, &batch)
		for _, other := range batch.free[1:batch.n] { // the first is n
			s.singles.Push(other)
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
		s.unpack(n, c)
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
		s.batches.Push(s.pack(c))
	}
	c.free[c.n] = n
	c.n++
}

// pack takes a batch of nodes out of c and returns the first. One in four leads to the next such
// one, and names the other three: who takes the batch, often on another processor, need not fetch
// the lines of those before they are used. The push and the pop of the batch order these links.
func (s *Store) pack(c *Cache) (first Node) {
	for range batchSize / inlineEdges {
		c.n -= inlineEdges
		four := c.free[c.n:]
		s.at(four[0]).next = [inlineEdges]uint32{uint32(first), uint32(four[1]), uint32(four[2]),
			uint32(four[3])}
		first = four[0]
	}
	return first
}

// unpack adds the nodes of the batch that begins with n to c, which has room for them, in the order
// in which pack found them.
func (s *Store) unpack(n Node, c *Cache) {
	for n != 0 {
		next := &s.at(n).next
		c.free[c.n] = n
		for i, other := range next[1:] {
			c.free[c.n+1+i] = Node(other)
		}
		c.n += inlineEdges
		n = Node(next[0])
	}
}
