package kdtree

import (
	"context"

	"github.com/heddle-go/heddle/taskgraph/parallel"
)

// A Point is a place in space.
type Point [3]float64

// A Tree finds nearest points. Make one with Build. Any number of goroutines may ask it.
type Tree struct {
	// The node of a part of points is its middle element; those before it are not greater along
	// the node's axis, those after it not less, and these two parts are the node's subtrees.
	points []Point
}

// parts is into how many parts the points are cut one level after the other, before each is ordered
// by itself: enough that the last ones to end leave few participants idle, on many processors.
const parts = 128

// Build orders points, which then belong to the tree. It runs on a system, a Context or a
// Participant; if on is nil, alone on the calling goroutine, with the same result. If ctx ends
// before, it returns the cause, and points are in no particular order. Nothing of it runs when it
// returns.
func Build(ctx context.Context, on parallel.Launcher, points []Point) (*Tree, error) {
	level := []part{{to: len(points)}}
	for len(level) < parts {
		next := make([]part, 2*len(level))
		err := loop(ctx, on, len(level), func(i int) {
			next[2*i], next[2*i+1] = level[i].split(points)
		})
		if err != nil {
			return nil, err
		}
		level = next
	}
	err := loop(ctx, on, len(level), func(i int) { level[i].order(points) })
	if err != nil {
		return nil, err
	}
	return &Tree{points}, nil
}

// NearestOf sets each of dst to the point of the tree that is nearest to the one of near with the
// same index, on whatever Build runs on, and as that ends with ctx. It panics if the tree is empty
// or if dst is shorter than near.
func (t *Tree) NearestOf(ctx context.Context, on parallel.Launcher, dst, near []Point) error {
	_ = dst[:len(near)]
	return loop(ctx, on, len(near), func(i int) { dst[i] = t.Nearest(near[i]) })
}

// Nearest returns the point of the tree that is nearest to p. It panics if the tree is empty.
func (t *Tree) Nearest(p Point) Point {
	s := search{p: p, best: t.points[len(t.points)/2]}
	s.visit(t.points, 0)
	return s.best
}
