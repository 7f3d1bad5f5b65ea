package graphevent

import "github.com/heddle-go/heddle/lockfree"

// LastGen is the generation that retires a node.
const LastGen = lastGen

// NewStoreAt returns a store whose nodes start at generation gen.
func NewStoreAt(o Options, gen uint64) *Store {
	s := NewStore(o)
	s.firstGen = gen
	return s
}

// Handle returns the handle of an event, made or not.
func (s *Store) Handle(gen uint64, n Node) Event { return Event{s, ref(gen, n)} }

// Nodes counts the nodes that were ever made, and those that are free and in no Cache.
// Nothing else may use the store.
func (s *Store) Nodes() (made, free int) {
	if made = int(s.fresh.Load()); made > 0 {
		made-- // node 0 is never handed out
	}
	return made, s.singles.Len() + batchSize*s.batches.Len()
}

// SlabEdges counts the edges of the slab that were ever made, and those that are free.
// Nothing else may use the store.
func (s *Store) SlabEdges() (made, free int) {
	return int(s.freshEdge.Load()) - 1, s.edges.Len()
}

// CacheSize is how many nodes a Cache holds.
const CacheSize = cacheSize

// Len returns the number of nodes in c.
func (c *Cache) Len() int { return c.n }

// Remembered returns the number of failures that are remembered.
func (s *Store) Remembered() int { return int(s.remember.Load()) }

// StallNewNodes stops in the middle of newNodes: nodes are counted as handed out, but have
// no generation yet, and no page if page is false.
func (s *Store) StallNewNodes(page bool) {
	if first := s.fresh.Add(batchSize) - batchSize; page {
		s.nodes.Grow(first)
	}
}

// Exhaust pretends that all nodes were handed out.
func (s *Store) Exhaust() { s.fresh.Store(1 << 28) }

// ExhaustEdges is likewise for the edges of the slab.
func (s *Store) ExhaustEdges() { s.freshEdge.Store(1 << 28) }

// Fresh returns how many nodes and edges count as handed out.
func (s *Store) Fresh() (nodes, edges uint32) { return s.fresh.Load(), s.freshEdge.Load() }

// SetCount sets the count of e's node, which must be under no other influence.
func (s *Store) SetCount(e Event, count uint64) {
	ctl := &s.at(e.Node()).ctl
	ctl.Store(ctl.Load()&^countMask | count)
}

// StallPush is an AddSubsequent that stops before its compare-and-swap, which swap does. It
// returns nil if e is complete. If swap fails, the edge is lost to the store.
func (e Event) StallPush(token uint32) (swap func() bool) {
	s := e.store
	x := s.newSlabEdge()
	sl := s.slab.At(x)
	sl.owner, sl.kind = token, tokenEdge
	if e.IsComplete() {
		s.edges.Push(x)
		return nil
	}
	word := headWord(e.head())
	h := word.Load()
	sl.next = uint32(h & lockfree.MaxLink)
	return func() bool { return word.CompareAndSwap(h, h&^lockfree.MaxLink|uint64(slabLink|x)) }
}

// StallTryClaim is a TryClaim that stops before its compare-and-swap, which swap does. It
// returns nil if the node of e cannot be claimed.
func (s *Store) StallTryClaim(e Event) (swap func() bool) {
	ctl := &s.at(e.Node()).ctl
	v := ctl.Load()
	if v>>genShift != e.ref>>genShift || v&(running|notify|countMask) != 0 ||
		v&(failed|always) == failed {
		return nil
	}
	return func() bool { return ctl.CompareAndSwap(v, v|running|1) }
}

// StallHold is a DontCompleteUntil that stops before its compare-and-swap, which swap does.
// It returns nil if e is complete.
func (e Event) StallHold() (swap func() bool) {
	ctl := &e.store.at(e.Node()).ctl
	v := ctl.Load()
	if v>>genShift != e.ref>>genShift || v&countMask == 0 {
		return nil
	}
	return func() bool { return ctl.CompareAndSwap(v, v+1) }
}
