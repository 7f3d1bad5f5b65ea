package taskgraph

import (
	"math"
	"math/rand/v2"

	"github.com/heddle-go/heddle/internal/atomics"
)

// costs remembers what an element of each loop costs, by the code of its body. An entry that two
// bodies share is theirs by turns: they forget, and measure again.
type costs [1 << costBits]atomics.Uint64

// An entry holds the low bits of the address of the code above the cost, in costUnit of a
// nanosecond.
const (
	costBits  = 9
	costField = 40
	costUnit  = 64
	costTag   = math.MaxUint64 &^ (1<<costField - 1)
)

// at returns the entry for the code at an address, and the tag that says that it is that code's.
func (t *costs) at(code uintptr) (entry *atomics.Uint64, tag uint64) {
	h := uint64(code) * 0x9e3779b97f4a7c15
	return &t[h>>(64-costBits)], uint64(code) << costField & costTag
}

// known returns what is remembered, in nanoseconds for an element, or 0.
func known(entry *atomics.Uint64, tag uint64) float64 {
	v := entry.Load()
	if v&costTag != tag {
		return 0
	}
	return float64(v&^costTag) * (1.0 / costUnit)
}

// learn remembers that an element took so many nanoseconds. One measurement moves what is
// remembered by a factor of 4 upwards at most, because it may have been interrupted; it counts half otherwise.
func learn(entry *atomics.Uint64, tag uint64, took float64) {
	if old := known(entry, tag); old > 0 {
		took = (old + min(took, 7*old)) / 2
		if took > old*7/8 && took < old*9/8 {
			return // not worth the write to what all participants read
		}
	}
	entry.Store(tag | uint64(min(max(took*costUnit, 1), 1<<costField-1)))
}

// Of how many nanoseconds of cheap loops one is measured, in the mean: some fifty times what that takes. The
// cheapest count as more than they take, or it would be long until one is noticed that has become dear.
const (
	measuring = 12_800
	cheapest  = 200
)

// dueToMeasure says of some calls, at random, that a loop that seems to take so many nanoseconds is to be
// measured. It keeps no count, which callers of the same loop would have to write by turns. c may be nil.
func dueToMeasure(c *Context, guess float64) bool {
	var draw uint32
	if c != nil {
		draw = c.r.draw()
	} else {
		draw = rand.Uint32()
	}
	return float64(draw) < max(guess, cheapest)*(float64(1<<32)/measuring)
}

// draw returns a random number, by Marsaglia's xorshift.
func (r *runner) draw() uint32 {
	x := r.drawn
	if x == 0 {
		x = rand.Uint32() | 1
	}
	x ^= x << 13
	x ^= x >> 17
	x ^= x << 5
	r.drawn = x
	return x
}
