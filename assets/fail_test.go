package assets_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/assets"
	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/taskgraph"
)

func TestFailureOfAChild(t *testing.T) {
	for _, degrade := range []bool{false, true} {
		w := newWorld(t, graph{"a": {"b", "c"}, "b": nil, "c": {"d"}, "d": nil}, worldOptions{
			manager: assets.Options{Types: map[string]assets.TypeRule{"": {Degrade: degrade}}}})
		w.broken["d"] = true
		h := w.m.Acquire("a")
		err := h.Wait(context.Background())
		if degrade {
			require.NoError(t, err)
			require.Empty(t, h.Lost(), "c took the loss")
			c := w.m.Acquire("c")
			require.Len(t, c.Lost(), 1)
			require.ErrorIs(t, c.Lost()[0], errBroken)
			continue
		}
		require.ErrorIs(t, err, errBroken)
		require.Equal(t, "assets: a: dependencies: assets: c: dependencies: "+
			"assets: d: decode (for a > c): broken", err.Error())
		require.Equal(t, err, h.Err())
		require.Equal(t, err, h.Event().Err())
		require.Equal(t, assets.Failed, h.State())
		require.Nil(t, h.Value())
	}
}

// A failure is not kept for ever: who asks after FailureFor, or after nobody holds it, loads again.
func TestFailureIsForgotten(t *testing.T) {
	w := newWorld(t, graph{"a": nil}, worldOptions{manager: assets.Options{FailureFor: time.Hour}})
	w.broken["a"] = true
	load := func() error {
		h, err := w.m.Load(context.Background(), "a")
		if err == nil {
			w.m.Release(h)
		}
		return err
	}
	h := w.m.Acquire("a")
	require.ErrorIs(t, h.Wait(context.Background()), errBroken)
	require.ErrorIs(t, load(), errBroken)
	require.EqualValues(t, 1, w.counter("a").Load(), "everyone is told the same failure")
	w.m.Release(h)
	w.settled(func() bool { return w.m.Query("a") == assets.Unknown })
	require.ErrorIs(t, load(), errBroken)
	require.EqualValues(t, 2, w.counter("a").Load())
	w.settled(func() bool { return w.m.Query("a") == assets.Unknown })
	w.mu.Lock()
	w.broken["a"] = false
	w.mu.Unlock()
	require.NoError(t, load())

	w = newWorld(t, graph{"a": nil}, worldOptions{manager: assets.Options{FailureFor: -1}})
	w.broken["a"] = true
	h = w.m.Acquire("a")
	require.Error(t, h.Wait(context.Background()))
	w.mu.Lock()
	w.broken["a"] = false
	w.mu.Unlock()
	require.NoError(t, w.load("a").Err(), "it is loaded again although somebody holds the failure")
	require.Error(t, h.Err())
	w.m.Release(h)
	require.Equal(t, assets.Ready, w.m.Query("a"))
}

// In virtual time: the back-off doubles up to its limit, a Retry can ask for more, and the attempts
// end.
func TestRetry(t *testing.T) {
	run := func(after time.Duration, failures int64) (took time.Duration, runs int64, err error) {
		sys := taskgraph.Start(taskgraph.Options{Deterministic: &taskgraph.Deterministic{Seed: 1}})
		var n atomic.Int64
		p, err := assets.NewPipeline(sys, assets.PipelineOptions{Retries: 4, Backoff: time.Second,
			MaxBackoff: 3 * time.Second, Plan: []assets.Pipe{{Name: "fetch",
				Bytes: func(*assets.Item) int64 { return 10 },
				Run: func(context.Context, *assets.Item) error {
					if n.Add(1) <= failures {
						return assets.Retry(errBroken, after)
					}
					return nil
				}}}})
		require.NoError(t, err)
		r, err := assets.NewMemory()
		require.NoError(t, err)
		m := assets.New(sys, assets.Options{Registry: r, Loader: p})
		begin := sys.Now()
		h, err := m.Load(context.Background(), "a")
		took = sys.Now().Sub(begin)
		if err == nil {
			m.Release(h)
		}
		require.NoError(t, m.Close(context.Background()))
		require.NoError(t, sys.Shutdown(context.Background()))
		return took, n.Load(), err
	}
	took, runs, err := run(0, 3)
	require.NoError(t, err)
	require.EqualValues(t, 4, runs)
	require.InDelta(t, 1+2+3, took.Seconds(), 0.1)

	took, runs, err = run(10*time.Second, 2)
	require.NoError(t, err)
	require.EqualValues(t, 3, runs)
	require.InDelta(t, 20, took.Seconds(), 0.1)

	_, runs, err = run(0, 100)
	require.ErrorIs(t, err, errBroken)
	var e *assets.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, 5, e.Attempts)
	require.EqualValues(t, 5, runs)
	var retry *assets.RetryError
	require.ErrorAs(t, err, &retry)
}

func TestPanicAndGoexit(t *testing.T) {
	sys := taskgraph.Start(taskgraph.Options{Workers: 2})
	for _, lane := range []assets.Lane{assets.CPU, assets.Disk} {
		p, err := assets.NewPipeline(sys, assets.PipelineOptions{Plan: []assets.Pipe{
			{Name: "one", Lane: lane, Run: func(_ context.Context, it *assets.Item) error {
				switch it.ID {
				case "panic":
					panic(errBroken)
				case "goexit":
					runtime.Goexit()
				}
				return nil
			}}, assets.Dependencies()}})
		require.NoError(t, err)
		r, err := assets.NewMemory()
		require.NoError(t, err)
		m := assets.New(sys, assets.Options{Registry: r, Loader: p})
		_, err = m.Load(context.Background(), "panic")
		var v *graphevent.PanicError
		require.ErrorAs(t, err, &v)
		require.ErrorIs(t, err, errBroken)
		require.True(t, strings.Contains(string(v.Stack), "TestPanicAndGoexit"))
		_, err = m.Load(context.Background(), "goexit")
		require.ErrorIs(t, err, graphevent.ErrGoexit)
		h, err := m.Load(context.Background(), "well")
		require.NoError(t, err)
		m.Release(h)
		require.NoError(t, m.Close(context.Background()))
	}
	require.ErrorIs(t, sys.Shutdown(context.Background()), graphevent.ErrGoexit, "the task's own")
}

func TestTimeout(t *testing.T) {
	w := newWorld(t, graph{"a": nil}, worldOptions{pipeline: assets.PipelineOptions{
		Timeout: time.Millisecond, Plan: []assets.Pipe{{Name: "hang", Lane: assets.Network,
			Run: func(ctx context.Context, _ *assets.Item) error {
				<-ctx.Done()
				return context.Cause(ctx)
			}}}}})
	_, err := w.m.Load(context.Background(), "a")
	require.ErrorIs(t, err, context.DeadlineExceeded)
}

// Close ends pipes that wait, and what waits for them, and whoever asks is told.
func TestClose(t *testing.T) {
	began := make(chan struct{}, 10)
	w := newWorld(t, graph{"a": {"b"}, "b": nil}, worldOptions{pipeline: assets.PipelineOptions{
		Plan: []assets.Pipe{{Name: "one", Lane: assets.Network,
			Run: func(ctx context.Context, it *assets.Item) error {
				if it.ID == "a" {
					it.Children = []assets.ID{"b"}
					return nil
				}
				began <- struct{}{}
				<-ctx.Done()
				return context.Cause(ctx)
			}}, assets.Dependencies()}}})
	h := w.m.Acquire("a")
	<-began
	require.NoError(t, w.m.Close(context.Background()))
	require.ErrorIs(t, h.Wait(context.Background()), assets.ErrClosed)
	require.True(t, w.m.Release(h))
	h = w.m.Acquire("b")
	require.ErrorIs(t, h.Wait(context.Background()), assets.ErrClosed)
	require.True(t, w.m.Release(h))
	w.settled(func() bool { return w.m.Stats().Resources == 0 })
}

// Close ends although a back-off would take an hour.
func TestCloseDuringBackoff(t *testing.T) {
	failed := make(chan struct{}, 1)
	sys := taskgraph.Start(taskgraph.Options{Workers: 2})
	p, err := assets.NewPipeline(sys, assets.PipelineOptions{Backoff: time.Hour,
		MaxBackoff: time.Hour,
		Plan: []assets.Pipe{{Name: "one", Run: func(context.Context, *assets.Item) error {
			failed <- struct{}{}
			return assets.Retry(errBroken, 0)
		}}}})
	require.NoError(t, err)
	r, err := assets.NewMemory()
	require.NoError(t, err)
	m := assets.New(sys, assets.Options{Registry: r, Loader: p})
	h := m.Acquire("a")
	<-failed
	require.NoError(t, m.Close(context.Background()))
	require.ErrorIs(t, h.Wait(context.Background()), assets.ErrClosed)
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	if err := sys.Shutdown(ctx); err != nil {
		var stuck *taskgraph.StuckError
		require.True(t, errors.As(err, &stuck), "the delay alone may be left: %v", err)
	}
}

// A door is a value that does not close as it should.
type door struct{ close func() error }

func (d door) Close() error { return d.close() }

// Values that fail or panic when they are closed hold nothing up. The first of them is told by
// Close.
func TestValueThatDoesNotClose(t *testing.T) {
	ctx := context.Background()
	jammed := errors.New("jammed")
	for _, c := range []struct {
		name  string
		first door
		told  error
	}{
		{"fails", door{func() error { return jammed }}, jammed},
		{"panics", door{func() error { panic(jammed) }}, jammed},
	} {
		t.Run(c.name, func(t *testing.T) {
			sys := taskgraph.Start(taskgraph.Options{Workers: 2})
			registry, err := assets.NewMemory()
			require.NoError(t, err)
			load, err := assets.NewPipeline(sys, assets.PipelineOptions{Plan: []assets.Pipe{
				{Name: "open", Run: func(_ context.Context, it *assets.Item) error {
					it.Value = c.first
					if it.ID != "first" {
						it.Value = door{func() error { panic("no door") }}
					}
					if it.ID == "fails" {
						return errBroken
					}
					return nil
				}}}})
			require.NoError(t, err)
			m := assets.New(sys, assets.Options{Registry: registry, Loader: load})
			h, err := m.Load(ctx, "first")
			require.NoError(t, err)
			m.ReleaseTree(h)
			until(t, func() bool { return m.Stats().Unloaded == 1 && m.Idle() })
			_, err = m.Load(ctx, "fails") // its value is closed at once
			require.ErrorIs(t, err, errBroken)
			h, err = m.Load(ctx, "reloaded")
			require.NoError(t, err)
			require.True(t, m.Reload("reloaded"))
			until(t, func() bool { return m.Drain() == 1 })
			require.Equal(t, assets.Ready, h.State())
			_, err = m.Load(ctx, "held")
			require.NoError(t, err)
			err = m.Close(ctx)
			require.ErrorIs(t, err, c.told)
			require.ErrorContains(t, err, `value of "first"`)
			require.ErrorIs(t, m.Close(ctx), c.told)
			require.NoError(t, sys.Shutdown(ctx))
		})
	}
}

// A pipe that panics when it is asked for its bytes fails the item, at whatever place it is asked.
func TestBytesPanics(t *testing.T) {
	w := newWorld(t, graph{"a": nil}, worldOptions{pipeline: assets.PipelineOptions{
		Plan: []assets.Pipe{{Name: "greedy", Bytes: func(*assets.Item) int64 { panic(errBroken) },
			Run: func(context.Context, *assets.Item) error { return nil }}}}})
	_, err := w.m.Load(context.Background(), "a")
	require.ErrorIs(t, err, errBroken)
	pass := assets.Pipe{Name: "pass",
		Run: func(context.Context, *assets.Item) error { return nil }}
	require.NoError(t, w.pipeline.Plan().Insert("greedy", pass))
	_, err = w.m.Load(context.Background(), "b")
	require.ErrorIs(t, err, errBroken)
	require.ErrorContains(t, err, "greedy")
}
