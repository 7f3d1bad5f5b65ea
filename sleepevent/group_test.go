package sleepevent_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/dev/hang"
	"github.com/heddle-go/heddle/internal/dev/short"
	"github.com/heddle-go/heddle/sleepevent"
)

func TestNewGroupMisuse(t *testing.T) {
	require.PanicsWithValue(t, "sleepevent: NewGroup needs at least one worker",
		func() { sleepevent.NewGroup(0, sleepevent.Options{}) })
	require.PanicsWithValue(t, "sleepevent: NewGroup of more than 2^20 workers",
		func() { sleepevent.NewGroup(math.MaxInt, sleepevent.Options{}) })
	require.PanicsWithValue(t, "sleepevent: unknown Options.Park",
		func() { sleepevent.NewGroup(1, sleepevent.Options{Park: 77}) })
	require.PanicsWithValue(t, "sleepevent: negative Options.DrowseBudget",
		func() { sleepevent.NewGroup(1, sleepevent.Options{DrowseBudget: -1}) })

	g := sleepevent.NewGroup(4, sleepevent.Options{})
	require.PanicsWithValue(t, "sleepevent: worker 4 out of range [0,4)", func() {
		g.WakeWorker(4)
	})
	require.PanicsWithValue(t, "sleepevent: worker -1 out of range [0,4)", func() { g.State(-1) })
	require.PanicsWithValue(t, "sleepevent: EndSearch or Idle by a worker not counted as searching",
		g.EndSearch)
}

func TestNobodyIdle(t *testing.T) {
	g := sleepevent.NewGroup(3, sleepevent.Options{})
	require.Equal(t, 3, g.Workers())
	require.Equal(t, sleepevent.WakeNone, g.Wake())
	require.Equal(t, sleepevent.WakeNone, g.WakeWorker(1))
	require.Zero(t, g.WakeAll())
	require.Zero(t, g.IdleCount())
	require.Zero(t, g.Searching())
	g.BeginSearch()
	require.Equal(t, 1, g.Searching())
	require.Equal(t, sleepevent.WakeSearching, g.Wake())
	g.EndSearch()
	require.Equal(t, sleepevent.StateRunning, g.State(2))
	require.Zero(t, g.Stats())
}

func TestSleepAndWake(t *testing.T) {
	eachPark(t, func(t *testing.T, o sleepevent.Options) {
		hang.Watch(t)
		g := sleepevent.NewGroup(2, o)
		up := make(chan int)
		idle := func(i int) {
			g.BeginSearch()
			go func() {
				g.Idle(i, nothing)
				up <- i
			}()
			hang.Await(func() bool { return g.State(i) == sleepevent.StateSleeping })
		}
		idle(1)
		idle(0)
		require.Equal(t, 2, g.IdleCount())
		require.Zero(t, g.Searching())
		require.Zero(t, g.WokenAgo(0))

		before := time.Now()
		require.Equal(t, sleepevent.WakeSleeping, g.Wake())
		require.Equal(t, 0, <-up, "the lowest number first")
		ago := g.WokenAgo(0)
		require.Positive(t, ago)
		require.LessOrEqual(t, ago, time.Since(before))
		require.Zero(t, g.WokenAgo(1))
		require.Equal(t, 1, g.Searching(), "counted on its behalf")
		require.Equal(t, 1, g.IdleCount())
		require.Equal(t, sleepevent.StateRunning, g.State(0))
		require.Equal(t, sleepevent.WakeSearching, g.Wake(), "worker 0 looks")

		require.Equal(t, sleepevent.WakeSleeping, g.WakeWorker(1), "also while one searches")
		require.Equal(t, 1, <-up)
		require.Equal(t, 2, g.Searching())

		s := g.Stats()
		require.EqualValues(t, 2, s.Parks)
		require.LessOrEqual(t, s.KernelWakes, uint64(2))
		require.Zero(t, s.DrowseWakes)

		idle(0) // counts itself once more
		idle(1)
		require.Equal(t, 2, g.WakeAll())
		<-up
		<-up
		require.Equal(t, 4, g.Searching())
		for range 4 {
			g.EndSearch()
		}
	})
}

// TestDrowse wakes a worker that drowses: no kernel call.
func TestDrowse(t *testing.T) {
	hang.Watch(t)
	g := sleepevent.NewGroup(1, sleepevent.Options{MaxDrowsers: 1, DrowseBudget: time.Hour})
	for range 100 {
		g.BeginSearch()
		done := make(chan struct{})
		go func() {
			g.Idle(0, nothing)
			close(done)
		}()
		hang.Await(func() bool { return g.IdleCount() == 1 })
		require.Equal(t, sleepevent.StateDrowsing, g.State(0))
		require.Equal(t, 1, g.DrowsingCount())
		require.Equal(t, sleepevent.WakeDrowsing, g.Wake())
		require.Zero(t, g.DrowsingCount())
		<-done
		g.EndSearch()
	}
	s := g.Stats()
	require.EqualValues(t, 100, s.DrowseWakes)
	require.Zero(t, s.Parks)
	require.Zero(t, s.KernelWakes)
	require.Zero(t, s.Withdrawals)
}

// TestMaxDrowsers: with room for one drowser, the other workers go to sleep at once.
func TestMaxDrowsers(t *testing.T) {
	hang.Watch(t)
	const workers = 4
	g := sleepevent.NewGroup(workers, sleepevent.Options{MaxDrowsers: 1, DrowseBudget: time.Hour})
	done := make(chan int, workers)
	for i := range workers {
		g.BeginSearch()
		go func() {
			g.Idle(i, nothing)
			done <- i
		}()
	}
	drowser := -1
	hang.Await(func() bool {
		asleep := 0
		for i := range workers {
			switch g.State(i) {
			case sleepevent.StateSleeping:
				asleep++
			case sleepevent.StateDrowsing:
				drowser = i
			}
		}
		return asleep == workers-1 && g.IdleCount() == workers
	})
	require.Equal(t, sleepevent.WakeDrowsing, g.Wake())
	require.Equal(t, drowser, <-done, "a drowser before any sleeper")
	g.EndSearch()
	g.Close()
	for range workers - 1 {
		<-done
	}
	require.EqualValues(t, 1, g.Stats().Drowses)
}

func TestNoDrowsers(t *testing.T) {
	hang.Watch(t)
	for _, o := range []sleepevent.Options{
		{MaxDrowsers: -1, DrowseBudget: time.Hour},
		{MaxDrowsers: 5, DrowseBudget: time.Hour, Park: sleepevent.ParkGo},
	} {
		p := newPool(2, o)
		p.awaitSleep()
		p.close()
		require.Zero(t, p.g.Stats().Drowses)
	}
}

// TestClaimOrder compares Claim with its specification over idle sets of several words:
// drowsers before sleepers, the lowest number first, each worker once.
func TestClaimOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		workers := rapid.IntRange(1, 10*sleepevent.PerWord).Draw(t, "workers")
		g := sleepevent.NewGroup(workers, sleepevent.Options{})
		states := rapid.SliceOfN(rapid.SampledFrom([]sleepevent.State{sleepevent.StateRunning,
			sleepevent.StateDrowsing, sleepevent.StateSleeping}), workers, workers).Draw(t,
			"states")
		var want []int
		for _, s := range []sleepevent.State{sleepevent.StateDrowsing, sleepevent.StateSleeping} {
			for i := range workers {
				if states[i] == s {
					g.Publish(i, s == sleepevent.StateDrowsing)
					want = append(want, i)
				}
			}
		}
		require.Equal(t, len(want), g.IdleCount())
		var got []int
		for i := g.Claim(); i >= 0; i = g.Claim() {
			got = append(got, i)
		}
		require.Equal(t, want, got)
		require.Zero(t, g.IdleCount())
	})
}

// TestManyWorkers needs several words, and more than the Group holds inline.
func TestManyWorkers(t *testing.T) {
	for _, workers := range []int{31, 32, 33, 64, 65, 300} {
		hang.Watch(t)
		p := newPool(workers, sleepevent.Options{Park: sleepevent.ParkGo})
		p.awaitSleep()
		require.Equal(t, workers, p.g.IdleCount())
		var ran atomics.Int32
		all := make(chan struct{})
		for range workers {
			p.push(func() {
				if int(ran.Add(1)) == workers {
					close(all)
				}
				<-all
			})
		}
		p.g.Wake() // ramp-up wakes the others
		<-all
		p.awaitSleep()
		require.Equal(t, workers, p.g.IdleCount())
		p.close()
	}
}

// TestClose ends workers in every state, and keeps Idle from waiting ever after.
func TestClose(t *testing.T) {
	eachPark(t, func(t *testing.T, o sleepevent.Options) {
		hang.Watch(t)
		for round := range short.Scaled(300) {
			p := newPool(1+round%4, o)
			if round%3 == 0 {
				p.awaitSleep()
			}
			require.False(t, p.g.Closed())
			p.close()
			require.True(t, p.g.Closed())
			require.Zero(t, p.g.IdleCount())
			require.Zero(t, p.g.Searching())
			p.g.BeginSearch()
			p.g.Idle(0, func() bool { t.Error("rescan after Close"); return false })
			require.Equal(t, 1, p.g.Searching())
			p.g.Close()
		}
	})
}

// TestCloseMeetsIdle: Close has looked at the idle set just before the worker was published.
func TestCloseMeetsIdle(t *testing.T) {
	hang.Watch(t)
	g := sleepevent.NewGroup(1, sleepevent.Options{})
	g.BeginSearch()
	g.Idle(0, func() bool {
		g.MarkClosed()
		return false
	})
	require.Zero(t, g.Stats().Parks)
	require.Equal(t, 1, g.Searching())
}

// TestBurst: of a burst of wakes, one is made.
func TestBurst(t *testing.T) {
	hang.Watch(t)
	g := sleepevent.NewGroup(4, sleepevent.Options{})
	up := make(chan int, 4)
	for i := range 4 {
		g.BeginSearch()
		go func() {
			g.Idle(i, nothing)
			up <- i
		}()
	}
	awaitSleep(g)
	require.Equal(t, sleepevent.WakeSleeping, g.Wake())
	for range 100 {
		require.Equal(t, sleepevent.WakeSearching, g.Wake())
		require.Equal(t, sleepevent.WakeSearching, g.WakeSlow(), "counted after the first look")
	}
	require.Equal(t, 3, g.IdleCount())
	require.Equal(t, 0, <-up)
	g.EndSearch()
	g.Close()
	for range 3 {
		<-up
	}
}

func TestAllocations(t *testing.T) {
	eachPark(t, func(t *testing.T, o sleepevent.Options) {
		hang.Watch(t)
		p := newPool(2, o)
		defer p.close()
		var ran sleepevent.Signal
		task := func() { ran.Trigger() }
		p.submit(task) // lets the queue grow
		ran.Wait()
		got := testing.AllocsPerRun(short.Scaled(500), func() {
			p.awaitSleep()
			p.submit(task)
			ran.Wait()
		})
		require.Zero(t, got)
	})
}

func TestStrings(t *testing.T) {
	require.Equal(t, "ParkOS ParkGo Park(?)", sleepevent.ParkOS.String()+" "+
		sleepevent.ParkGo.String()+" "+sleepevent.Park(2).String())
	require.Equal(t, "running drowsing sleeping State(?)", sleepevent.StateRunning.String()+" "+
		sleepevent.StateDrowsing.String()+" "+sleepevent.StateSleeping.String()+" "+
		sleepevent.State(9).String())
	require.Equal(t, "none searching drowsing sleeping WakeResult(?)",
		sleepevent.WakeNone.String()+" "+
			sleepevent.WakeSearching.String()+" "+sleepevent.WakeDrowsing.String()+" "+
			sleepevent.WakeSleeping.String()+" "+sleepevent.WakeResult(9).String())
}
