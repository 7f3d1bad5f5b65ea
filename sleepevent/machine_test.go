package sleepevent_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/heddle-go/heddle/internal/dev/hang"
	"github.com/heddle-go/heddle/sleepevent"
)

// reference is a Group as a sequential program: every step is over before the next begins.
type reference struct {
	states    []sleepevent.State
	searching int
	closed    bool
	stats     sleepevent.Stats
}

// next returns the worker to wake first, or -1.
func (r *reference) next() int {
	for _, s := range []sleepevent.State{sleepevent.StateDrowsing, sleepevent.StateSleeping} {
		for i := range r.states {
			if r.states[i] == s {
				return i
			}
		}
	}
	return -1
}

// wake wakes worker i, if it is one that is idle.
func (r *reference) wake(i int) sleepevent.WakeResult {
	if i < 0 || r.states[i] == sleepevent.StateRunning {
		return sleepevent.WakeNone
	}
	result := sleepevent.WakeDrowsing
	if r.states[i] == sleepevent.StateSleeping {
		result = sleepevent.WakeSleeping
		r.stats.KernelWakes++
	} else {
		r.stats.DrowseWakes++
	}
	r.states[i] = sleepevent.StateRunning
	r.searching++
	return result
}

func (r *reference) idle() (n int) {
	for _, s := range r.states {
		if s != sleepevent.StateRunning {
			n++
		}
	}
	return n
}

// TestMachine runs random steps on a Group and on the reference and compares all that can be
// seen. Waiting workers are goroutines; each step waits until they stand still.
func TestMachine(t *testing.T) {
	eachPark(t, func(t *testing.T, o sleepevent.Options) {
		hang.Watch(t)
		rapid.Check(t, func(t *rapid.T) { machine(t, o) })
	})
}

func machine(t *rapid.T, o sleepevent.Options) {
	// One drowser at most: it spins, and the others have to make progress.
	drowsers := rapid.IntRange(0, 1).Draw(t, "drowsers")
	o.MaxDrowsers, o.DrowseBudget = drowsers, time.Hour
	if drowsers == 0 {
		o.MaxDrowsers = -1
	}
	if o.Park == sleepevent.ParkGo {
		drowsers = 0
	}
	workers := rapid.SampledFrom([]int{1, 2, 3, sleepevent.PerWord + 2}).Draw(t, "workers")
	g := sleepevent.NewGroup(workers, o)
	r := &reference{states: make([]sleepevent.State, workers)}
	returned := make([]chan bool, workers) // of the workers that wait
	defer func() {
		g.Close()
		for _, c := range returned {
			if c != nil {
				<-c
			}
		}
	}()

	running := func() (is []int) {
		for i, s := range r.states {
			if s == sleepevent.StateRunning {
				is = append(is, i)
			}
		}
		return is
	}
	worker := rapid.IntRange(0, workers-1)
	// rest begins a rest of a running worker that nothing ends at once.
	rest := func(t *rapid.T) {
		is := running()
		if len(is) == 0 || r.closed {
			t.Skip("no worker to rest")
		}
		i := rapid.SampledFrom(is).Draw(t, "worker")
		if r.searching == 0 {
			g.BeginSearch()
			r.searching++
		}
		returned[i] = make(chan bool, 1)
		timed := rapid.Bool().Draw(t, "timed")
		go func() {
			if timed {
				returned[i] <- g.IdleTimeout(i, nothing, time.Hour)
			} else {
				g.Idle(i, nothing)
				returned[i] <- true
			}
		}()
		r.searching--
		// A worker counts its rest just after it may be seen to rest.
		if r.idle()-r.stat(sleepevent.StateSleeping) < drowsers {
			r.states[i] = sleepevent.StateDrowsing
			r.stats.Drowses++
			hang.Await(func() bool {
				return g.Drowsers() == drowsers && g.Stats().Drowses == r.stats.Drowses
			})
		} else {
			r.states[i] = sleepevent.StateSleeping
			r.stats.Parks++
			hang.Await(func() bool {
				return g.State(i) == sleepevent.StateSleeping && g.Stats().Parks == r.stats.Parks
			})
		}
	}
	// brief is a rest that ends by itself.
	brief := func(t *rapid.T) {
		is := running()
		if len(is) == 0 {
			t.Skip("no worker to rest")
		}
		i := rapid.SampledFrom(is).Draw(t, "worker")
		if r.searching == 0 {
			g.BeginSearch()
			r.searching++
		}
		found := rapid.Bool().Draw(t, "found")
		got := g.IdleTimeout(i, func() bool {
			return found
		}, time.Duration(rapid.IntRange(-1, 0).Draw(t, "d")))
		require.Equal(t, found || r.closed, got)
		if !r.closed {
			r.stats.Withdrawals++
			if !found {
				r.stats.Timeouts++
			}
		}
	}

	t.Repeat(map[string]func(*rapid.T){
		"Idle":        rest,
		"Idle again":  rest, // more often than others
		"IdleTimeout": brief,
		"BeginSearch": func(*rapid.T) { g.BeginSearch(); r.searching++ },
		"EndSearch": func(t *rapid.T) {
			if r.searching == 0 {
				t.Skip("nobody searches")
			}
			g.EndSearch()
			r.searching--
		},
		"Wake": func(t *rapid.T) {
			want := sleepevent.WakeSearching
			if r.searching == 0 {
				want = r.wake(r.next())
			}
			require.Equal(t, want, g.Wake())
		},
		"WakeN": func(t *rapid.T) {
			n := rapid.IntRange(-1, workers+1).Draw(t, "n")
			want := 0
			for r.searching < n && r.wake(r.next()).Woke() {
				want++
			}
			require.Equal(t, want, g.WakeN(n))
		},
		"WakeWorker": func(t *rapid.T) {
			i := worker.Draw(t, "worker")
			require.Equal(t, r.wake(i), g.WakeWorker(i))
		},
		"WakeAll": func(t *rapid.T) {
			want := r.idle()
			for i := range workers {
				r.wake(i)
			}
			require.Equal(t, want, g.WakeAll())
		},
		"Close": func(t *rapid.T) {
			if rapid.IntRange(0, 3).Draw(t, "really") > 0 {
				t.Skip("not yet")
			}
			for i := range workers {
				r.wake(i)
			}
			r.closed = true
			g.Close()
		},
		"": func(t *rapid.T) {
			for i, c := range returned {
				if c != nil && r.states[i] == sleepevent.StateRunning {
					require.True(t, <-c, "woken, not out of time")
					returned[i] = nil
					require.False(t, g.TakePermit(i))
				}
				require.Equal(t, r.states[i], g.State(i), "worker %d", i)
				require.Equal(t, r.states[i] != sleepevent.StateRunning, g.Idles(i), "worker %d", i)
			}
			require.Equal(t, r.searching, g.Searching())
			require.Equal(t, r.idle(), g.IdleCount())
			require.Equal(t, r.closed, g.Closed())
			got := g.Stats()
			// State is StateSleeping before the worker is on its bed: a wake in between needs
			// no kernel.
			require.LessOrEqual(t, got.KernelWakes, r.stats.KernelWakes)
			got.KernelWakes = r.stats.KernelWakes
			require.Equal(t, r.stats, got)
		},
	})
}

// stat counts the workers in a state.
func (r *reference) stat(s sleepevent.State) (n int) {
	for _, have := range r.states {
		if have == s {
			n++
		}
	}
	return n
}
