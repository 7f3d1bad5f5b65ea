package loopcost

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// A measurement that says nearly the same is not worth a write.
func TestCostsKeepWhatIsNearlyTheSame(t *testing.T) {
	var c Cell
	at := c.Place()
	at.Learn(1000)
	at.Learn(1200)
	require.Equal(t, 1000., at.Known())
	at.Learn(800)
	require.Equal(t, 1000., at.Known())
	at.Learn(1400)
	require.Equal(t, 1200., at.Known())
	at.Learn(800)
	require.Equal(t, 1000., at.Known())
}

func TestCostsRemember(t *testing.T) {
	var table Table
	at := table.At(0x401000)
	require.Zero(t, at.Known(), "nothing yet")
	at.Learn(0.5)
	require.Equal(t, 0.5, at.Known())
	// An interruption moves it by a factor of 4 at most.
	at.Learn(1e6)
	require.Equal(t, 2., at.Known())
	for range 60 {
		at.Learn(10_000)
	}
	require.InEpsilon(t, 10_000, at.Known(), 0.2)
	for range 60 {
		at.Learn(0)
	}
	require.Positive(t, at.Known(), "0 means unknown")
	require.Less(t, at.Known(), 1., "what has become cheap is known to be")
	at.Learn(1e30)
	// Other code on the same entry finds nothing, and takes it.
	other := Place{at.word, table.At(0x402000).tag}
	require.NotEqual(t, at.tag, other.tag)
	require.Zero(t, other.Known())
	other.Learn(7)
	require.Equal(t, 7., other.Known())
	require.Zero(t, at.Known())
	// The largest there can be.
	at = table.At(^uintptr(0))
	at.Learn(1e30)
	require.Greater(t, at.Known(), 1e9)
}

func TestCheapIsWhatIsKnownToTakeLittle(t *testing.T) {
	var table Table
	code := uintptr(0x401000)
	require.False(t, IsCheap(table.At(code).Load(), 100), "unknown")
	at := table.At(code)
	at.Learn(0.5)
	for n, cheap := range map[int]bool{0: false, -1: false, 1: true, 100: true, 2*Cheap - 1: true,
		2 * Cheap: false, 1 << 30: false, math.MaxInt: false, math.MinInt: false} {
		require.Equal(t, cheap, IsCheap(table.At(code).Load(), n), n)
	}
	require.False(t, IsCheap(table.At(code+1).Load(), 100), "other code")
	Place{at.word, at.tag | 1<<costBits}.Learn(0.5)
	require.False(t, IsCheap(table.At(code).Load(), 100), "other code on the same entry")
	at = table.At(^uintptr(0))
	for range 200 {
		at.Learn(1e30)
	}
	require.False(t, IsCheap(table.At(^uintptr(0)).Load(), math.MaxInt))
}

// Whatever the loops, one is measured now and then, and most are not.
func TestCreditIsUsedUp(t *testing.T) {
	for _, cost := range []uint64{1, Unit / 2, 40 * Unit} {
		const loops = 100_000
		spent := loops * float64(Price(cost, 100)) / Unit
		var credit Credit
		var credits Credits
		for _, isDue := range []func() bool{
			func() bool { return credit.IsDue(Price(cost, 100)) },
			func() bool { return credits.IsDue(0x7000, Price(cost, 100)) },
		} {
			due := 0
			for range loops {
				if isDue() {
					due++
				}
			}
			require.InEpsilon(t, spent/measuring, due, 0.3)
		}
	}
}

func TestMissed(t *testing.T) {
	const worth = 80_000
	var m Missed
	for end := int64(1_000_000); ; end += 20_000 {
		m.Alone(end-16_000, end)
		if m.time.Load() >= worth {
			break
		}
		require.False(t, m.IsDue(worth))
	}
	require.True(t, m.IsDue(worth))
	require.False(t, m.IsDue(worth), "once")

	m = Missed{}
	for end := int64(1_000_000); end < 100_000_000; end += 100_000 { // seldom: a tenth of the time
		m.Alone(end-10_000, end)
		require.False(t, m.IsDue(worth))
	}
	m.Alone(5, 10) // a clock that another processor was ahead of
	require.Positive(t, m.time.Load())
}
