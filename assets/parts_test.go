package assets_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/assets"
	"github.com/heddle-go/heddle/taskgraph"
)

// A listing is a Registry of another make: it knows what is in a list that never changes.
type listing struct {
	ids     map[assets.ID]assets.GUID
	infos   map[assets.GUID]assets.Info
	lookups atomic.Int64
}

var errFixed = errors.New("a listing cannot be changed")

func newListing(ids ...assets.ID) *listing {
	l := &listing{ids: map[assets.ID]assets.GUID{}, infos: map[assets.GUID]assets.Info{}}
	for i, id := range ids {
		g := assets.GUID{15: byte(i + 1)}
		l.ids[id] = g
		l.infos[g] = assets.Info{ID: id, GUID: g, Type: "listed", Path: "listed/" + string(id)}
	}
	return l
}

func (l *listing) GUID(id assets.ID) (assets.GUID, bool) {
	l.lookups.Add(1)
	g, ok := l.ids[id]
	return g, ok
}

func (l *listing) Info(g assets.GUID) (assets.Info, bool) {
	i, ok := l.infos[g]
	return i, ok
}

func (l *listing) Put(...assets.Info) error    { return errFixed }
func (l *listing) Delete(...assets.GUID) error { return errFixed }
func (l *listing) All() iter.Seq[assets.Info]  { return maps.Values(l.infos) }

// A desk is a Loader of another make: whoever has it ends each load by hand.
type desk struct {
	asked    chan *assets.Item
	promoted chan taskgraph.Priority
}

func newDesk() *desk {
	return &desk{asked: make(chan *assets.Item, 10), promoted: make(chan taskgraph.Priority, 10)}
}

func (d *desk) Load(it *assets.Item)    { d.asked <- it }
func (d *desk) Promote(it *assets.Item) { d.promoted <- it.Priority() }

// A hoarder is a Keeper of another make: it keeps what is of its liking, until a scene is left.
type hoarder struct {
	likes assets.ID
	kept  []assets.ID
}

func (k *hoarder) Idle(r assets.Resident, _ assets.Reason) []assets.ID {
	if r.ID != k.likes {
		return []assets.ID{r.ID}
	}
	k.kept = append(k.kept, r.ID)
	return nil
}

func (k *hoarder) Busy(id assets.ID) {
	k.kept = slices.DeleteFunc(k.kept, func(x assets.ID) bool { return x == id })
}

func (k *hoarder) Leave() (out []assets.ID) {
	out, k.kept = k.kept, nil
	return out
}

// A facade is what some program needs of a Manager.
type facade interface {
	Load(ctx context.Context, id assets.ID) (*assets.Handle, error)
	ReleaseTree(h *assets.Handle) bool
	Query(id assets.ID) assets.State
}

// A closet is a facade of another make: it lends what it has loaded once from others, and returns
// nothing.
type closet struct {
	facade
	lent map[assets.ID]*assets.Handle
}

func (c *closet) Load(ctx context.Context, id assets.ID) (*assets.Handle, error) {
	if h := c.lent[id]; h != nil {
		return h, nil
	}
	h, err := c.facade.Load(ctx, id)
	if err == nil {
		c.lent[id] = h
	}
	return h, err
}

func (c *closet) ReleaseTree(*assets.Handle) bool { return false }

// show is such a program.
func show(ctx context.Context, f facade, id assets.ID) (string, error) {
	h, err := f.Load(ctx, id)
	if err != nil {
		return "", err
	}
	defer f.ReleaseTree(h)
	return fmt.Sprint(h.Value(), " is ", f.Query(id)), nil
}

// TestRegistryOfAnotherMake: a manager and a pipeline do with whatever knows IDs.
func TestRegistryOfAnotherMake(t *testing.T) {
	ctx := context.Background()
	sys := taskgraph.Start(taskgraph.Options{Workers: 2})
	pipeline, err := assets.NewPipeline(sys, assets.PipelineOptions{Plan: []assets.Pipe{
		assets.Resolve(), assets.Select(), {Name: "read",
			Run: func(_ context.Context, it *assets.Item) error {
				it.Value = it.Variant.Path
				return nil
			}}}})
	require.NoError(t, err)
	known := newListing("a", "b")
	m := assets.New(sys, assets.Options{Registry: known, Loader: pipeline})
	text, err := show(ctx, m, "b")
	require.NoError(t, err)
	require.Equal(t, "listed/b is ready", text)
	_, err = show(ctx, m, "c")
	require.ErrorIs(t, err, assets.ErrUnknown)
	require.EqualValues(t, 2, known.lookups.Load())
	require.NoError(t, m.Close(ctx))
	require.NoError(t, sys.Shutdown(ctx))
}

// TestLoaderAndKeeperOfAnotherMake: a manager has each loaded once, children first, by whatever
// ends loads, and keeps what whoever decides that keeps.
func TestLoaderAndKeeperOfAnotherMake(t *testing.T) {
	ctx := context.Background()
	sys := taskgraph.Start(taskgraph.Options{Workers: 2})
	by, kept := newDesk(), &hoarder{likes: "child"}
	m := assets.New(sys, assets.Options{Registry: newListing(), Loader: by, Keeper: kept})
	parent := m.Acquire("parent")
	it := <-by.asked
	require.Equal(t, assets.ID("parent"), it.ID)
	require.NoError(t, it.Reserve(1<<40), "only a Pipeline has a budget")
	require.True(t, it.Wanted())
	it.Value = "p"
	it.Children = []assets.ID{"child"}
	it.Await(func(err error) { it.Done(err) })
	child := <-by.asked
	m.Release(m.AcquireAt("parent", taskgraph.PriorityHigh)) // which the child inherits
	for range 2 {
		require.Equal(t, taskgraph.PriorityHigh, <-by.promoted)
	}
	child.Value = "c"
	child.Done(nil)
	require.NoError(t, parent.Wait(ctx))
	require.Equal(t, "p", parent.Value())
	require.Empty(t, by.asked, "once each")
	m.ReleaseTree(parent)
	until(t, func() bool { return m.Idle() && m.Stats().Resources == 1 })
	require.Equal(t, assets.Ready, m.Query("child"))
	require.NoError(t, m.Switch(ctx, assets.Scene{Name: "none"}))
	until(t, func() bool { return m.Stats().Resources == 0 })

	h := m.Acquire("broken")
	(<-by.asked).Done(errBroken)
	require.ErrorIs(t, h.Wait(ctx), errBroken)
	m.Release(h)
	require.NoError(t, m.Close(ctx))
	require.NoError(t, sys.Shutdown(ctx))
}

// TestFacadeOfAnotherMake: a program that takes an interface of what it needs has a Manager or
// something of its own behind it.
func TestFacadeOfAnotherMake(t *testing.T) {
	w := newWorld(t, graph{"a": nil}, worldOptions{})
	c := &closet{w.m, map[assets.ID]*assets.Handle{}}
	for range 3 {
		text, err := show(context.Background(), c, "a")
		require.NoError(t, err)
		require.Contains(t, text, "is ready")
	}
	w.quiet()
	require.EqualValues(t, 1, w.m.Stats().Handles)
	require.EqualValues(t, 1, w.counter("a").Load())
}
