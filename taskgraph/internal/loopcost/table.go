package loopcost

import (
	"math"

	"github.com/heddle-go/heddle/internal/atomics"
)

// A Table remembers what an element of each loop costs, by the code of its body. If two bodies
// share a word they overwrite each other's cost, and measure again. The zero Table knows nothing.
// Any goroutine may call its methods, and those of its places; each is a load, or a store.
type Table [1 << tableBits]atomics.Uint64

// A word holds the low bits of the address of the code above the cost, in 1/Unit of a nanosecond.
const (
	tableBits = 9
	costBits  = 40
	tagMask   = math.MaxUint64 &^ (1<<costBits - 1)
)

// Unit is how many units of cost are a nanosecond.
const Unit = 64

// A Cell remembers what an element of one loop costs. The zero Cell knows nothing.
type Cell struct{ word atomics.Uint64 }

// A Place is where the cost of a loop is kept: a word, and the tag that identifies the loop.
type Place struct {
	word *atomics.Uint64
	tag  uint64
}

// At returns the place for the code at an address.
func (t *Table) At(code uintptr) Place {
	h := uint64(code) * 0x9e3779b97f4a7c15
	return Place{&t[h>>(64-tableBits)], uint64(code) << costBits} // C1
}

// Place returns the place for the one loop that uses c.
func (c *Cell) Place() Place { return Place{&c.word, 0} }

// Known returns the remembered cost of an element in nanoseconds, or 0.
func (p Place) Known() float64 {
	v := p.word.Load()
	if v&tagMask != p.tag {
		return 0
	}
	return float64(v&^tagMask) * (1.0 / Unit)
}

// Load returns the remembered cost in units: 0 if there is none, and more than any loop costs if
// the word belongs to another loop.
func (p Place) Load() uint64 { return p.word.Load() ^ p.tag }

// Learn remembers that an element took took nanoseconds. One measurement raises the remembered cost
// at most fourfold, because it may have been interrupted; otherwise it counts half.
func (p Place) Learn(took float64) {
	if old := p.Known(); old > 0 {
		took = (old + min(took, 7*old)) / 2
		if took > old*7/8 && took < old*9/8 {
			return // not worth a write to a word that all participants read
		}
	}
	p.word.Store(p.tag | uint64(min(max(took*Unit, 1), 1<<costBits-1)))
}
