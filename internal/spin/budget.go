package spin

import "github.com/heddle-go/heddle/internal/atomics"

// A Budget is how long waits of one kind spin before they sleep. It learns from waits that slept:
// one that would have ended within the whole budget restores all of it, a longer one takes a
// quarter off.
//
// Karlin, Li, Manasse and Owicki, "Empirical Studies of Competitive Spinning for a Shared-Memory
// Multiprocessor", SOSP 1991.
//
// Make one with Init. Anybody may call its methods: of two concurrent calls of Learn one may be
// lost, but the budget stays within its limits. None waits or allocates.
type Budget struct {
	most, least int64
	lost        atomics.Int64 // of most: 0 to most-least
}

// Init sets the limits, in nanoseconds: most is what a sleep costs, least is where shortening ends.
func (b *Budget) Init(most, least int64) { b.most, b.least = most, min(max(least, 1), most) }

// Time returns how long a wait that begins now spins, in nanoseconds.
func (b *Budget) Time() int64 { return b.most - b.lost.Load() }

// Learn says how long a wait that outlasted its budget took from its beginning, in nanoseconds.
func (b *Budget) Learn(took int64) {
	lost := b.lost.Load()
	if took > b.most {
		b.lost.Store(min(lost+(b.most-lost)/4, b.most-b.least))
	} else if lost != 0 {
		b.lost.Store(0)
	}
}
