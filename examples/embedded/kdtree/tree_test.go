package kdtree_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/examples/embedded/kdtree"
	"github.com/heddle-go/heddle/sleepevent"
	"github.com/heddle-go/heddle/taskgraph"
	"github.com/heddle-go/heddle/taskgraph/parallel"
)

// makePoints makes points of which many are the same along an axis.
func makePoints(seed uint64, n int) []kdtree.Point {
	random := rand.New(rand.NewPCG(seed, 0))
	points := make([]kdtree.Point, n)
	for i := range points {
		for axis := range points[i] {
			points[i][axis] = float64(random.IntN(50))
		}
	}
	return points
}

// distance is the square of it.
func distance(a, b kdtree.Point) (d float64) {
	for i := range a {
		d += (a[i] - b[i]) * (a[i] - b[i])
	}
	return d
}

// check builds a tree and compares what it finds with a search through all points.
func check(t require.TestingT, ctx context.Context, on parallel.Launcher, seed uint64, n int) {
	points := makePoints(seed, n)
	all := slices.Clone(points)
	tree, err := kdtree.Build(ctx, on, points)
	require.NoError(t, err)
	near := makePoints(seed+1, 20)
	got := make([]kdtree.Point, len(near))
	require.NoError(t, tree.NearestOf(ctx, on, got, near))
	for i, p := range near {
		best := distance(p, all[0])
		for _, q := range all {
			best = min(best, distance(p, q))
		}
		require.Equal(t, best, distance(p, got[i]), "the nearest of %v among %d", p, n)
		require.Contains(t, all, got[i])
	}
}

func TestAlone(t *testing.T) {
	for _, n := range []int{1, 2, 3, 127, 128, 129, 3000} {
		check(t, t.Context(), nil, uint64(n), n)
	}
}

func TestOnSystem(t *testing.T) {
	sys := taskgraph.Start(taskgraph.Options{Workers: 3})
	for _, n := range []int{1, 2, 3, 127, 128, 129, 30_000} {
		check(t, t.Context(), sys, uint64(n), n)
	}
	require.NoError(t, sys.Shutdown(t.Context()))
}

// A body whose worker is the only one builds trees, and so do the participants of a loop.
func TestNested(t *testing.T) {
	sys := taskgraph.Start(taskgraph.Options{Workers: 1})
	require.NoError(t, sys.Run(t.Context(), taskgraph.Run(func(c *taskgraph.Context) error {
		check(t, c, c, 1, 5000)
		return nil
	})))
	require.NoError(t, sys.RunLoop(taskgraph.Loop{N: 4,
		Body: func(p *taskgraph.Participant, lo, hi int) error {
			for i := lo; i < hi; i++ {
				check(t, t.Context(), p, uint64(i), 5000)
			}
			return nil
		}}))
	require.NoError(t, sys.Shutdown(t.Context()))
}

// In every order the tree is the same as alone.
func TestInManyOrders(t *testing.T) {
	alone := makePoints(1, 400)
	_, err := kdtree.Build(t.Context(), nil, alone)
	require.NoError(t, err)
	for seed := range uint64(50) {
		sys := taskgraph.Start(taskgraph.Options{
			Deterministic: &taskgraph.Deterministic{Seed: seed},
		})
		points := makePoints(1, 400)
		_, err := kdtree.Build(t.Context(), sys, points)
		require.NoError(t, err)
		require.Equal(t, alone, points, "seed %d", seed)
		require.NoError(t, sys.Shutdown(t.Context()))
	}
}

// A context that has ended is told, alone and on a system, and whoever runs the loop.
func TestEnds(t *testing.T) {
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	points := makePoints(1, 1000)
	_, err := kdtree.Build(ctx, nil, points)
	require.ErrorIs(t, err, cause)
	synctest.Test(t, func(t *testing.T) {
		sys := taskgraph.Start(taskgraph.Options{Workers: 2, Park: sleepevent.ParkGo})
		_, err := kdtree.Build(ctx, sys, points)
		require.ErrorIs(t, err, cause)
		require.NoError(t, sys.Shutdown(t.Context()))
	})
}
