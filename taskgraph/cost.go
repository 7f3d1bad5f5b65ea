package taskgraph

import (
	"math"
	"math/rand/v2"
	"reflect"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/cacheline"
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

// A costAt is where the cost of a loop is kept: an entry, and the tag that says that it is that loop's.
type costAt struct {
	entry *atomics.Uint64
	tag   uint64
}

// at returns the place for the code at an address.
func (t *costs) at(code uintptr) costAt {
	h := uint64(code) * 0x9e3779b97f4a7c15
	return costAt{&t[h>>(64-costBits)], uint64(code) << costField}
}

// isSite reports whether site may be a [Loop].Site.
func isSite(site any) bool {
	if l, ok := site.(*LoopSite); ok {
		return l != nil
	}
	return reflect.TypeOf(site).Kind() == reflect.Func
}

// ofSite returns the place for a [Loop].Site.
func (t *costs) ofSite(site any) costAt {
	if l, ok := site.(*LoopSite); ok {
		return costAt{&l.cost, 0}
	}
	return t.at(codeOfSite(site))
}

// known returns what is remembered, in nanoseconds for an element, or 0.
func (at costAt) known() float64 {
	v := at.entry.Load()
	if v&costTag != at.tag {
		return 0
	}
	return float64(v&^costTag) * (1.0 / costUnit)
}

// load returns what is remembered, in costUnit: 0 if nothing is, or more than a costField holds.
func (at costAt) load() uint64 { return at.entry.Load() ^ at.tag }

// of returns what is remembered for the code at an address, as load does.
func (t *costs) of(code uintptr) uint64 { return t.at(code).load() }

// isCheap reports whether a loop over n elements of a cost is known to be cheap.
func isCheap(cost uint64, n int) bool {
	return cost|uint64(n) < 2*cheapLoop*costUnit && cost*uint64(n)-1 < cheapLoop*costUnit-1
}

// learn remembers that an element took so many nanoseconds. One measurement moves what is
// remembered by a factor of 4 upwards at most, because it may have been interrupted; it counts half otherwise.
func (at costAt) learn(took float64) {
	if old := at.known(); old > 0 {
		took = (old + min(took, 7*old)) / 2
		if took > old*7/8 && took < old*9/8 {
			return // not worth the write to what all participants read
		}
	}
	at.entry.Store(at.tag | uint64(min(max(took*costUnit, 1), 1<<costField-1)))
}

// Of so many nanoseconds of cheap loops one is measured, in the mean. Each counts as more than it takes, or it would be long until one of
// the cheapest is noticed that has become dear.
const (
	measuring = 25_600
	atLeast   = 100
)

// price returns what a cheap loop takes from the credit of whoever runs it. When that is used up, a loop is measured.
//
// It is counted and not drawn at random for each loop, which takes longer than an addition; but each new credit is
// random, or of loops that take turns it could be always the same one that is measured.
func price(cost uint64, n int) int32 { return int32(cost*uint64(n)) + atLeast*costUnit }

// freshCredit returns measuring, in the mean.
//
//go:noinline
func freshCredit() int32 { return measuring*costUnit/2 + rand.Int32N(measuring*costUnit) }

// credits are for callers that are no bodies, and have none of their own: they use one that depends on where their
// stack lies, so that they seldom write the same word.
type credits [1 << creditBits]struct {
	left atomics.Int32
	_    [cacheline.Size - 4]byte
}

const creditBits = 4

// at returns the credit for a stack.
func (t *credits) at(stack uintptr) *atomics.Int32 {
	return &t[uint64(stack)*0x9e3779b97f4a7c15>>(64-creditBits)].left
}
