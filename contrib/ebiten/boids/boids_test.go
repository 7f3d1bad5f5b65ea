package boids_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/contrib/ebiten/boids"
	_ "github.com/heddle-go/heddle/internal/dev/short"
	"github.com/heddle-go/heddle/namedthread"
	"github.com/heddle-go/heddle/stress/watch"
	"github.com/heddle-go/heddle/taskgraph"
)

func TestMain(m *testing.M) { watch.Main(m) }

// TestWaysAgree: all ways come to the same state and picture, after each step, with any number of
// workers.
func TestWaysAgree(t *testing.T) {
	birds, steps := 3000, 20
	if !testing.Short() {
		birds, steps = 50000, 60
	}
	const sparks = 1000
	shown := 0
	show := func() { shown++ }
	expected := boids.New(birds, sparks)
	ways := map[*boids.Flock]boids.Way{}
	add := func(make func(f *boids.Flock) (boids.Way, error)) {
		f := boids.New(birds, sparks)
		way, err := make(f)
		require.NoError(t, err)
		ways[f] = way
	}
	add(func(f *boids.Flock) (boids.Way, error) { return boids.Goroutines(f, show), nil })
	for _, workers := range []int{1, 2, 4} {
		var threads namedthread.Registry
		sys := taskgraph.Start(taskgraph.Options{Workers: workers, Threads: &threads})
		t.Cleanup(func() { require.NoError(t, sys.Shutdown(context.Background())) })
		thread, err := threads.Attach(fmt.Sprint("show ", workers), namedthread.Options{})
		if workers == 1 {
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, thread.Detach()) })
			add(func(f *boids.Flock) (boids.Way, error) {
				return boids.Graph(sys, thread, f, func() { thread.MustBeCurrent(); shown++ })
			})
			continue
		}
		require.ErrorIs(t, err, namedthread.ErrAttached) // one goroutine is one thread
		add(func(f *boids.Flock) (boids.Way, error) { return boids.Graph(sys, nil, f, show) })
	}
	serial := boids.Serial(expected, func() {})
	for step := range steps {
		require.NoError(t, serial.Step(context.Background()))
		for f, way := range ways {
			require.NoError(t, way.Step(context.Background()))
			require.Equal(t, expected.Digest(), f.Digest(), "%s after step %d", way.Name, step)
		}
	}
	require.Equal(t, steps*len(ways), shown)
}

// TestFlocking: birds that begin in all directions come to fly as their neighbours do.
func TestFlocking(t *testing.T) {
	f := boids.New(5000, 0)
	way := boids.Serial(f, func() {})
	require.NoError(t, way.Step(context.Background()))
	before := f.Order()
	for range 100 {
		require.NoError(t, way.Step(context.Background()))
	}
	require.Less(t, before, 0.3)
	require.Greater(t, f.Order(), 0.6)
}

// TestCheck: the picture shows what Check says it shows, and Check finds a bird that is missing.
func TestCheck(t *testing.T) {
	f := boids.New(5000, 1000)
	way := boids.Serial(f, func() {})
	for range 30 {
		require.NoError(t, way.Step(context.Background()))
	}
	require.NoError(t, f.Check(f.Picture))
	for i := 0; ; i += 4 {
		if f.Picture[i] == 16+80 {
			f.Picture[i] = 16
			break
		}
	}
	require.ErrorContains(t, f.Check(f.Picture), "1 birds are there")
	require.Error(t, f.Check(nil))
}
