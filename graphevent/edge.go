package graphevent

import "github.com/heddle-go/heddle/internal/paged"

// addEdge registers n as the subsequent of e, as its edge number i (its i-th prerequisite or
// DontCompleteUntil, counted from 0). Only the goroutine that builds n or runs its body may call
// it. It reports whether e was incomplete; if e had failed, n is marked.
func (s *Store) addEdge(n Node, i uint32, e Event) bool {
	if e.store != s {
		return s.addForeign(n, e)
	}
	if i < inlineEdges {
		nd := s.at(n)
		if i < inlineEdges-1 || nd.back[i].Load()&^(1<<30-1) != spilled {
			nd.back[i].Store(e.ref)
			if e.head().TryPush(e.gen(), uint32(n)<<2|i, &nd.next[i]) {
				return true
			}
			s.inherit(n, e)
			return false
		}
	}
	return s.addSpilled(n, e)
}

// addSpilled registers an edge in the slab.
func (s *Store) addSpilled(n Node, e Event) bool {
	x := s.spill(n, e.ref)
	sl := s.slab.At(x)
	sl.owner, sl.kind = uint32(n), ownerEdge
	if e.head().TryPush(e.gen(), slabLink|x, &sl.next) {
		return true
	}
	s.inherit(n, e)
	return false
}

// spill adds a slab edge, which names the event r, to n's own list.
func (s *Store) spill(n Node, r uint64) (x uint32) {
	last := &s.at(n).back[inlineEdges-1]
	x = s.newSlabEdge()
	sl := s.slab.At(x)
	sl.back.Store(r)
	for {
		b := last.Load()
		if b&^(1<<30-1) == spilled {
			sl.own.Store(uint32(b & (1<<30 - 1)))
			if last.CompareAndSwap(b, spilled|uint64(x)) {
				return x
			}
			continue
		}
		// The word holds the reference of the last inline edge: move it to the slab.
		y := s.newSlabEdge()
		moved := s.slab.At(y)
		moved.back.Store(b)
		moved.own.Store(0)
		sl.own.Store(y)
		if last.CompareAndSwap(b, spilled|uint64(x)) {
			return x
		}
		s.edges.Push(y)
	}
}

// finishEdge releases one edge of n from outside a completion of this store.
func (s *Store) finishEdge(n Node, cause *outcome) {
	switch s.unlock(n, cause) {
	case unlockReady:
		s.opts.Scheduler.Ready(n)
	case unlockComplete:
		s.complete(n, nil, s.opts.Scheduler, true)
	case unlockWaiting, unlockNotify: // notify nodes are not held open
	}
}

// inherit marks n as failed if e, which is complete, failed.
func (s *Store) inherit(n Node, e Event) {
	if o := e.outcome(); o != nil {
		s.mark(n, o)
	}
}

func (s *Store) mark(n Node, cause *outcome) {
	s.sides.Grow(uint32(n)).cause.CompareAndSwap(nil, cause) // the first failure counts
	s.at(n).ctl.Or(failed)
}

func (s *Store) newSlabEdge() uint32 {
	if x, ok := s.edges.Pop(); ok {
		return x
	}
	x := s.freshEdge.Add(1) - 1
	if x >= paged.Most() {
		s.freshEdge.Add(^uint32(0))
		panic("graphevent: more than 2^28 edges beyond those in the nodes")
	}
	s.slab.Grow(x)
	return x
}

// freeSpilled gives the slab edges of a completed node back. Whoever completed the event of an edge
// read the edge before it lowered the node's count.
func (s *Store) freeSpilled(nd *node) {
	last := &nd.back[inlineEdges-1]
	x := uint32(last.Load() & (1<<30 - 1))
	last.Store(0)
	for x != 0 {
		own := s.slab.At(x).own.Load()
		s.edges.Push(x)
		x = own
	}
}
