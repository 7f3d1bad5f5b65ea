package mix_test

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	_ "github.com/heddle-go/heddle/internal/dev/seed"
	_ "github.com/heddle-go/heddle/internal/dev/short"
	"github.com/heddle-go/heddle/stress/internal/mix"
	"github.com/heddle-go/heddle/stress/watch"
	"github.com/heddle-go/heddle/taskgraph"
)

func TestMain(m *testing.M) {
	// On js the runtime keeps a goroutine of its own for events.
	watch.Main(m, goleak.IgnoreAnyFunction("runtime.handleEvent"))
}

// hangLimit is far longer than any program takes: what reaches it hangs.
const hangLimit = 3 * time.Minute

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

// testMix lets rapid draw the length of a program and the seed of the rest, so that a failing
// program is made shorter. (What rapid draws itself is nearly always small: then the rare features
// would never meet.)
func testMix(t *testing.T, times int, shutdown bool) {
	if testing.Short() {
		times = 1
	}
	for range times {
		rapid.Check(t, func(t *rapid.T) {
			x := mix.New(mix.Draw(length(t), bits(t, 32, "seed"), shutdown))
			leaked := watch.Leaks()
			defer watch.Hangs(hangLimit, x, x.Stuck)()
			require.NoError(t, x.Do())
			require.NoError(t, leaked(), "%v", x)
		})
	}
}

// length draws the length of a program.
func length(t *rapid.T) int { return 5 + int(bits(t, 6, "length"))%(mix.MaxLength-4) }

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

// inTurns runs a program in deterministic mode and returns the trace.
func inTurns(t require.TestingT, n int, seed uint64, shutdown bool,
	d taskgraph.Deterministic) string {
	var b bytes.Buffer
	d.Trace = &b
	x := mix.New(mix.Draw(n, seed, shutdown)).InTurns(&d)
	defer watch.Hangs(hangLimit, x, func() string { return b.String() })()
	require.NoError(t, x.Do())
	return b.String()
}

// All features at a time: each program of the mixture does what it should in every order, and
// the same in each run with the same seed, or schedule.
func TestDeterministicMix(t *testing.T) {
	for _, scheduled := range []bool{false, true} {
		rapid.Check(t, func(t *rapid.T) {
			n := length(t)
			seed, shutdown := bits(t, 32, "seed"), rapid.Bool().Draw(t, "shutdown")
			var d taskgraph.Deterministic
			if scheduled {
				d.Schedule = append([]byte{}, rapid.SliceOf(rapid.Byte()).Draw(t, "schedule")...)
			} else {
				d.Seed = rapid.Uint64().Draw(t, "order")
			}
			one := inTurns(t, n, seed, shutdown, d)
			require.Equal(t, one, inTurns(t, n, seed, shutdown, d))
		})
	}
}

// The same seed means the same on every platform: the digests of many traces are in testdata.
// UPDATE_GOLDEN=1 writes them anew.
func TestDeterministicDigests(t *testing.T) {
	var b strings.Builder
	for seed := range uint64(64) {
		h := fnv.New64a()
		fmt.Fprint(h, inTurns(t, 20, seed, seed%4 == 0, taskgraph.Deterministic{Seed: seed}))
		fmt.Fprintf(&b, "mixture %d: %016x\n", seed, h.Sum64())
	}
	const file = "testdata/digests.txt"
	if os.Getenv("UPDATE_GOLDEN") != "" {
		require.NoError(t, os.WriteFile(file, []byte(b.String()), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, strings.ReplaceAll(string(want), "\r", ""), b.String())
}
