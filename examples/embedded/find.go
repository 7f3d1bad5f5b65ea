package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"

	"github.com/heddle-go/heddle/examples/embedded/columns"
	"github.com/heddle-go/heddle/examples/embedded/kdtree"
	"github.com/heddle-go/heddle/taskgraph"
	"github.com/heddle-go/heddle/taskgraph/parallel"
)

// A found is what the libraries find out.
type found struct {
	sums    []columns.Summary
	nearest []kdtree.Point // to asked
}

var asked = []kdtree.Point{{}, {.5, .5, .5}, {1, 1, 1}}

// A way is one way to have both libraries do their work. The points belong to it.
type way struct {
	name string
	find func(ctx context.Context, sys *taskgraph.System, points []kdtree.Point,
		table []byte) (found, error)
}

var ways = [...]way{{"one goroutine", alone}, {"a goroutine for each", apart}, {"one system",
	together}}

// together has both libraries work on the same workers.
func together(ctx context.Context, sys *taskgraph.System, points []kdtree.Point,
	table []byte) (f found, err error) {
	var sums []columns.Summary
	err = sys.Run(ctx, taskgraph.Run(func(c *taskgraph.Context) error {
		c.Nest(taskgraph.Run(func(c *taskgraph.Context) (err error) {
			sums, err = columns.Summarise(c, c, bytes.NewReader(table))
			return err
		}))
		tree, err := kdtree.Build(c, c, points)
		if err != nil {
			return err
		}
		f.nearest, err = search(c, c, tree)
		return err
	}))
	f.sums = sums
	return f, err
}

// alone has one library work after the other, on the calling goroutine.
func alone(ctx context.Context, _ *taskgraph.System, points []kdtree.Point,
	table []byte) (f found, err error) {
	if f.sums, err = columns.Summarise(ctx, nil, bytes.NewReader(table)); err != nil {
		return f, err
	}
	f.nearest, err = buildAlone(ctx, points)
	return f, err
}

// apart has each library work on a goroutine.
func apart(ctx context.Context, _ *taskgraph.System, points []kdtree.Point,
	table []byte) (f found, err error) {
	var both sync.WaitGroup
	var errs [2]error
	both.Go(func() { f.sums, errs[0] = columns.Summarise(ctx, nil, bytes.NewReader(table)) })
	both.Go(func() { f.nearest, errs[1] = buildAlone(ctx, points) })
	both.Wait()
	return f, errors.Join(errs[:]...)
}

func buildAlone(ctx context.Context, points []kdtree.Point) ([]kdtree.Point, error) {
	tree, err := kdtree.Build(ctx, nil, points)
	if err != nil {
		return nil, err
	}
	return search(ctx, nil, tree)
}

func search(ctx context.Context, on parallel.Launcher, tree *kdtree.Tree) ([]kdtree.Point, error) {
	nearest := make([]kdtree.Point, len(asked))
	return nearest, tree.NearestOf(ctx, on, nearest, asked)
}

// makePoints makes points, always the same, and their table.
func makePoints(n int) (points []kdtree.Point, table []byte) {
	random := rand.New(rand.NewPCG(1, 2))
	var b bytes.Buffer
	for range n {
		p := kdtree.Point{random.Float64(), random.Float64(), random.Float64()}
		points = append(points, p)
		fmt.Fprintf(&b, "%g,%g,%g\n", p[0], p[1], p[2])
	}
	return points, b.Bytes()
}
