package sites

import (
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/paged"
)

// Notes has what was noted of the last event with each index: a T, which does not change. The zero
// Notes has nothing, and is ready. Any goroutine may call its methods. Of is wait-free, and so is
// Put, which allocates when it is the first for an index, and perhaps for many others.
type Notes[T any] struct{ t paged.Table[note[T]] }

type note[T any] struct {
	ref atomics.Uint64
	of  atomics.Pointer[T]
}

// Put notes x of the event with that index and reference, which is incomplete: SI3.
func (n *Notes[T]) Put(index uint32, ref uint64, x *T) {
	at := n.t.Grow(index)
	at.ref.Store(0) // no event has this reference
	at.of.Store(x)
	at.ref.Store(ref)
}

// Of returns what was noted of the event, or nil: SI4.
func (n *Notes[T]) Of(index uint32, ref uint64) *T {
	at := n.t.Get(index)
	if at == nil || at.ref.Load() != ref {
		return nil
	}
	if x := at.of.Load(); at.ref.Load() == ref {
		return x
	}
	return nil
}
