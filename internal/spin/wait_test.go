package spin_test

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/spin"
)

// Who leaves is told that a goroutine wants its processor, and one who does not leave lets it run.
func TestPauseBesideOthers(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var stop atomics.Bool
	var ran atomics.Int32
	defer stop.Store(true)
	go func() {
		for ; !stop.Load(); atomics.Gosched() {
			ran.Add(1)
		}
	}()
	leaver := spin.Wait{Leaves: true}
	for n := 0; !leaver.IsWanted(); n++ {
		require.Less(t, n, 1_000_000)
		leaver.Pause(30)
	}
	leaver.Begin()
	require.False(t, leaver.IsWanted(), "it begins anew")
	yielder, before := spin.Wait{}, ran.Load()
	for n := 0; ran.Load() < before+2; n++ {
		require.Less(t, n, 1_000_000)
		yielder.Pause(30)
	}
	require.False(t, yielder.IsWanted())
}

// The pause between two looks grows with the wait, up to the longest: so rounds have ever fewer of
// them, but two at least.
func TestLooksBecomeRare(t *testing.T) {
	var w spin.Wait
	w.BeginAt(atomics.Now())
	const rounds = 100
	var looks [rounds]int
	for round := range rounds {
		for looks[round] = 1; !w.Look(); looks[round]++ {
		}
		require.LessOrEqual(t, looks[round], looks[max(round-1, 0)], "round %d", round)
	}
	require.Greater(t, looks[0], 10)
	require.Equal(t, 2, looks[rounds-1])
	w.BeginAt(atomics.Now())
	again := 1
	for ; !w.Look(); again++ {
	}
	require.Equal(t, looks[0], again, "a new wait begins with short pauses")
}

// A wait learns up to the end that it is told, and once.
func TestSleptUntil(t *testing.T) {
	var b spin.Budget
	b.Init(1000, 100)
	w := spin.Wait{Budget: &b}
	w.BeginAt(5000)
	w.SleptUntil(9000)
	require.EqualValues(t, 1000, b.Time(), "nothing was to be learned")
	w.Stop(true)
	w.SleptUntil(6001)
	require.EqualValues(t, 750, b.Time())
	w.SleptUntil(6000)
	require.EqualValues(t, 750, b.Time())
	w.BeginAt(5000)
	w.Stop(true)
	w.SleptUntil(6000)
	require.EqualValues(t, 1000, b.Time())
}

// A wait that has slept, and is told no end, learns that the sleep has lasted until a moment ago.
func TestSlept(t *testing.T) {
	var b spin.Budget
	b.Init(1000, 100)
	w := spin.Wait{Budget: &b}
	w.BeginAt(atomics.Now() - 1_000_000_000)
	w.Stop(true)
	w.Slept()
	require.EqualValues(t, 750, b.Time())
	w.BeginAt(atomics.Now() - 1_000_000_000)
	w.Stop(false)
	w.Slept()
	require.EqualValues(t, 750, b.Time(), "something else has ended the spinning")
}
