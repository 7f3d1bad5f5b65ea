package spin_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	_ "github.com/heddle-go/heddle/internal/dev/seed"
	_ "github.com/heddle-go/heddle/internal/dev/short"
	"github.com/heddle-go/heddle/internal/spin"
)

// A wait that slept and was longer than the most takes a quarter off what is left, down to the
// least; one that was no longer restores all.
func TestBudgetLearns(t *testing.T) {
	const most, least = 1600, 100
	var b spin.Budget
	b.Init(most, least)
	require.EqualValues(t, most, b.Time())
	for want := int64(most); want > least; {
		b.Learn(most + 1)
		want = max(want-want/4, least)
		require.Equal(t, want, b.Time())
	}
	b.Learn(math.MaxInt64)
	require.EqualValues(t, least, b.Time())
	b.Learn(most)
	require.EqualValues(t, most, b.Time())
	b.Learn(0)
	require.EqualValues(t, most, b.Time())
}

// The smallest budget does not vanish, the largest does not overflow.
func TestBudgetExtremes(t *testing.T) {
	for _, most := range []int64{1, 2, 3, 15, 16, math.MaxInt64/2 + 1, math.MaxInt64 - 1} {
		var b spin.Budget
		b.Init(most, most/16)
		for range 200 {
			b.Learn(math.MaxInt64)
			require.Positive(t, b.Time())
		}
		require.LessOrEqual(t, b.Time(), most/16+3, most)
		b.Learn(1)
		require.Equal(t, most, b.Time())
	}
}

// No sequence of waits costs more than 15/7 of the best, see README.md. Rounding to whole
// nanoseconds comes on top of it.
func TestCompetitive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		most := rapid.Int64Range(16, 1_000_000).Draw(t, "most")
		var b spin.Budget
		b.Init(most, most/rapid.Int64Range(1, 64).Draw(t, "part"))
		var ours, best float64
		for range rapid.IntRange(1, 60).Draw(t, "waits") {
			var took int64
			switch budget := b.Time(); rapid.IntRange(0, 3).Draw(t, "kind") {
			case 0:
				took = budget + 1 // the worst for this budget
			case 1:
				took = most + 1 // what shortens it at the least cost
			default:
				took = rapid.Int64Range(0, 3*most).Draw(t, "took")
			}
			best += float64(min(took, most))
			if budget := b.Time(); took <= budget {
				ours += float64(took)
			} else {
				ours += float64(budget + most)
				b.Learn(took)
			}
		}
		if ours > 15.0/7*best+4*float64(60) { // whole nanoseconds
			t.Fatalf("%.0f, where %.0f is the best", ours, best)
		}
	})
}
