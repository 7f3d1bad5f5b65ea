package assets_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/heddle-go/heddle/assets"
	"github.com/heddle-go/heddle/internal/dev/seed"
)

// below returns what is reached from some nodes.
func below(g graph, from ...assets.ID) map[assets.ID]bool {
	seen := map[assets.ID]bool{}
	for len(from) > 0 {
		id := from[len(from)-1]
		from = from[:len(from)-1]
		if !seen[id] {
			seen[id] = true
			from = append(from, g[id]...)
		}
	}
	return seen
}

// accounted looks at a manager that is at rest: what handles need is there, and nothing else but
// what may lie idle after a Release of one.
func (w *world) accounted(t require.TestingT, held []*assets.Handle, single bool) {
	w.settled(w.m.Quiet)
	for w.m.Drain() > 0 { // what was reloaded takes its place
		w.settled(w.m.Quiet)
	}
	var roots []assets.ID
	for _, h := range held {
		if h.Err() == nil {
			roots = append(roots, h.ID())
		}
		require.Contains(t, []assets.State{assets.Ready, assets.Failed}, h.State(), h.ID())
	}
	need := below(w.graph, roots...)
	var bytes int64
	there := map[assets.ID]bool{}
	for s := range w.m.All() {
		there[s.ID] = true
		if s.State == assets.Ready {
			bytes++
		}
	}
	for id := range need {
		require.True(t, there[id], "%s is needed and not there", id)
	}
	if !single {
		for id := range there {
			require.True(t, need[id], "%s is there and not needed", id)
		}
	}
	s := w.m.Stats()
	require.EqualValues(t, len(held), s.Handles)
	require.Equal(t, bytes, s.Bytes)
	require.Equal(t, s.Started, s.Ready+s.Failed+s.Abandoned)
	// Those that were replaced are there for who has held them for longer.
	require.GreaterOrEqual(t, s.Ready+s.Failed, s.Unloaded+s.Resources)
	if len(held) == 0 && !single {
		require.Equal(t, s.Ready+s.Failed, s.Unloaded+s.Resources)
	}
	require.Equal(t, bytes, w.open.Load(), "values that are open")
}

// TestMachine plays random acquisitions, releases, reloads and drains against loads that are under
// way, and looks now and then whether everything is accounted for.
func TestMachine(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		n := rapid.IntRange(1, 10).Draw(r, "n")
		g := graph{}
		for i := range n {
			g[name(i)] = nil
			for _, c := range rapid.SliceOfN(rapid.IntRange(0, n-1), 0, 3).Draw(r, "children") {
				g[name(i)] = append(g[name(i)], name(c))
			}
		}
		w := newWorld(t, g, worldOptions{})
		defer w.end()
		var held []*assets.Handle
		single := false
		pick := func(r *rapid.T) int {
			if len(held) == 0 {
				r.Skip("nothing is held")
			}
			return rapid.IntRange(0, len(held)-1).Draw(r, "handle")
		}
		release := func(i int, how func(*assets.Handle) bool) {
			h := held[i]
			held = append(held[:i], held[i+1:]...)
			require.True(r, how(h))
			require.False(r, how(h), "twice")
		}
		id := rapid.Map(rapid.IntRange(0, n-1), name)
		r.Repeat(map[string]func(*rapid.T){
			"Acquire": func(r *rapid.T) { held = append(held, w.m.Acquire(id.Draw(r, "id"))) },
			"Wait": func(r *rapid.T) {
				require.NoError(r, held[pick(r)].Wait(context.Background()))
			},
			"Release": func(r *rapid.T) {
				single = true
				release(pick(r), w.m.Release)
			},
			"ReleaseTree": func(r *rapid.T) { release(pick(r), w.m.ReleaseTree) },
			"Reload":      func(r *rapid.T) { w.m.Reload(id.Draw(r, "id")) },
			"Drain":       func(*rapid.T) { w.m.Drain() },
			"Unload":      func(r *rapid.T) { w.m.Unload(id.Draw(r, "id")) },
			"Account":     func(r *rapid.T) { w.accounted(r, held, single) },
			"Sweep": func(r *rapid.T) {
				require.NoError(r, w.m.Switch(context.Background(), assets.Scene{Name: "none"}))
				w.settled(w.m.Quiet)
				require.NoError(r, w.m.Switch(context.Background(), assets.Scene{Name: "nothing"}))
				single = false
				w.accounted(r, held, false)
			},
		})
		for len(held) > 0 {
			release(0, w.m.ReleaseTree)
		}
		w.accounted(r, nil, single)
		require.NoError(r, w.m.Switch(context.Background(), assets.Scene{Name: "none"}))
		w.accounted(r, nil, false)
	})
}

// TestStorm has goroutines take and let go of overlapping trees, in every way, while some loads
// fail: nothing is lost and nothing is left.
func TestStorm(t *testing.T) {
	goroutines, each, n := 16, 2000, 300
	if testing.Short() {
		goroutines, each = 8, 300
	}
	g := forest(n, 7)
	w := newWorld(t, g, worldOptions{manager: assets.Options{FailureFor: -1}})
	var loads atomic.Int64
	flaky := assets.Pipe{Name: "flaky", Run: func(_ context.Context, it *assets.Item) error {
		if loads.Add(1)%200 == 0 {
			return errBroken
		}
		return nil
	}}
	require.NoError(t, w.pipeline.Plan().Insert("decode", flaky))
	var wg sync.WaitGroup
	for g := range goroutines {
		wg.Go(func() {
			var held []*assets.Handle
			r := seed.Rand(t, g)
			for range each {
				switch i := r.IntN(10); {
				case i < 5 || len(held) == 0:
					held = append(held, w.m.Acquire(name(r.IntN(n))))
				case i == 5:
					err := held[0].Wait(context.Background())
					if err != nil && !errors.Is(err, errBroken) {
						t.Errorf("%s: %v", held[0].ID(), err)
					}
				case i == 6:
					w.m.Unload(name(r.IntN(n)))
				case i == 7:
					w.m.Release(held[len(held)-1])
					held = held[:len(held)-1]
				default:
					w.m.ReleaseTree(held[0])
					held = held[1:]
				}
			}
			for _, h := range held {
				w.m.ReleaseTree(h)
			}
		})
	}
	wg.Wait()
	w.accounted(t, nil, true)
	require.NoError(t, w.m.Switch(context.Background(), assets.Scene{Name: "none"}))
	w.accounted(t, nil, false)
}
