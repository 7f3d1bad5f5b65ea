//go:build modelcheck

package graphevent

// NewSmallStore returns a store that has made a number of nodes, all free, and the pages that
// come with them: what makes more would only lengthen each execution.
func NewSmallStore(o Options, nodes int) *Store {
	s := NewStore(o)
	s.fresh.Store(batchSize)
	s.nodes.Grow(0)
	s.sides.Grow(0)
	s.slab.Grow(0)
	if o.Grow != nil {
		o.Grow(batchSize)
	}
	for n := Node(nodes); n > 0; n-- {
		s.at(n).head.Swap(uint32(s.firstGen), true)
		s.singles.Push(n)
	}
	return s
}

// Free counts the nodes that are free.
func (s *Store) Free() int { return s.singles.Len() }
