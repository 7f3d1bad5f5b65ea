package watch

import (
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/lockfree"
)

// Depth is how many bodies of a goroutine are recorded, each run by a wait of the one before.
const Depth = 8

// A List has the bodies of all goroutines that are watched. The zero value has none.
type List[G any] struct {
	all  atomics.Pointer[Stack[G]]
	free lockfree.Stack[*Stack[G]]
}

// A Stack has the bodies of one goroutine, which run on top of each other. It belongs to one
// goroutine at a time, and is never taken off the list.
type Stack[G any] struct {
	bodies [Depth]Body[G]
	next   *Stack[G]
}

// A Body is the place of a body that runs.
type Body[G any] struct {
	gid   atomics.Uint64 // of the goroutine
	ref   atomics.Uint64 // 0: none
	began atomics.Int64
	of    atomics.Pointer[G]
	part  atomics.Uint32
}

// A Running is a body that was seen running.
type Running[G any] struct {
	Ref   uint64
	Began int64
	GID   uint64 // of the goroutine
	Of    *G
	Part  uint32
	Top   bool // no other body runs on top of it
}

// Get returns a stack without bodies for a goroutine, until Put.
func (l *List[G]) Get() *Stack[G] {
	if s, ok := l.free.Pop(); ok {
		return s
	}
	s := new(Stack[G])
	for {
		s.next = l.all.Load()
		if l.all.CompareAndSwap(s.next, s) {
			return s
		}
	}
}

// Put gives back what Get has returned.
func (l *List[G]) Put(s *Stack[G]) { l.free.Push(s) }

// Begin notes that a body begins on the goroutine with the number gid, on top of below others,
// fewer than Depth. ref, which is not 0, identifies it; it may be a part of a whole.
func (s *Stack[G]) Begin(below int, gid, ref uint64, of *G, part uint32) *Body[G] {
	b := &s.bodies[below]
	b.gid.Store(gid)
	b.began.Store(atomics.Now())
	b.of.Store(of)
	b.part.Store(part)
	b.ref.Store(ref) // WB1
	return b
}

// Rebegin makes the body on top of below others count as begun at the given moment.
func (s *Stack[G]) Rebegin(below int, at int64) { s.bodies[below].began.Store(at) }

// End notes that the body is over.
func (b *Body[G]) End() {
	b.ref.Store(0) // WB2
	b.of.Store(nil)
}

// All returns the running bodies, except those that are over according to isOver, which is called
// after everything about a body was read: WB3.
func (l *List[G]) All(isOver func(ref uint64) bool) (all []Running[G]) {
	for s := l.all.Load(); s != nil; s = s.next {
		last := -1
		for i := range s.bodies {
			b := &s.bodies[i]
			ref := b.ref.Load()
			if ref == 0 {
				continue
			}
			seen := Running[G]{Ref: ref, Began: b.began.Load(), GID: b.gid.Load(), Of: b.of.Load(),
				Part: b.part.Load()}
			if b.ref.Load() != ref || isOver(ref) {
				continue
			}
			last = len(all)
			all = append(all, seen)
		}
		if last >= 0 {
			all[last].Top = true
		}
	}
	return all
}
