package taskgraph_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/heddle-go/heddle/internal/mix"
	"github.com/heddle-go/heddle/stress/watch"
)

// Whatever is mixed: every body runs as often as the program says, after what it depends on; all
// events complete, with the failures that they must have; and nothing is left over.
func TestMix(t *testing.T) {
	testMix(t, 3, false)
}

// The same while the system is shut down: every launch is accepted, and then completes, or it is
// refused, and so are all that come after it.
func TestMixShutdown(t *testing.T) {
	testMix(t, 2, true)
}

// testMix lets rapid draw the length of a program and the seed of the rest, so that a failing program
// is made shorter. (What rapid draws itself is nearly always small: then the rare features
// would never meet.)
func testMix(t *testing.T, times int, shutdown bool) {
	if testing.Short() {
		times = 1
	}
	for range times {
		rapid.Check(t, func(t *rapid.T) {
			n := 5 + int(bits(t, 6, "length"))%(mix.MaxLength-4)
			x := mix.New(mix.Draw(n, bits(t, 32, "seed"), shutdown))
			leaked := watch.Leaks()
			defer watch.Hangs(hangLimit, x, x.Stuck)()
			require.NoError(t, x.Do())
			require.NoError(t, leaked(), "%v", x)
		})
	}
}

// bits draws a number of so many bits, each of which is as likely to be set as not.
func bits(t *rapid.T, n int, label string) (v uint64) {
	for _, b := range rapid.SliceOfN(rapid.Bool(), n, n).Draw(t, label) {
		v <<= 1
		if b {
			v |= 1
		}
	}
	return v
}
