package stress

import (
	"fmt"

	"pgregory.net/rapid"
)

// A DAG is a graph of tasks without a cycle: element i lists the prerequisites of node i,
// each of them once and smaller than i, in any order. So the nodes can be launched in the
// order of their numbers.
type DAG [][]int

// DrawDAG draws a graph of any [Shape], the empty one included, with at most maxNodes nodes,
// which must be at least 1.
func DrawDAG(t *rapid.T, maxNodes int) DAG {
	s := rapid.SampledFrom(Shapes()).Draw(t, "shape")
	return s.Draw(t, maxNodes)
}

// Check returns an error that names the first node whose prerequisites are not as the type
// promises.
func (d DAG) Check() error {
	for i, prerequisites := range d {
		seen := make(map[int]bool, len(prerequisites))
		for _, p := range prerequisites {
			switch {
			case p < 0 || p >= i:
				return fmt.Errorf("stress: node %d has the prerequisite %d, not one of the nodes "+
					"before it", i, p)
			case seen[p]:
				return fmt.Errorf("stress: node %d has the prerequisite %d twice", i, p)
			}
			seen[p] = true
		}
	}
	return nil
}

// Edges returns the number of prerequisites of all nodes together.
func (d DAG) Edges() int {
	n := 0
	for _, prerequisites := range d {
		n += len(prerequisites)
	}
	return n
}

// Widest returns the greatest number of prerequisites that a node has.
func (d DAG) Widest() int {
	n := 0
	for _, prerequisites := range d {
		n = max(n, len(prerequisites))
	}
	return n
}
