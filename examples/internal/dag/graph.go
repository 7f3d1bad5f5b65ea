package dag

import (
	"slices"
	"time"
)

// A Graph is a number of nodes. Each comes after some of those with lower numbers.
type Graph struct {
	Nodes int
	After func(node int) []int
}

// LongestPath returns the chain of nodes whose weights have the largest sum, first node first, and
// that sum.
func (g Graph) LongestPath(weight []time.Duration) (path []int, length time.Duration) {
	if g.Nodes == 0 {
		return nil, 0
	}
	until := make([]time.Duration, g.Nodes) // the sum of the heaviest chain to each node
	via := make([]int, g.Nodes)             // the node before it on that chain, or -1
	last := 0
	for i := range g.Nodes {
		via[i] = -1
		for _, before := range g.After(i) {
			if via[i] < 0 || until[before] > until[via[i]] {
				via[i] = before
			}
		}
		if via[i] >= 0 {
			until[i] = until[via[i]]
		}
		if until[i] += weight[i]; until[i] > until[last] {
			last = i
		}
	}
	for i := last; i >= 0; i = via[i] {
		path = append(path, i)
	}
	slices.Reverse(path)
	return path, until[last]
}
