package gates

import (
	"slices"

	"github.com/heddle-go/heddle/internal/atomics"
)

// A Passage is the way of one task through gates, each a G that has a number. The task enters them
// one after the other, in the order of the numbers, and keeps its place in each. The zero Passage
// has no gates and is ready. passage.md has the protocol.
//
// # Concurrency
//
// Add and Added are for the builder of the task, and Pass is for whoever has got a place for it.
// End is for whoever learns that the task is complete, perhaps at the same time. Gates, places and
// Clear are for whoever has the task to itself, or may know because End said so. Any goroutine may
// call IsClosed and Shown.
//
// # Progress
//
// Wait-free.
type Passage[G any] struct {
	// closed is how many gates are ahead of the task, with building while another is added, and
	// over once the task is complete. The task is not claimed while closed is not zero.
	closed atomics.Uint32
	holds  []hold[G] // in the order of the numbers

	// What reports may read of holds. The builder writes it.
	known atomics.Uint32
	shown [mostShown]atomics.Pointer[G]
}

type hold[G any] struct {
	gate   *G
	number uint64
	place  uint32
}

const (
	over     = 1 << 31
	building = 1 << 30

	mostShown = 4 // gates of one task that a report knows
)

// An AddResult says what became of an Add.
type AddResult uint8

const (
	AddBegun AddResult = iota
	AddTwice           // the task goes through that gate already
	AddOver            // the task is complete
)

// Add begins to add g, which has a number: PG1. If it has begun, the builder sees to it that End is
// called when the task is complete, and then calls Added.
func (p *Passage[G]) Add(g *G, number uint64) AddResult {
	i := len(p.holds)
	for i > 0 && p.holds[i-1].number > number {
		i--
	}
	if i > 0 && p.holds[i-1].gate == g {
		return AddTwice
	}
	if p.closed.Or(building)&over != 0 {
		return AddOver
	}
	p.holds = slices.Insert(p.holds, i, hold[G]{gate: g, number: number})
	for i := range min(len(p.holds), mostShown) {
		p.shown[i].Store(p.holds[i].gate)
	}
	p.known.Store(uint32(len(p.holds)))
	return AddBegun
}

// Added ends what Add has begun: PG2. It reports false if the task was completed meanwhile: then
// End has left all to the builder.
func (p *Passage[G]) Added() bool {
	n := uint32(len(p.holds))
	return p.closed.CompareAndSwap(building|(n-1), n)
}

// Pass notes that the task has got a place in the next gate: PG3. It returns the gate that comes
// then, or nil; or it reports false, since the task is complete: the caller gives the place back.
func (p *Passage[G]) Pass(place uint32) (next *G, ok bool) {
	left := p.closed.Load()
	i := len(p.holds) - int(left&^over)
	p.holds[i].place = place
	if left&over != 0 || !p.closed.CompareAndSwap(left, left-1) { // LP(Pass)
		return nil, false
	}
	if i+1 < len(p.holds) {
		return p.holds[i+1].gate, true
	}
	return nil, true
}

// End says, once, that the task is complete: PG4. It returns how many gates the task has passed,
// whose places are to be given back; or it reports false, since the builder is adding a gate and
// learns from Added that all is left to it.
func (p *Passage[G]) End() (passed int, ok bool) {
	v := p.closed.Or(over) // LP(End)
	if v&building != 0 {
		return 0, false
	}
	return len(p.holds) - int(v), true
}

// IsClosed reports whether gates are ahead, or the task is complete.
func (p *Passage[G]) IsClosed() bool { return p.closed.Load() != 0 }

// Len returns the number of gates.
func (p *Passage[G]) Len() int { return len(p.holds) }

// Gate returns the gate i, in the order of the numbers.
func (p *Passage[G]) Gate(i int) *G { return p.holds[i].gate }

// Place returns the place that the task got in the gate i. Of one that it has not passed somebody
// may be writing the place.
func (p *Passage[G]) Place(i int) uint32 { return p.holds[i].place }

// Shown returns, for reports, the gates of the task in their order, the first few of them, how many
// it has passed, and whether it stands before one.
func (p *Passage[G]) Shown() (gates []*G, passed int, stands bool) {
	n := int(p.known.Load())
	for i := range min(n, mostShown) {
		if g := p.shown[i].Load(); g != nil {
			gates = append(gates, g)
		}
	}
	ahead := int(p.closed.Load() &^ (over | building))
	return gates, max(0, n-ahead), ahead > 0
}

// Clear takes all gates out, for another task.
func (p *Passage[G]) Clear() {
	p.known.Store(0)
	for i := range min(len(p.holds), mostShown) {
		p.shown[i].Store(nil)
	}
	clear(p.holds)
	p.holds = p.holds[:0]
	p.closed.Store(0)
}
