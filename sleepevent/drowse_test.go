package sleepevent_test

import (
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/dev/hang"
	"github.com/heddle-go/heddle/internal/dev/short"
	"github.com/heddle-go/heddle/sleepevent"
)

// TestDrowsersFollowGOMAXPROCS: one drowser for two Ps, asked anew at each rest; the other
// workers sleep at once.
func TestDrowsersFollowGOMAXPROCS(t *testing.T) {
	hang.Watch(t)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	const workers = 6
	g := sleepevent.NewGroup(workers, sleepevent.Options{DrowseBudget: time.Hour})
	for range workers {
		g.BeginSearch()
	}
	before := g.Stats()
	for _, procs := range []int{1, 2, 3, 4, 1, 7} {
		runtime.GOMAXPROCS(procs)
		want := runtime.GOMAXPROCS(0) / 2 // js has one P, whatever is asked for
		var ended sync.WaitGroup
		for i := range workers {
			ended.Go(func() { g.Idle(i, nothing) })
		}
		// A drowser is among the drowsers a moment before it counts its drowse.
		hang.Await(func() bool {
			s := g.Stats()
			return g.Drowsers() == want && s.Drowses-before.Drowses >= uint64(want) &&
				s.Parks-before.Parks >= uint64(workers-want)
		})
		drowsing := 0
		for i := range workers {
			if g.State(i) == sleepevent.StateDrowsing {
				drowsing++
			}
		}
		require.Equal(t, want, drowsing, "GOMAXPROCS %d", procs)
		require.EqualValues(t, want, g.Stats().Drowses-before.Drowses)
		require.EqualValues(t, workers-want, g.Stats().Parks-before.Parks)
		require.Equal(t, workers, g.WakeAll())
		ended.Wait()
		require.Zero(t, g.Drowsers())
		before = g.Stats()
	}
}

// TestDrowserYields: with one P and a drowser that has an hour, others run between its
// rounds; without that each of these turns would last until the runtime preempts the drowser,
// and all of them longer than the test may.
func TestDrowserYields(t *testing.T) {
	hang.Watch(t)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	g := sleepevent.NewGroup(1, sleepevent.Options{MaxDrowsers: 1, DrowseBudget: time.Hour})
	g.BeginSearch()
	done := make(chan struct{})
	go func() {
		g.Idle(0, nothing)
		close(done)
	}()
	hang.Await(func() bool { return g.Drowsers() == 1 })
	for range short.Scaled(50_000) {
		runtime.Gosched()
	}
	require.Equal(t, sleepevent.StateDrowsing, g.State(0))
	require.Equal(t, sleepevent.WakeDrowsing, g.Wake())
	<-done
}

// TestDrowsingShrinksAndRecovers counts rests, and no time: every one that is longer than the
// full budget makes the next drowse shorter, down to a sixteenth.
func TestDrowsingShrinksAndRecovers(t *testing.T) {
	t.Parallel() // it only waits
	hang.Watch(t)
	const full = int64(sleepevent.DefaultDrowseBudget)
	g := sleepevent.NewGroup(1, sleepevent.Options{MaxDrowsers: 1})
	g.BeginSearch()
	require.Equal(t, full, g.Budget(0))
	want := full
	rests := uint64(20)
	if testing.Short() {
		rests = 13 // three more than it takes to come down
	}
	for parks := uint64(0); parks < rests; {
		// The limit is longer than any drowse, so the rest goes through all of it, unless the
		// machine stands still for as long.
		require.False(t, g.IdleTimeout(0, nothing, 400*sleepevent.DefaultDrowseBudget))
		if g.Stats().Parks == parks {
			continue
		}
		parks++
		want = max(want-want/4, full/16)
		require.Equal(t, want, g.Budget(0), "rest %d", parks)
	}
	require.Equal(t, full/16, want)
	require.GreaterOrEqual(t, g.Stats().Drowses, rests)

	// One sleep that a full budget would have spared restores all of it, as it may be as long as
	// that budget.
	g = sleepevent.NewGroup(1, sleepevent.Options{MaxDrowsers: 1, DrowseBudget: time.Hour})
	g.BeginSearch()
	g.Shrink(0)
	rested := make(chan struct{})
	go func() {
		g.Idle(0, nothing)
		close(rested)
	}()
	hang.Await(func() bool { return g.State(0) == sleepevent.StateSleeping })
	require.Less(t, g.Budget(0), int64(time.Hour))
	require.Equal(t, sleepevent.WakeSleeping, g.Wake())
	<-rested
	require.Equal(t, int64(time.Hour), g.Budget(0))
}
