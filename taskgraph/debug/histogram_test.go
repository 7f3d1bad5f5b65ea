package debug

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	_ "github.com/heddle-go/heddle/internal/dev/seed"
	_ "github.com/heddle-go/heddle/internal/dev/short"
	"pgregory.net/rapid"
)

func TestBuckets(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		d := time.Duration(rapid.Int64Range(0, math.MaxInt64).Draw(rt, "d"))
		if rapid.Bool().Draw(rt, "short") {
			d >>= rapid.IntRange(0, 63).Draw(rt, "shift")
		}
		i := bucketOf(d)
		from := bottom(i)
		require.LessOrEqual(rt, from, d)
		require.LessOrEqual(rt, d-from, from/8, "not known to an eighth")
		if i+1 < buckets {
			require.Greater(rt, bottom(i+1), d)
		}
	})
	require.Zero(t, bucketOf(-1))
	require.Equal(t, buckets-1, bucketOf(math.MaxInt64))
}

// TestQuantiles compares with what sorting says.
func TestQuantiles(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 1))
		all := make([]time.Duration, rapid.IntRange(1, 300).Draw(rt, "n"))
		var h histogram
		for i := range all {
			all[i] = time.Duration(r.ExpFloat64() * 1e5)
			h.add(all[i])
		}
		slices.Sort(all)
		for _, p := range []float64{0, 0.5, 0.9, 0.99, 0.999, 1} {
			exact := all[max(0, int(math.Ceil(p*float64(len(all))))-1)]
			got := h.quantile(p)
			require.GreaterOrEqual(rt, got, exact, "p%v", p*100)
			require.LessOrEqual(rt, got, exact+exact/8, "p%v", p*100)
		}
		require.Equal(rt, all[len(all)-1], h.quantile(1))
		sum := uint64(0)
		for i, b := range h.octaves() {
			require.Less(rt, b.From, b.To)
			if i > 0 {
				require.Equal(rt, h.octaves()[i-1].To, b.From, "bars leave nothing out")
			}
			sum += b.N
		}
		require.Equal(rt, uint64(len(all)), sum)
	})
	var none histogram
	require.Zero(t, none.quantile(0.99))
	require.Empty(t, none.octaves())
}
