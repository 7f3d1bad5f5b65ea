package assets_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/assets"
)

// drained returns what Drain tells.
func (w *world) drained() (told []string) {
	cancel := w.m.Subscribe(func(c assets.Change) {
		s := fmt.Sprintf("%s %s", c.ID, c.Kind)
		if c.Cause != "" {
			s += " by " + string(c.Cause)
		}
		told = append(told, s)
	})
	defer cancel()
	require.Equal(w.t, w.m.Drain(), len(told))
	return told
}

func TestReload(t *testing.T) {
	w := newWorld(t, graph{"a": {"b", "c"}, "b": {"d"}, "c": {"d"}, "d": nil, "e": nil},
		worldOptions{})
	require.False(t, w.m.Reload("a"), "it is not there")
	a, d := w.load("a"), w.load("d")
	old := d.Value().(*value)
	require.True(t, w.m.Reload("d"))
	w.quiet()
	require.Same(t, old, d.Value(), "not before Drain")
	told := w.drained()
	require.Equal(t, "d reloaded", told[0])
	require.ElementsMatch(t, []string{"b affected by d", "c affected by d"}, told[1:3])
	require.Equal(t, "a affected by d", told[3], "after both of its children")
	require.Len(t, told, 4)
	now := d.Value().(*value)
	require.EqualValues(t, 2, now.load)
	require.True(t, old.closed.Load())
	w.quiet()
	require.Same(t, now, w.load("d").Value())

	// A reload that fails leaves everything as it is.
	w.mu.Lock()
	w.broken["d"] = true
	w.mu.Unlock()
	defer w.m.Subscribe(func(assets.Change) {})()
	require.True(t, w.m.Reload("d"))
	w.quiet()
	require.Equal(t, []string{"d failed"}, w.drained())
	require.Same(t, now, d.Value())
	require.NoError(t, d.Err())

	// It may get other children.
	w.mu.Lock()
	w.broken["d"], w.graph["d"] = false, []assets.ID{"e"}
	w.mu.Unlock()
	require.True(t, w.m.Reload("d"))
	require.True(t, w.m.Reload("d"), "once more, when that has ended")
	w.quiet()
	for len(w.drained()) > 0 {
		w.quiet()
	}
	require.EqualValues(t, 5, w.counter("d").Load())
	require.Equal(t, assets.Ready, w.m.Query("e"))
	w.m.ReleaseTree(a)
	w.quiet()
	require.Equal(t, assets.Ready, w.m.Query("d"))
	w.m.ReleaseTree(d)
	w.quiet()
	require.Equal(t, assets.Ready, w.m.Query("e"), "the other handle of d holds it")
}

// What is reloaded is let go of meanwhile, or the manager is closed: nothing is left.
func TestReloadOfWhatGoes(t *testing.T) {
	w := newWorld(t, graph{"a": {"b"}, "b": {"a"}, "c": nil}, worldOptions{})
	h := w.load("a")
	require.True(t, w.m.Reload("b"))
	w.m.ReleaseTree(h)
	w.quiet()
	w.drained()
	w.quiet()
	require.Zero(t, w.m.Stats().Resources)

	h = w.load("a")
	require.True(t, w.m.Reload("a"))
	require.True(t, w.m.Reload("b"))
	w.quiet()
	require.Equal(t, assets.Ready, h.State())
	w.load("c")
	require.True(t, w.m.Reload("c"))
	w.quiet()
}

func TestSubscribe(t *testing.T) {
	w := newWorld(t, graph{"a": {"b"}, "b": nil}, worldOptions{})
	require.Zero(t, w.m.Drain())
	var told []assets.ChangeKind
	cancel := w.m.Subscribe(func(c assets.Change) {
		require.Zero(t, w.m.Drain(), "one at a time")
		told = append(told, c.Kind)
	})
	h := w.load("a")
	require.Empty(t, told)
	w.quiet()
	require.Equal(t, 2, w.m.Drain())
	w.m.ReleaseTree(h)
	w.quiet()
	require.Equal(t, 2, w.m.Drain())
	require.Equal(t, []assets.ChangeKind{assets.ChangeReady, assets.ChangeReady,
		assets.ChangeUnloaded, assets.ChangeUnloaded}, told)
	cancel()
	w.load("b")
	w.quiet()
	require.Zero(t, w.m.Drain())
}

// Who came to depend on a resource before its change was put in place is told that it is affected:
// on what was loaded first, on what took its place, and after the change had been loaded.
func TestAffected(t *testing.T) {
	w := newWorld(t, graph{"early": {"d"}, "between": {"d"}, "late": {"d"}, "d": nil,
		"top": {"early", "late"}}, worldOptions{})
	d, early := w.load("d"), w.load("early")
	reload := func(during ...assets.ID) []string {
		require.True(t, w.m.Reload("d"))
		w.quiet()
		var told []string
		defer w.m.Subscribe(func(assets.Change) {})() // so that what is told is kept
		for _, id := range during {
			w.load(id)
		}
		w.quiet()
		for range 2 { // what comes in between is told the next time
			for _, s := range w.drained() {
				if !strings.HasSuffix(s, "ready") {
					told = append(told, s)
				}
			}
			w.quiet()
		}
		return told
	}
	require.Equal(t, []string{"d reloaded", "early affected by d"}, reload())
	w.load("between")
	require.ElementsMatch(t, []string{"d reloaded", "early affected by d",
		"between affected by d"}, reload())
	told := reload("late", "top")
	require.Equal(t, "d reloaded", told[0])
	require.ElementsMatch(t, []string{"early affected by d", "between affected by d",
		"late affected by d", "top affected by d"}, told[1:])
	require.Less(t, slices.Index(told, "late affected by d"),
		slices.Index(told, "top affected by d"))
	told = reload()
	require.Len(t, told, 5)
	require.Equal(t, "top affected by d", slices.DeleteFunc(slices.Clone(told),
		func(s string) bool { return strings.HasPrefix(s, "between") })[3])
	require.NoError(t, early.Err())
	require.EqualValues(t, 5, d.Value().(*value).load)
}

// A subscriber that panics stops its Drain, and nothing else: the change is in place, and the rest
// is for the next one.
func TestSubscriberPanics(t *testing.T) {
	w := newWorld(t, graph{"a": {"b"}, "b": nil, "c": nil}, worldOptions{})
	w.load("a")
	c, b := w.load("c"), w.load("b")
	require.True(t, w.m.Reload("b"))
	w.quiet()
	require.True(t, w.m.Reload("c"))
	w.quiet()
	cancel := w.m.Subscribe(func(assets.Change) { panic(errBroken) })
	require.PanicsWithValue(t, errBroken, func() { w.m.Drain() })
	cancel()
	require.EqualValues(t, 2, b.Value().(*value).load)
	require.EqualValues(t, 1, c.Value().(*value).load)
	require.Equal(t, 1, w.m.Drain())
	require.EqualValues(t, 2, c.Value().(*value).load)
}
