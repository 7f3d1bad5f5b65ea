package assets_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/assets"
)

type graph = map[assets.ID][]assets.ID

func TestLoad(t *testing.T) {
	w := newWorld(t, graph{"a": {"b", "c"}, "b": {"d"}, "c": {"d", "d"}, "d": nil}, worldOptions{})
	require.Equal(t, assets.Unknown, w.m.Query("a"))
	h := w.load("a")
	require.Equal(t, assets.Ready, h.State())
	for _, id := range []assets.ID{"a", "b", "c", "d"} {
		require.Equal(t, assets.Ready, w.m.Query(id))
		require.EqualValues(t, 1, w.counter(id).Load())
	}
	v, err := assets.Get[*value](h)
	require.NoError(t, err)
	require.Equal(t, assets.ID("a"), v.id)
	_, err = assets.Get[string](h)
	require.ErrorContains(t, err, "has a *assets_test.value, no string")
	require.NoError(t, context.Cause(context.Background()))

	require.True(t, w.m.ReleaseTree(h))
	require.False(t, w.m.ReleaseTree(h))
	w.settled(func() bool { return w.m.Stats().Resources == 0 })
	require.True(t, v.closed.Load())
	require.Equal(t, assets.Unknown, w.m.Query("d"))
}

func TestUnknown(t *testing.T) {
	w := newWorld(t, graph{"a": {"b"}}, worldOptions{})
	_, err := w.m.Load(context.Background(), "a")
	require.ErrorIs(t, err, assets.ErrUnknown)
	var e *assets.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, assets.ID("a"), e.ID)
	require.Equal(t, "dependencies", e.Stage)
	require.ErrorAs(t, e.Err, &e)
	require.Equal(t, assets.Error{ID: "b", Stage: "resolve", Parents: []assets.ID{"a"},
		Attempts: 1, Err: e.Err}, *e)
	require.EqualError(t, err, `assets: a: dependencies: assets: b: resolve (for a): `+
		`assets: unknown resource: no ID "b"`)
}

func TestCycle(t *testing.T) {
	w := newWorld(t, graph{"a": {"b", "a"}, "b": {"a", "c"}, "c": nil}, worldOptions{})
	a, b := w.m.Acquire("a"), w.m.Acquire("b")
	require.NoError(t, a.Wait(context.Background()))
	require.NoError(t, b.Wait(context.Background()))
	require.Equal(t, []assets.ID{"a"}, a.Cut())
	require.Equal(t, []assets.ID{"a"}, b.Cut())
	w.m.Release(a)
	require.Equal(t, assets.Ready, w.m.Query("a"))
	w.m.ReleaseTree(b)
	w.settled(func() bool { return w.m.Stats().Resources == 0 })
}

// Managers of several platforms share a System, a Registry and a Pipeline, and each loads its own
// variant of a resource, once.
func TestPlatforms(t *testing.T) {
	var loads atomic.Int64
	w := newWorld(t, graph{}, worldOptions{pipeline: assets.PipelineOptions{Plan: []assets.Pipe{
		assets.Resolve(), assets.Select(), {Name: "decode", Run: func(_ context.Context,
			it *assets.Item) error {
			loads.Add(1)
			it.Value = it.Variant.Path
			return nil
		}}}}})
	variants := []assets.Variant{{Platform: "low", Path: "a-low.png"},
		{Platform: "high", Path: "a-high.png"}}
	require.NoError(t, w.registry.Put(assets.Info{ID: "a", Path: "a.png", Variants: variants}))
	handles := map[assets.Platform]*assets.Handle{"": w.m.Acquire("a")}
	for _, p := range []assets.Platform{"low", "high", "other"} {
		m := assets.New(w.sys, assets.Options{Platform: p, Registry: w.registry,
			Loader: w.pipeline})
		defer func() { require.NoError(t, m.Close(context.Background())) }()
		handles[p] = m.Acquire("a")
	}
	for p, want := range map[assets.Platform]string{"": "a.png", "low": "a-low.png",
		"high": "a-high.png", "other": "a.png"} {
		require.NoError(t, handles[p].Wait(context.Background()))
		require.Equal(t, want, handles[p].Value(), p)
	}
	require.EqualValues(t, 4, loads.Load())
}
