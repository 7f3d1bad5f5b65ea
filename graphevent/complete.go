package graphevent

import "github.com/heddle-go/heddle/lockfree"

type unlocked uint8

const (
	unlockWaiting unlocked = iota
	unlockReady
	unlockNotify   // a function is to be called
	unlockComplete // nothing holds the node open any more, or it is skipped
)

// unlock takes one edge off n: an awaited event completed, with failure cause or success (nil).
// Afterwards n may be recycled, unless the result says that n is the caller's.
func (s *Store) unlock(n Node, cause *outcome) unlocked {
	nd := s.at(n)
	if cause != nil {
		s.mark(n, cause)
	}
	v := nd.ctl.Add(^uint64(0))
	switch {
	case v&countMask != 0:
		return unlockWaiting
	case v&running != 0:
		if v&(manual|notify) == manual {
			return s.rearm(n)
		}
		return unlockComplete
	case v&(failed|always|notify) == failed:
		// n will not be queued. Nobody can claim it, so only we write the word.
		nd.ctl.Store(v &^ queued)
		return unlockComplete
	case v&notify != 0:
		return unlockNotify
	default:
		return unlockReady
	}
}

// A worklist holds nodes to be completed: a list of nodes of the current store, in the order in
// which they came, linked through next[0], which is free because all edges of these nodes have been
// taken off; and nodes of other stores, named by edges.
type worklist struct {
	first, last Node
	foreign     *foreignEdge // the last edge; the list is circular
}

func (w worklist) empty() bool { return w.first == 0 && w.foreign == nil }

func (s *Store) enlist(w worklist, n Node) worklist {
	s.at(n).next[0] = 0
	if w.first == 0 {
		w.first, w.last = n, n
		return w
	}
	s.at(w.last).next[0] = uint32(n)
	w.last = n
	return w
}

// next takes the first node of s off the list; 0: there is none.
func (s *Store) next(w *worklist) Node {
	n := w.first
	if n != 0 {
		w.first = Node(s.at(n).next[0])
	}
	return n
}

// complete completes first and everything that completes with it.
func (s *Store) complete(first Node, c *Cache, r Scheduler, announce bool) {
	s.completeAll(first, worklist{}, c, r, announce)
}

// completeAll completes first, unless it is 0, the nodes of todo, and everything that completes
// with these: skipped dependents, and events that only waited for one of these. They form a list,
// so no stack grows with the depth of a graph, even across stores. It leaves the links of first
// alone: those of an abandoned node are in use. announce says whether r must hear of first.
func (s *Store) completeAll(first Node, todo worklist, c *Cache, r Scheduler, announce bool) {
	for {
		todo = s.completeHere(first, todo, c, r, announce)
		f := todo.nextForeign()
		if f == nil {
			return
		}
		s, first, c, r, announce = f.store, Node(uint32(f.owner)), nil, f.store.opts.Scheduler, true
	}
}

// completeHere is completeAll for the nodes of s. It returns the rest, nodes of other stores.
func (s *Store) completeHere(first Node, todo worklist, c *Cache, r Scheduler,
	announce bool) worklist {
	told := 0
	if first == 0 {
		first, announce = s.next(&todo), true
	}
	for n := first; n != 0; announce = true {
		nd := s.at(n)
		v := nd.ctl.Load()
		if announce && v&notify == 0 {
			r.Completed(n)
			told++
		}
		gen := v >> genShift
		var link uint32
		o := s.result(n, v)
		if o == nil {
			link = nd.head.Swap(uint32(gen)+1, true) // LP(complete)
		} else {
			s.sides.At(uint32(n)).outcome.Store(o)
			link = nd.head.Swap(uint32(gen), false) // LP(complete)
			s.keep(ref(gen, n))                     // before any consequence can be seen
		}
		if link != 0 {
			todo = s.release(link, o, todo, c, r)
		}
		if o == nil {
			s.retire(n, c)
		}
		n = s.next(&todo)
	}
	if told > 0 {
		r.Finished(told)
	}
	return todo
}

// release takes the edges of a completed event off their owners, oldest first, and returns todo
// with the nodes that this completes.
func (s *Store) release(link uint32, o *outcome, todo worklist, c *Cache, r Scheduler) worklist {
	if *s.nextOf(link) != 0 {
		// The compiler inlines a function literal, but not a method value.
		link = lockfree.ReverseLinks(link, func(link uint32) *uint32 { return s.nextOf(link) })
	}
	for link != 0 {
		var n Node
		next := *s.nextOf(link) // before the owner may be recycled
		if link&slabLink == 0 {
			n = Node(link >> 2)
		} else {
			x := link &^ slabLink
			sl := s.slab.At(x)
			switch sl.kind {
			case tokenEdge:
				token := sl.owner
				s.edges.Push(x)
				var err error
				if o != nil {
					err = o.err
				}
				s.opts.Releaser.Release(token, err)
				link = next
				continue
			case choiceEdge:
				decided := sl.back.Load()
				s.edges.Push(x)
				if s.decide(decided, o) {
					todo = s.enlist(todo, Node(uint32(decided)))
				}
				link = next
				continue
			case ownerEdge:
			}
			n = Node(sl.owner)
		}
		link = next
		switch s.unlock(n, o) {
		case unlockWaiting:
		case unlockReady:
			r.Ready(n)
		case unlockNotify:
			todo = s.call(n, c, todo)
		case unlockComplete:
			todo = s.enlist(todo, n)
		}
	}
	return todo
}

// retire recycles the node of a completed event, unless a queue still holds an entry for it: then
// whoever pops the entry does.
func (s *Store) retire(n Node, c *Cache) {
	nd := s.at(n)
	if nd.ctl.Load()&queued == 0 || nd.ctl.Or(free)&queued == 0 {
		s.recycle(n, nd, c)
	}
}
