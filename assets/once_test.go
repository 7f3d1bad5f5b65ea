package assets_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/assets"
	"github.com/heddle-go/heddle/internal/dev/seed"
)

// forest returns a graph of n nodes whose subtrees overlap, with an edge back here and there.
func forest(n int, seed uint64) graph {
	r := rand.New(rand.NewPCG(seed, 0))
	g := graph{}
	for i := range n {
		var children []assets.ID
		for range r.IntN(4) {
			if i+1 < n {
				children = append(children, name(i+1+r.IntN(min(50, n-i-1))))
			}
		}
		if r.IntN(50) == 0 {
			children = append(children, name(max(0, i-r.IntN(20))))
		}
		g[name(i)] = children
	}
	return g
}

func name(i int) assets.ID { return assets.ID(fmt.Sprintf("n%05d", i)) }

// TestNeverTwice has many goroutines ask for all nodes of a graph, each in an order of its own:
// each node is loaded once.
func TestNeverTwice(t *testing.T) {
	goroutines, n := 1000, 10_000
	if testing.Short() {
		goroutines, n = 100, 1000
	}
	w := newWorld(t, forest(n, 1), worldOptions{})
	held := make([][]*assets.Handle, goroutines)
	var wg sync.WaitGroup
	for g := range goroutines {
		wg.Go(func() {
			mine, r := make([]*assets.Handle, 0, n), seed.Rand(t, g)
			first, step := r.IntN(n), 2*r.IntN(n/2)+1
			for i := range n {
				mine = append(mine, w.m.Acquire(name((first+i*step)%n)))
			}
			for _, h := range mine {
				if err := h.Wait(context.Background()); err != nil {
					t.Errorf("%s: %v", h.ID(), err)
					return
				}
			}
			held[g] = mine
		})
	}
	wg.Wait()
	for i := range n {
		if got := w.counter(name(i)).Load(); got != 1 {
			t.Errorf("%s was loaded %d times", name(i), got)
		}
	}
	s := w.m.Stats()
	require.EqualValues(t, n, s.Started)
	require.EqualValues(t, n, s.Ready)
	require.EqualValues(t, n, s.Resources)
	require.Zero(t, s.Failed+s.Abandoned+s.Unloaded)
	for _, mine := range held {
		for _, h := range mine {
			w.m.ReleaseTree(h)
		}
	}
	w.settled(func() bool { return w.m.Stats().Resources == 0 && w.open.Load() == 0 })
	require.Zero(t, w.m.Stats().Handles)
}

// TestAcquireAllocates holds what Acquire of what is there costs: its Handle.
func TestAcquireAllocates(t *testing.T) {
	w := newWorld(t, graph{"a": nil}, worldOptions{})
	h := w.load("a")
	require.LessOrEqual(t, testing.AllocsPerRun(100, func() { w.m.Release(w.m.Acquire("a")) }), 1.0)
	require.Zero(t, testing.AllocsPerRun(100, func() { w.m.Query("a"); h.Value() }))
}

// A deep chain, and a ring, are no recursion.
func TestDeep(t *testing.T) {
	const n = 20_000
	for _, ring := range []bool{false, true} {
		g := graph{}
		for i := range n {
			g[name(i)] = []assets.ID{name(i + 1)}
		}
		g[name(n)] = nil
		if ring {
			g[name(n)] = []assets.ID{name(0)}
		}
		w := newWorld(t, g, worldOptions{})
		h := w.load(name(0))
		require.Equal(t, assets.Ready, w.m.Query(name(n)))
		if ring {
			other := w.m.Acquire(name(n))
			require.Equal(t, []assets.ID{name(0)}, other.Cut())
			w.m.Release(other)
		}
		w.m.ReleaseTree(h)
		w.settled(func() bool { return w.m.Stats().Resources == 0 })
	}
}
