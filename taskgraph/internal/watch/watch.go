package watch

import (
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/lockfree"
)

// Depth is how many bodies of a goroutine are seen, each run by a wait of the one before.
const Depth = 8

// A List has the bodies of all goroutines that are watched. The zero value has none.
type List[G any] struct {
	all  atomics.Pointer[Stack[G]]
	free lockfree.Stack[*Stack[G]]
}

// A Stack is for the bodies of one goroutine, which run on top of each other. It belongs to one at
// a time. None is ever taken off the list.
type Stack[G any] struct {
	bodies [Depth]Body[G]
	next   *Stack[G]
}

// A Body is one that runs, or none.
type Body[G any] struct {
	gid   atomics.Uint64 // of the goroutine
	ref   atomics.Uint64 // 0: none
	began atomics.Int64
	of    atomics.Pointer[G]
	part  atomics.Uint32
}

// A Running is a body that runs, as it was seen.
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

// Begin notes that a body begins on the goroutine with the number gid, on top of so many others,
// fewer than Depth. It is known by ref, which is not 0, and may be a part of something.
func (s *Stack[G]) Begin(below int, gid, ref uint64, of *G, part uint32) *Body[G] {
	b := &s.bodies[below]
	b.gid.Store(gid)
	b.began.Store(atomics.Now())
	b.of.Store(of)
	b.part.Store(part)
	b.ref.Store(ref) // WB1
	return b
}

// Rebegin has the body on top of so many others count as begun at a moment.
func (s *Stack[G]) Rebegin(below int, at int64) { s.bodies[below].began.Store(at) }

// End notes that the body is over.
func (b *Body[G]) End() {
	b.ref.Store(0) // WB2
	b.of.Store(nil)
}

// All returns the bodies that run, without those of which isOver tells that they are over, after
// all about them was read: WB3.
func (l *List[G]) All(isOver func(ref uint64) bool) (all []Running[G]) {
	for s := l.all.Load(); s != nil; s = s.next {
		last := -1
		for i := range s.bodies {
			b := &s.bodies[i]
			ref := b.ref.Load()
			if ref == 0 {
				continue
			}
			seen := Running[G]{Ref: ref, Began: b.began.Load(), GID: b.gid.Load(), Of: b.of.Load(), Part: b.part.Load()}
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
