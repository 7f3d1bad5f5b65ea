package sleepevent_test

import (
	"math"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/dev/hang"
	"github.com/heddle-go/heddle/sleepevent"
)

// TestManySignalWaiters: only so many goroutines that wait take an OS thread each.
func TestManySignalWaiters(t *testing.T) {
	if runtime.GOOS == "js" {
		t.Skip("no processes")
	}
	const child = "HEDDLE_MANY_SIGNAL_WAITERS"
	if os.Getenv(child) == "" {
		cmd := exec.Command(os.Args[0], "-test.run=^TestManySignalWaiters$")
		cmd.Env = append(os.Environ(), child+"=1")
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%.2000s", out) // thread exhaustion ends the process
		return
	}
	debug.SetMaxThreads(1500)
	signals := make([]sleepevent.Signal, 2500)
	var begun atomics.Int32
	var wg sync.WaitGroup
	for i := range signals {
		wg.Go(func() {
			begun.Add(1)
			if i%2 == 0 {
				signals[i].Wait()
			} else if !signals[i].WaitTimeout(time.Hour) {
				t.Error("an hour has passed")
			}
		})
	}
	for int(begun.Load()) < len(signals) {
		runtime.Gosched()
	}
	for range 1000 {
		runtime.Gosched() // those that have begun come to their sleep
	}
	for i := range signals {
		signals[i].Trigger()
	}
	wg.Wait()
}

// TestSignalSecondWaiter: who comes second is told so in this package's name, and the first waits
// on.
func TestSignalSecondWaiter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := sleepevent.NewSignal(sleepevent.Options{Park: sleepevent.ParkGo})
		done := make(chan struct{})
		go func() {
			s.Wait()
			close(done)
		}()
		synctest.Wait() // it waits
		want := "sleepevent: two goroutines wait on one Signal"
		require.PanicsWithValue(t, want, s.Wait)
		require.PanicsWithValue(t, want, func() { s.WaitTimeout(time.Hour) })
		require.False(t, s.WaitTimeout(0), "that is no wait")
		require.True(t, s.Trigger())
		<-done
	})
}

// TestMisuseChangesNothing: a Group whose misuse was recovered from counts, and wakes, as before.
func TestMisuseChangesNothing(t *testing.T) {
	const uncounted = "sleepevent: EndSearch or Idle by a worker not counted as searching"
	eachPark(t, func(t *testing.T, o sleepevent.Options) {
		hang.Watch(t)
		g := sleepevent.NewGroup(2, o)
		same := func() {
			t.Helper()
			require.Zero(t, g.Searching())
			require.Equal(t, sleepevent.StateRunning, g.State(0))
			require.False(t, g.Idles(0))
		}
		require.PanicsWithValue(t, uncounted, g.EndSearch)
		same()
		require.PanicsWithValue(t, uncounted, func() { g.Idle(0, nothing) })
		same()

		g.BeginSearch()
		require.PanicsWithValue(t, "sleepevent: Idle with a nil rescan", func() { g.Idle(0, nil) })
		require.Equal(t, 1, g.Searching())
		require.PanicsWithValue(t, "no", func() { g.Idle(0, func() bool { panic("no") }) })
		require.Equal(t, 1, g.Searching(), "counted, as after each Idle")
		g.EndSearch()
		same()

		// Another goroutine takes a sleeping worker's number.
		g.BeginSearch()
		done := make(chan struct{})
		go func() {
			g.Idle(1, nothing)
			close(done)
		}()
		hang.Await(func() bool { return g.State(1) == sleepevent.StateSleeping })
		require.PanicsWithValue(t, "sleepevent: Idle for a worker that is idle already", func() {
			g.Idle(1, nothing)
		})
		require.PanicsWithValue(t, uncounted, func() { g.Idle(0, nothing) })
		if g.IdleCount() > 0 { // unless that has woken it already
			g.Wake()
		}
		<-done
		require.Equal(t, 1, g.Searching())
		g.EndSearch()
		same()
	})
}

// TestGoexitInRescan: a goroutine that ends in its rescan leaves no worker that sleeps.
func TestGoexitInRescan(t *testing.T) {
	g := sleepevent.NewGroup(1, sleepevent.Options{})
	g.BeginSearch()
	done := make(chan struct{})
	go func() {
		defer close(done)
		g.Idle(0, func() bool { runtime.Goexit(); return false })
	}()
	<-done
	require.Equal(t, 1, g.Searching())
	require.Zero(t, g.IdleCount())
	require.Equal(t, sleepevent.StateRunning, g.State(0))
}

// TestUnknownPark: there are no constants of Park but those that are documented.
func TestUnknownPark(t *testing.T) {
	sleepevent.AsShipped(func() {
		for _, p := range []sleepevent.Park{sleepevent.ParkGo + 1, sleepevent.ParkGo + 2,
			math.MaxUint8} {
			const want = "sleepevent: unknown Options.Park"
			require.PanicsWithValue(t, want, func() {
				sleepevent.NewGroup(1, sleepevent.Options{Park: p})
			})
			require.PanicsWithValue(t, want, func() {
				sleepevent.NewSignal(sleepevent.Options{Park: p})
			})
			require.Equal(t, "Park(?)", p.String())
		}
	})
}
