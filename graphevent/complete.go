package graphevent

import "github.com/heddle-go/heddle/lockfree"

type unlocked uint8

const (
	unlockWaiting unlocked = iota
	unlockReady
	unlockNotify   // a function is to be called
	unlockComplete // nothing holds the node open any more, or it is skipped
)

// unlock takes one edge off n: an event that it waited for completed, with failure cause or
// success (nil). After it, n may be gone unless the result names it.
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
		// It will not be queued. Nobody can claim it, so the word is ours.
		nd.ctl.Store(v &^ queued)
		return unlockComplete
	case v&notify != 0:
		return unlockNotify
	default:
		return unlockReady
	}
}

// A worklist holds nodes to be completed. Those of the store at hand come first, first come
// first, linked through next[0]. That link of a node in the list is free, because all its edges
// have been taken off. Then come those of other stores, named by edges.
type worklist struct {
	first, last Node
	foreign     *foreignEdge // the last one; the list is a ring
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

// completeAll completes first, unless it is 0, what todo lists and everything that completes with
// it: skipped dependents, and events that only waited for one of these. They form a list, so no
// stack grows with the depth of a graph, whatever stores it goes through. The links of first are
// left alone: of an abandoned node they are in use. announce says whether r must hear of first.
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

// completeHere is completeAll as far as the nodes of s go. It returns what is left, nodes of other
// stores.
func (s *Store) completeHere(first Node, todo worklist, c *Cache, r Scheduler, announce bool) worklist {
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
			s.keep(ref(gen, n))                     // before the release: who sees what follows finds the failure
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

// release takes the edges of a completed event off their owners, oldest first, and returns
// todo with the nodes that complete by that.
func (s *Store) release(link uint32, o *outcome, todo worklist, c *Cache, r Scheduler) worklist {
	if *s.nextOf(link) != 0 {
		// A function literal is put in place of its call, a method value is not.
		link = lockfree.ReverseLinks(link, func(link uint32) *uint32 { return s.nextOf(link) })
	}
	for link != 0 {
		var n Node
		next := *s.nextOf(link) // before the owner is let go
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

// retire recycles the node of an event that is over, unless a queue still holds an entry
// for it: then the one who pops that does.
func (s *Store) retire(n Node, c *Cache) {
	nd := s.at(n)
	if nd.ctl.Load()&queued == 0 || nd.ctl.Or(free)&queued == 0 {
		s.recycle(n, nd, c)
	}
}
