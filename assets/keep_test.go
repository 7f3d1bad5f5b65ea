package assets_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/assets"
)

// kept returns a world in which the first letter of an ID says how it is kept: e, m, s or c.
func kept(t *testing.T, g graph, budget int64) *world {
	w := newWorld(t, g, worldOptions{
		after: []assets.Pipe{{Name: "policy", Run: func(_ context.Context, it *assets.Item) error {
			it.Keep = map[byte]assets.Keep{'e': assets.KeepAlways, 'm': assets.KeepManual,
				's': assets.KeepScene, 'c': assets.KeepCached}[it.ID[0]]
			return nil
		}}},
		manager: assets.Options{Keeper: assets.NewKeeper(budget)},
	})
	return w
}

// there waits until just these are there.
func (w *world) there(ids ...assets.ID) {
	w.t.Helper()
	w.quiet()
	var got []assets.ID
	for s := range w.m.All() {
		require.Equal(w.t, assets.Ready, s.State, s.ID)
		got = append(got, s.ID)
	}
	require.ElementsMatch(w.t, ids, got)
}

// quiet waits until the manager has done all that it was asked for.
func (w *world) quiet() {
	w.t.Helper()
	w.settled(w.m.Quiet)
}

// TestKeep is the table of README.md: what stays after which release, of a root of each kind and of
// its children.
func TestKeep(t *testing.T) {
	g := graph{"e": nil, "m": nil, "s": nil, "c": nil}
	children := []assets.ID{"e", "m", "s", "c"}
	for _, root := range []assets.ID{"e0", "m0", "s0", "c0"} {
		g[root] = children
	}
	all := func(root ...assets.ID) []assets.ID { return append(root, children...) }
	for _, c := range []struct {
		root    assets.ID
		release []assets.ID // what is there after Release
		tree    []assets.ID // after ReleaseTree
		scene   []assets.ID // after a switch from a scene of it to one of nothing
		unload  []assets.ID // after Release and Unload of all
	}{
		{"e0", all("e0"), all("e0"), all("e0"), []assets.ID{"e", "m", "s", "c", "e0"}},
		{"m0", all("m0"), all("m0"), all("m0"), []assets.ID{"e"}},
		{"s0", all(), []assets.ID{"e", "m"}, []assets.ID{"e", "m", "c"}, []assets.ID{"e"}},
		{"c0", all("c0"), []assets.ID{"e", "m"}, all("c0"), []assets.ID{"e"}},
	} {
		t.Run(string(c.root), func(t *testing.T) {
			w := kept(t, g, 100)
			w.m.Release(w.load(c.root))
			w.there(c.release...)
			for id := range g {
				w.m.Unload(id)
			}
			w.quiet()
			for _, id := range all(c.root) { // the orphans of those that went
				w.m.Unload(id)
			}
			w.there(c.unload...)

			w = kept(t, g, 100)
			w.m.ReleaseTree(w.load(c.root))
			w.there(c.tree...)

			w = kept(t, g, 100)
			ctx := context.Background()
			require.NoError(t, w.m.Switch(ctx, assets.Scene{Name: "one",
				Roots: []assets.ID{c.root}}))
			w.there(all(c.root)...)
			require.NoError(t, w.m.Switch(ctx, assets.Scene{Name: "none"}))
			w.there(c.scene...)
		})
	}
}

// The cache keeps what was held last, within its budget.
func TestCacheIsLRU(t *testing.T) {
	w := kept(t, graph{"c1": nil, "c2": nil, "c3": nil, "c4": nil}, 2)
	h1, h2, h3 := w.load("c1"), w.load("c2"), w.load("c3")
	w.m.Release(h1)
	w.m.Release(h2)
	w.there("c1", "c2", "c3")
	h1 = w.load("c1") // it is not idle now
	w.m.Release(h3)
	w.there("c1", "c2", "c3")
	w.m.Release(h1) // c2 has been idle for longest
	w.there("c1", "c3")
	w.m.Release(w.load("c4"))
	w.there("c1", "c4")
	require.EqualValues(t, 1, w.counter("c1").Load())
	require.EqualValues(t, 2, w.m.Stats().Bytes)
}

func TestScenes(t *testing.T) {
	g := graph{"s1": {"s2", "s3"}, "s2": nil, "s3": {"s4"}, "s4": nil, "s5": {"s3"}, "s6": nil}
	w := kept(t, g, 100)
	ctx := context.Background()
	scene := func(name string, stays bool, roots ...assets.ID) assets.Scene {
		return assets.Scene{Name: name, Roots: roots, Stays: stays}
	}
	require.NoError(t, w.m.Switch(ctx, scene("menu", false, "s1")))
	w.there("s1", "s2", "s3", "s4")
	require.NoError(t, w.m.Switch(ctx, scene("level", true, "s5")))
	w.there("s5", "s3", "s4")
	require.EqualValues(t, 1, w.counter("s3").Load(), "what both need stays")
	require.NoError(t, w.m.Switch(ctx, scene("level", true, "s5", "s6")))
	w.there("s5", "s3", "s4", "s6")
	require.NoError(t, w.m.Switch(ctx, scene("menu", false, "s2")))
	w.there("s2", "s5", "s3", "s4", "s6")
	require.True(t, w.m.Leave("level"))
	require.False(t, w.m.Leave("level"))
	w.there("s2")
	require.Error(t, w.m.Switch(ctx, scene("broken", false, "s2", "nowhere")))
	w.quiet()
	require.Equal(t, assets.Ready, w.m.Query("s2"))
	require.True(t, w.m.Leave("broken"))
	w.there()

	ended, cancel := context.WithCancel(ctx)
	cancel()
	require.NoError(t, w.m.Switch(ctx, scene("menu", false, "s2")))
	require.ErrorIs(t, w.m.Switch(ended, scene("level", false, "s1")), context.Canceled)
	w.there("s2")
}

// What nobody wants any more ends before its next pipe, with what it waits for; who comes before
// that has it.
func TestAbandon(t *testing.T) {
	reached, goOn := make(chan assets.ID), make(chan struct{})
	w := newWorld(t, graph{"a": {"b", "c"}, "b": nil, "c": nil}, worldOptions{})
	require.NoError(t, w.pipeline.Plan().Insert("dependencies", assets.Pipe{Name: "gate",
		Lane: assets.Network, Run: func(_ context.Context, it *assets.Item) error {
			if it.ID != "a" {
				reached <- it.ID
				<-goOn
			}
			return nil
		}}, assets.Pipe{Name: "rest", Run: func(context.Context,
		*assets.Item) error {
		return nil
	}}))
	h := w.m.Acquire("a")
	<-reached
	<-reached
	require.Equal(t, assets.Waiting, w.m.Query("a"))
	b := w.m.Acquire("b")
	w.m.Release(h)
	w.settled(func() bool { return w.m.Query("a") == assets.Unknown && w.m.Idle() })
	goOn <- struct{}{}
	goOn <- struct{}{}
	require.NoError(t, b.Wait(context.Background()))
	w.there("b")
	w.quiet()
	require.EqualValues(t, 2, w.m.Stats().Abandoned, "a and c")
	w.m.Release(b)
}
