package stress

import (
	"fmt"
	"math/rand/v2"

	"pgregory.net/rapid"
)

// A Shape is a family of graphs. The zero value is ShapeEmpty.
type Shape uint8

// The shapes.
const (
	ShapeEmpty        Shape = iota // no node
	ShapeChain                     // each node after the one before
	ShapeFanOut                    // all nodes after the first
	ShapeFanIn                     // the last node after all others
	ShapeLayers                    // each node after some or all nodes of the layer before
	ShapeWavefront                 // a lattice: each node after its upper and its left neighbour
	ShapeTreeDown                  // grows from one node, which is the first
	ShapeTreeUp                    // shrinks to one node, which is the last
	ShapeSparse                    // up to three prerequisites anywhere before
	ShapeDense                     // a good part of everything before
	ShapeDisconnected              // graphs of the other shapes side by side
	ShapeFree                      // drawn edge by edge, so that rapid can take single edges away

	shapes = iota
)

var shapeNames = [shapes]string{
	"empty", "chain", "fan-out", "fan-in", "layers", "wavefront", "tree-down", "tree-up", "sparse",
	"dense", "disconnected", "free",
}

// String returns the name of the shape.
func (s Shape) String() string {
	if s >= shapes {
		return fmt.Sprintf("shape(%d)", uint8(s))
	}
	return shapeNames[s]
}

// Shapes returns all shapes, from the simplest on.
func Shapes() []Shape {
	all := make([]Shape, shapes)
	for i := range all {
		all[i] = Shape(i)
	}
	return all
}

// Draw draws a graph of the shape with at most maxNodes nodes, which must be at least 1. It
// panics if s is no shape.
func (s Shape) Draw(t *rapid.T, maxNodes int) DAG {
	if s == ShapeEmpty {
		return DAG{}
	}
	n := rapid.IntRange(1, maxNodes).Draw(t, "nodes")
	if s != ShapeDisconnected {
		return s.draw(t, n)
	}
	var d DAG
	for len(d) < n {
		part := Shape(rapid.IntRange(int(ShapeChain), int(ShapeDense)).Draw(t, "part"))
		first := len(d)
		for _, prerequisites := range part.draw(t,
			rapid.IntRange(1, n-first).Draw(t, "nodes of the part")) {
			for i := range prerequisites {
				prerequisites[i] += first
			}
			d = append(d, prerequisites)
		}
	}
	return d
}

// draw draws a connected shape of n nodes. What a seed decides about a node does not depend
// on the nodes after it, so that a graph with fewer nodes is a part of the greater one.
func (s Shape) draw(t *rapid.T, n int) DAG {
	d := make(DAG, n)
	switch s {
	case ShapeChain:
		for i := 1; i < n; i++ {
			d[i] = []int{i - 1}
		}
	case ShapeFanOut:
		for i := 1; i < n; i++ {
			d[i] = []int{0}
		}
	case ShapeFanIn:
		for i := range n - 1 {
			d[n-1] = append(d[n-1], i)
		}
	case ShapeLayers:
		width := rapid.IntRange(1, min(n, 12)).Draw(t, "width")
		percent := rapid.SampledFrom([]int{100, 60, 30}).Draw(t, "percent of the layer before")
		seed := rapid.Uint64().Draw(t, "seed")
		for i := width; i < n; i++ {
			r := rand.New(rand.NewPCG(seed, uint64(i)))
			layer := i/width*width - width
			for j := layer; j < layer+width; j++ {
				if r.IntN(100) < percent {
					d[i] = append(d[i], j)
				}
			}
		}
	case ShapeWavefront:
		width := rapid.IntRange(1, n).Draw(t, "width")
		for i := range n {
			if i >= width {
				d[i] = append(d[i], i-width)
			}
			if i%width > 0 {
				d[i] = append(d[i], i-1)
			}
		}
	case ShapeTreeDown:
		arity := rapid.IntRange(2, 5).Draw(t, "arity")
		for i := 1; i < n; i++ {
			d[i] = []int{(i - 1) / arity}
		}
	case ShapeTreeUp:
		arity := rapid.IntRange(2, 5).Draw(t, "arity")
		for i := n - 1; i > 0; i-- {
			up := n - 1 - (i-1)/arity
			d[up] = append(d[up], n-1-i)
		}
	case ShapeSparse:
		seed := rapid.Uint64().Draw(t, "seed")
		for i := 1; i < n; i++ {
			r := rand.New(rand.NewPCG(seed, uint64(i)))
			d[i] = r.Perm(i)[:r.IntN(min(i, 3)+1)]
		}
	case ShapeDense:
		percent := rapid.SampledFrom([]int{50, 20, 90}).Draw(t, "percent of the nodes before")
		seed := rapid.Uint64().Draw(t, "seed")
		for i := 1; i < n; i++ {
			r := rand.New(rand.NewPCG(seed, uint64(i)))
			for j := range i {
				if r.IntN(100) < percent {
					d[i] = append(d[i], j)
				}
			}
		}
	case ShapeFree:
		for i := 1; i < n; i++ {
			d[i] = rapid.SliceOfNDistinct(rapid.IntRange(0, i-1), 0, min(i, 3), rapid.ID).Draw(t,
				"prerequisites")
		}
	case ShapeEmpty, ShapeDisconnected:
		panic("stress: " + s.String() + " has parts only")
	default:
		panic("stress: no such shape")
	}
	return d
}
