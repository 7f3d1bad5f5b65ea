package taskgraph

import (
	"math"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCostsRemember(t *testing.T) {
	var table costs
	entry, tag := table.at(0x401000)
	require.Zero(t, known(entry, tag), "nothing yet")
	learn(entry, tag, 0.5)
	require.Equal(t, 0.5, known(entry, tag))
	// An interruption moves it by a factor of 4 at most.
	learn(entry, tag, 1e6)
	require.Equal(t, 2., known(entry, tag))
	for range 60 {
		learn(entry, tag, 10_000)
	}
	require.InEpsilon(t, 10_000, known(entry, tag), 0.2)
	for range 60 {
		learn(entry, tag, 0)
	}
	require.Positive(t, known(entry, tag), "0 means unknown")
	learn(entry, tag, 1e30)
	// Other code on the same entry finds nothing, and takes it.
	_, other := table.at(0x402000)
	require.NotEqual(t, tag, other)
	require.Zero(t, known(entry, other))
	learn(entry, other, 7)
	require.Equal(t, 7., known(entry, other))
	require.Zero(t, known(entry, tag))
	// The largest there can be.
	entry, tag = table.at(^uintptr(0))
	learn(entry, tag, 1e30)
	require.Greater(t, known(entry, tag), 1e9)
}

func TestCheapIsWhatIsKnownToTakeLittle(t *testing.T) {
	var table costs
	code := uintptr(0x401000)
	require.False(t, isCheap(table.of(code), 100), "unknown")
	entry, tag := table.at(code)
	learn(entry, tag, 0.5)
	for n, cheap := range map[int]bool{0: false, -1: false, 1: true, 100: true, 9999: true, 10_000: false, 1 << 30: false, math.MaxInt: false, math.MinInt: false} {
		require.Equal(t, cheap, isCheap(table.of(code), n), n)
	}
	require.False(t, isCheap(table.of(code+1), 100), "other code")
	learn(entry, tag|1<<costField, 0.5)
	require.False(t, isCheap(table.of(code), 100), "other code on the same entry")
	entry, tag = table.at(^uintptr(0))
	for range 200 {
		learn(entry, tag, 1e30)
	}
	require.False(t, isCheap(table.of(^uintptr(0)), math.MaxInt))
}

// Whatever the loops, one is measured now and then, and most are not.
func TestCreditIsUsedUp(t *testing.T) {
	for _, cost := range []uint64{1, costUnit / 2, 40 * costUnit} {
		loops, due, credit := 100_000, 0, int32(0)
		for range loops {
			if credit -= price(cost, 100); credit < 0 {
				credit = freshCredit()
				due++
			}
		}
		spent := float64(loops) * float64(price(cost, 100)) / costUnit
		require.InEpsilon(t, spent/measuring, due, 0.3)
	}
}

func TestCodeIsSharedByClosures(t *testing.T) {
	var a, b int
	require.Equal(t, codeOf(counter(&a)), codeOf(counter(&b)))
	require.NotEqual(t, codeOf(counter(&a)), codeOf(func(lo, hi int) { b++ }))
	require.Equal(t, codeOf(counter(&a)), codeOfSite(counter(&b)))
	f := func(*Participant, int, int) error { return nil }
	require.Equal(t, codeOf(f), codeOfSite(f))
	require.Equal(t, reflect.ValueOf(f).Pointer(), codeOf(f))
	require.Zero(t, codeOfSite((func())(nil)))
}

//go:noinline
func counter(x *int) func(lo, hi int) { return func(lo, hi int) { *x += hi - lo } }
