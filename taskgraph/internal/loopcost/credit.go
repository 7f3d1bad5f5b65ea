package loopcost

import (
	"math/rand/v2"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/cacheline"
)

// Cheap is how long a loop takes, in nanoseconds, that is not worth a helper: its caller runs it
// alone, and it is rarely measured.
const Cheap = 3_000

// IsCheap reports whether a loop over n elements of a cost, as Load returns it, is known to take less
// than Cheap.
func IsCheap(cost uint64, n int) bool {
	return cost|uint64(n) < 2*Cheap*Unit && // C2
		cost*uint64(n)-1 < Cheap*Unit-1
}

// Of so many nanoseconds of cheap loops one is measured, in the mean. Each counts as more than it
// takes, or it would be long until one of the cheapest is noticed that has become dear.
const (
	measuring = 25_600
	atLeast   = 100
)

// Price returns what a cheap loop takes from the credit of whoever runs it. When that is used up, a
// loop is measured.
//
// It is counted and not drawn at random for each loop, which takes longer than an addition; but each
// new credit is random, or of loops that take turns it could be always the same one that is measured.
func Price(cost uint64, n int) int32 { return int32(cost*uint64(n)) + atLeast*Unit } // C3

// FreshCredit returns the credit after a loop that is measured.
//
//go:noinline
func FreshCredit() int32 { return measuring*Unit/2 + rand.Int32N(measuring*Unit) }

// Credits are for callers that are no bodies, and have none of their own: they use one that depends
// on where their stack lies, so that they seldom write the same word.
type Credits [1 << creditBits]struct {
	left atomics.Int32
	_    [cacheline.Size - 4]byte
}

const creditBits = 4

// At returns the credit for a stack.
func (t *Credits) At(stack uintptr) *atomics.Int32 {
	return &t[uint64(stack)*0x9e3779b97f4a7c15>>(64-creditBits)].left
}
