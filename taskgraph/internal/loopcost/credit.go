package loopcost

import (
	"math/rand/v2"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/cacheline"
)

// A loop that takes less than Cheap, in nanoseconds, is not worth a helper: its caller runs it
// alone, and it is rarely measured.
const Cheap = 3_000

// IsCheap reports whether a loop over n elements of a cost, as Load returns it, is known to take
// less than Cheap.
func IsCheap(cost uint64, n int) bool {
	return cost|uint64(n) < 2*Cheap*Unit && // C2
		cost*uint64(n)-1 < Cheap*Unit-1
}

// On average one cheap loop is measured for each of these periods of cheap loops. Each loop counts
// as a little more than it takes: otherwise it would take long to notice that one of the cheapest
// has become expensive.
const (
	measuring = 25_600
	atLeast   = 100
)

// Price returns what a cheap loop takes from the credit of its caller. When the credit is used up,
// a loop is measured.
//
// Counting is cheaper than a random number for each loop. But each new credit is random: otherwise,
// of loops that alternate, always the same one could be measured.
func Price(cost uint64, n int) int32 { return int32(cost*uint64(n)) + atLeast*Unit } // C3

// freshCredit returns the credit after a measured loop.
//
//go:noinline
func freshCredit() int32 { return measuring*Unit/2 + rand.Int32N(measuring*Unit) }

// A Credit is what one goroutine has left for cheap loops.
type Credit int32

// IsDue takes the price of a cheap loop from the credit, and reports whether that is used up, so
// that the loop is to be measured.
func (c *Credit) IsDue(price int32) bool {
	if *c -= Credit(price); *c >= 0 {
		return false
	}
	*c = Credit(freshCredit())
	return true
}

// Credits are for callers from outside, which have no credit of their own. They use one by the
// address of their stack, so that they seldom write the same word.
type Credits [1 << creditBits]struct {
	left atomics.Int32
	_    [cacheline.Size - 4]byte
}

const creditBits = 4

// IsDue is Credit.IsDue for a caller with that stack.
func (t *Credits) IsDue(stack uintptr, price int32) bool {
	left := &t[uint64(stack)*0x9e3779b97f4a7c15>>(64-creditBits)].left
	if left.Add(-price) >= 0 {
		return false
	}
	left.Store(freshCredit())
	return true
}
