package main

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// graphOf builds a graph from the imports of each package.
func graphOf(imports ...[]int) *graph {
	g := &graph{pkgs: make([]pkg, len(imports))}
	for i, imp := range imports {
		g.pkgs[i].imports = imp
	}
	return g
}

func TestRemaining(t *testing.T) {
	// 0 → 1 → 3, 0 → 2 → 3, 4 alone
	g := graphOf(nil, []int{0}, []int{0}, []int{1, 2}, nil)
	require.Equal(t, []time.Duration{10, 7, 9, 2, 9}, g.remaining([]time.Duration{1, 5, 7, 2, 9}))
}

// The heaviest of all chains, each followed to its end.
func TestRemainingIsOfTheHeaviestChain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 10).Draw(t, "packages")
		imports := make([][]int, n)
		weight := make([]time.Duration, n)
		for i := range n {
			weight[i] = time.Duration(rapid.IntRange(0, 20).Draw(t, "weight"))
			for j := range i {
				if rapid.Bool().Draw(t, "imports") {
					imports[i] = append(imports[i], j)
				}
			}
		}
		var ending func(i int) time.Duration
		ending = func(i int) time.Duration {
			var most time.Duration
			for _, imp := range imports[i] {
				most = max(most, ending(imp))
			}
			return most + weight[i]
		}
		var want time.Duration
		for i := range n {
			want = max(want, ending(i))
		}
		require.Equal(t, want, slices.Max(graphOf(imports...).remaining(weight)))
	})
}

func TestRanks(t *testing.T) {
	g := graphOf(nil, []int{0}, []int{1}, nil)
	for i, bytes := range []int64{10, 80, 10, 15} {
		g.pkgs[i].bytes = bytes
	}
	require.Equal(t, []int{0, 0, 3, 3}, g.ranks())
	require.Empty(t, graphOf().ranks())
}
