package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// dag builds a graph from the imports of each package.
func dag(imports ...[]int) *graph {
	g := &graph{pkgs: make([]pkg, len(imports))}
	for i, imp := range imports {
		g.pkgs[i].imports = imp
	}
	return g
}

func TestCriticalPath(t *testing.T) {
	// 0 → 1 → 3, 0 → 2 → 3, 4 alone
	g := dag(nil, []int{0}, []int{0}, []int{1, 2}, nil)
	path, length := g.criticalPath([]time.Duration{1, 5, 7, 2, 9})
	require.Equal(t, []int{0, 2, 3}, path)
	require.Equal(t, time.Duration(10), length)
	require.Equal(t, []time.Duration{10, 7, 9, 2, 9}, g.remaining([]time.Duration{1, 5, 7, 2, 9}))

	path, length = g.criticalPath([]time.Duration{1, 5, 7, 2, 11})
	require.Equal(t, []int{4}, path)
	require.Equal(t, time.Duration(11), length)

	path, length = dag().criticalPath(nil)
	require.Empty(t, path)
	require.Zero(t, length)
}

func TestCriticalPathIsTheHeaviestChain(t *testing.T) {
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
		g := dag(imports...)

		// The heaviest of all chains, each followed to its end.
		var ending func(i int) time.Duration
		ending = func(i int) time.Duration {
			var most time.Duration
			for _, imp := range imports[i] {
				most = max(most, ending(imp))
			}
			return most + weight[i]
		}
		var want, rest time.Duration
		for i, r := range g.remaining(weight) {
			want = max(want, ending(i))
			rest = max(rest, r)
		}

		path, length := g.criticalPath(weight)
		var sum time.Duration
		for k, i := range path {
			sum += weight[i]
			if k > 0 {
				require.Contains(t, imports[i], path[k-1])
			}
		}
		require.Equal(t, want, length)
		require.Equal(t, want, sum)
		require.Equal(t, want, rest)
	})
}

func TestRanks(t *testing.T) {
	g := dag(nil, []int{0}, []int{1}, nil)
	for i, bytes := range []int64{10, 80, 10, 15} {
		g.pkgs[i].bytes = bytes
	}
	require.Equal(t, []int{0, 0, 3, 3}, g.ranks())
	require.Empty(t, dag().ranks())
}

func TestMedian(t *testing.T) {
	require.Zero(t, median(nil))
	require.Equal(t, time.Duration(3), median([]time.Duration{3}))
	require.Equal(t, time.Duration(2), median([]time.Duration{1, 3}))
	unsorted := []time.Duration{9, 1, 5}
	require.Equal(t, time.Duration(5), median(unsorted))
	require.Equal(t, []time.Duration{9, 1, 5}, unsorted)
}
