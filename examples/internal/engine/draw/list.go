package draw

import (
	"github.com/heddle-go/heddle/examples/internal/engine/cull"
	"github.com/heddle-go/heddle/examples/internal/engine/order"
	"github.com/heddle-go/heddle/examples/internal/engine/raster"
	"github.com/heddle-go/heddle/examples/internal/engine/vec"
)

// A List is the items of a picture, the nearest first, so that what they hide need not be
// drawn over. It is filled in stages:
//
//	[List.Begin]    once
//	[List.Collect]  candidates: those that are seen get a place in the order
//	[List.Sort]     once
//	[List.Emit]     places of the list: copies the items there
//
// Candidates are numbered through, so that several kinds of objects can be collected side by
// side, each from its first number on.
type List struct {
	keys, spare []uint64
	items       []raster.Item
	n, candid   int
}

// NewList returns a list for at most so many candidates.
func NewList(candidates int) *List {
	return &List{
		keys: make([]uint64, candidates), spare: make([]uint64, candidates),
		items: make([]raster.Item, candidates),
	}
}

// Begin empties the list. It panics on more candidates than the list was made for.
func (l *List) Begin(candidates int) {
	if candidates > len(l.keys) {
		panic("draw: more candidates than the list was made for")
	}
	l.candid, l.n = candidates, 0
}

// Collect takes the objects lo to hi-1 of a kind whose object 0 is the candidate first.
func (l *List) Collect(v *raster.View, first int, boxes []vec.AABB, states []cull.State, lo,
	hi int) {
	for i := lo; i < hi; i++ {
		l.keys[first+i] = order.None
		if states[i].Seen() {
			b := &boxes[i]
			// The distance of the nearest point of the box: 0 around the eye.
			d := b.Min.Sub(v.Eye).Max(v.Eye.Sub(b.Max)).Max(vec.Vec3{})
			l.keys[first+i] = order.Key(d.Len2(), first+i)
		}
	}
}

// Sort puts the candidates that are seen in order. It is one sequential step.
func (l *List) Sort() {
	n := 0
	for _, k := range l.keys[:l.candid] {
		if k != order.None {
			l.keys[n] = k
			n++
		}
	}
	order.Sort(l.keys[:n], l.spare)
	l.n = n
}

// Len returns the length of the list after Sort.
func (l *List) Len() int { return l.n }

// Candidate returns who stands at a place of the list.
func (l *List) Candidate(place int) int { return order.Index(l.keys[place]) }

// Emit copies to the places lo to hi-1 of the list the items that stand there and belong to a
// kind: its object 0 is the candidate first, and items are those of its objects. With several
// kinds it is called for each.
func (l *List) Emit(first int, items []raster.Item, lo, hi int) {
	for k := lo; k < hi; k++ {
		if i := l.Candidate(k) - first; i >= 0 && i < len(items) {
			l.items[k] = items[i]
		}
	}
}

// Items returns the list after Emit.
func (l *List) Items() []raster.Item { return l.items[:l.n] }
