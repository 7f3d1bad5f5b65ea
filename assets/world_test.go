package assets_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/assets"
	"github.com/heddle-go/heddle/taskgraph"
)

var errBroken = errors.New("broken")

// A world is a system with a manager that loads the nodes of a graph.
type world struct {
	t        testing.TB
	sys      *taskgraph.System
	m        *assets.Manager
	pipeline *assets.Pipeline
	registry assets.Registry

	mu     sync.Mutex
	graph  map[assets.ID][]assets.ID
	broken map[assets.ID]bool

	loads sync.Map // ID to *atomic.Int64: how often it was decoded
	open  atomic.Int64
	// all of them
	values sync.Map
	ended  bool
}

// A value is what a node is decoded to.
type value struct {
	w      *world
	id     assets.ID
	load   int64 // which one it is
	closed atomic.Bool
}

func (v *value) Close() error {
	if v.closed.Swap(true) {
		panic("closed twice")
	}
	v.w.open.Add(-1)
	return nil
}

type worldOptions struct {
	system   taskgraph.Options
	pipeline assets.PipelineOptions
	manager  assets.Options
	after    []assets.Pipe // after the dependencies
}

// newWorld starts a world, which ends with the test.
func newWorld(t testing.TB, graph map[assets.ID][]assets.ID, o worldOptions) *world {
	w := &world{t: t, graph: graph, broken: map[assets.ID]bool{}}
	if o.system.Workers == 0 {
		o.system.Workers = 4
	}
	w.sys = taskgraph.Start(o.system)
	var err error
	w.registry, err = assets.NewMemory()
	require.NoError(t, err)
	for id := range graph {
		require.NoError(t, w.registry.Put(assets.Info{ID: id, Size: 1}))
	}
	if o.pipeline.Plan == nil {
		o.pipeline.Plan = append([]assets.Pipe{assets.Resolve(), assets.Select(), w.decode(),
			assets.Dependencies()}, o.after...)
	}
	w.pipeline, err = assets.NewPipeline(w.sys, o.pipeline)
	require.NoError(t, err)
	o.manager.Registry, o.manager.Loader = w.registry, w.pipeline
	w.m = assets.New(w.sys, o.manager)
	t.Cleanup(w.end)
	return w
}

// end closes the world and looks for what is left.
func (w *world) end() {
	if w.ended {
		return
	}
	w.ended = true
	ctx := context.Background()
	require.NoError(w.t, w.m.Close(ctx), "close")
	require.NoError(w.t, w.sys.Shutdown(ctx), "shutdown")
	if w.open.Load() != 0 {
		w.values.Range(func(v, _ any) bool {
			if v := v.(*value); !v.closed.Load() {
				w.t.Logf("load %d of %s is open", v.load, v.id)
			}
			return true
		})
	}
	require.Zero(w.t, w.open.Load(), "values that were not closed")
	now, _ := w.pipeline.InFlight()
	require.Zero(w.t, now, "bytes that were not given back")
	require.Zero(w.t, w.m.Stats().Bytes)
	require.Zero(w.t, w.m.Stats().Resources)
}

// decode is the pipe that knows the graph.
func (w *world) decode() assets.Pipe {
	return assets.Pipe{Name: "decode", Run: func(_ context.Context, it *assets.Item) error {
		n := w.counter(it.ID).Add(1)
		w.mu.Lock()
		children, broken := w.graph[it.ID], w.broken[it.ID]
		w.mu.Unlock()
		if broken {
			return errBroken
		}
		it.Children = children
		w.open.Add(1)
		v := &value{w: w, id: it.ID, load: n}
		w.values.Store(v, true)
		it.Value = v
		it.Size = 1
		return nil
	}}
}

func (w *world) counter(id assets.ID) *atomic.Int64 {
	c, _ := w.loads.LoadOrStore(id, new(atomic.Int64))
	return c.(*atomic.Int64)
}

// settled waits until the manager has nothing to do any more.
func (w *world) settled(cond func() bool) {
	w.t.Helper()
	until(w.t, cond)
}

func (w *world) load(id assets.ID) *assets.Handle {
	w.t.Helper()
	h, err := w.m.Load(context.Background(), id)
	require.NoError(w.t, err)
	return h
}

// until waits for something that takes place elsewhere. It counts how often it looks, not the time:
// that goes on while the process is stopped.
func until(t testing.TB, cond func() bool) {
	t.Helper()
	for looks := 0; !cond(); looks++ {
		require.Less(t, looks, 60_000, "it does not take place")
		time.Sleep(time.Millisecond)
	}
}
