package graphevent

// Notify arranges that f is called once, after all events have completed, by the goroutine
// that completes the last of them. f must not block. It returns false, and f will not be
// called, if all are complete already. c may be nil. It does not mark failures as seen.
func (s *Store) Notify(c *Cache, f func(), events ...Event) bool {
	n := s.Acquire(c)
	nd := s.at(n)
	s.sides.Grow(uint32(n)).call = f
	gen := nd.head.Load() >> genShift
	nd.ctl.Store(gen<<genShift | notify | setUpLock)
	var edges uint64
	for i, e := range events {
		s.checkEdge(n, uint32(i), e)
		if s.addEdge(n, uint32(i), e) {
			edges++
		}
	}
	if nd.ctl.Add(^(setUpLock-edges)+1)&countMask != 0 {
		return true
	}
	s.drop(n, c)
	return false
}

// call runs the function of a notify node, which nothing else refers to any more.
func (s *Store) call(n Node, c *Cache) {
	f := s.sides.At(uint32(n)).call
	s.drop(n, c)
	f()
}

// drop recycles a notify node. No Event names it, so its generation may stay.
func (s *Store) drop(n Node, c *Cache) {
	sd := s.sides.At(uint32(n))
	sd.call = nil
	if s.at(n).ctl.Load()&failed != 0 {
		sd.cause.Store(nil)
	}
	s.recycle(n, c)
}
