package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"os"

	"github.com/heddle-go/heddle/examples/embedded/columns"
	"github.com/heddle-go/heddle/examples/embedded/kdtree"
	"github.com/heddle-go/heddle/taskgraph"
)

func main() {
	sys := taskgraph.Start(taskgraph.Options{})
	ctx := context.Background()
	if err := report(ctx, sys, os.Stdout, 200_000); err != nil {
		log.Fatal(err)
	}
	if err := sys.Shutdown(ctx); err != nil {
		log.Fatal(err)
	}
}

// report has both libraries at work on the same workers.
func report(ctx context.Context, sys *taskgraph.System, out io.Writer, n int) error {
	points, table := makePoints(n)
	var sums []columns.Summary
	nearest := make([]kdtree.Point, 3)
	err := sys.Run(ctx, taskgraph.Run(func(c *taskgraph.Context) error {
		c.Nest(taskgraph.Run(func(c *taskgraph.Context) (err error) {
			sums, err = columns.Summarise(c, c, bytes.NewReader(table))
			return err
		}))
		tree, err := kdtree.Build(c, c, points)
		if err != nil {
			return err
		}
		return tree.NearestOf(c, c, nearest, []kdtree.Point{{}, {.5, .5, .5}, {1, 1, 1}})
	}))
	if err != nil {
		return err
	}
	for i, s := range sums {
		fmt.Fprintf(out, "column %d: %d numbers, %.2f to %.2f, mean %.2f\n", i+1, s.Count, s.Min,
			s.Max, s.Sum/float64(s.Count))
	}
	for _, p := range nearest {
		fmt.Fprintf(out, "nearest: %.2f\n", p)
	}
	return nil
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
