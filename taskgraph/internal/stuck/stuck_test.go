package stuck_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	_ "github.com/heddle-go/heddle/internal/dev/seed"
	_ "github.com/heddle-go/heddle/internal/dev/short"
	"github.com/heddle-go/heddle/taskgraph/internal/stuck"
)

func drawNodes(t *rapid.T) []stuck.Node {
	n := rapid.IntRange(1, 9).Draw(t, "nodes")
	nodes := make([]stuck.Node, n)
	for i := range nodes {
		nodes[i] = stuck.Node{
			Name:  fmt.Sprintf("task %d", rapid.IntRange(0, 20).Draw(t, "name")),
			Any:   rapid.Bool().Draw(t, "any"),
			Alive: rapid.IntRange(0, 3).Draw(t, "alive") == 0,
		}
		if rapid.IntRange(0, 5).Draw(t, "over") == 0 {
			nodes[i].Name, nodes[i].Alive = "", true
		}
		if !nodes[i].Alive && rapid.IntRange(0, 3).Draw(t, "cause") == 0 {
			nodes[i].Why = "it does not come"
		}
		nodes[i].Runs = nodes[i].Alive && rapid.Bool().Draw(t, "runs")
		for to := range int32(n) {
			if rapid.IntRange(0, 3).Draw(t, "waits") == 0 {
				nodes[i].Out = append(nodes[i].Out, to)
			}
		}
	}
	return nodes
}

func TestFind(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nodes := drawNodes(t)
		n := len(nodes)
		f := stuck.Find(nodes, n)

		// What is free, by the definition: round after round.
		free := make([]bool, n)
		for again := true; again; {
			again = false
			for i, x := range nodes {
				isFree := func(to int32) bool { return free[to] }
				ok := x.Alive || x.Why == "" &&
					(!slices.ContainsFunc(x.Out, func(to int32) bool { return !free[to] }) ||
						x.Any && slices.ContainsFunc(x.Out, isFree))
				if ok && !free[i] {
					free[i], again = true, true
				}
			}
		}
		require.Equal(t, free, f.Free)

		// What waits for itself, by paths of stuck nodes.
		reach := make([][]bool, n)
		for i, x := range nodes {
			reach[i] = make([]bool, n)
			for _, to := range x.Out {
				reach[i][to] = !free[i] && !free[to]
			}
		}
		for k := range n {
			for i := range n {
				for j := range n {
					reach[i][j] = reach[i][j] || reach[i][k] && reach[k][j]
				}
			}
		}
		knots := map[string]bool{}
		for i := range n {
			require.Equal(t, reach[i][i], f.Cyclic[i])
			if reach[i][i] {
				var knot []int
				for j := range n {
					if reach[i][j] && reach[j][i] {
						knot = append(knot, j)
					}
				}
				knots[fmt.Sprint(knot)] = true
			}
		}
		require.Len(t, f.Cycles, len(knots))
		for _, c := range f.Cycles {
			for k, i := range c {
				require.Contains(t, nodes[i].Out, c[(k+1)%len(c)])
				require.True(t, f.Cyclic[i])
			}
		}
		require.Len(t, stuck.Find(nodes, 1).Cycles, min(1, len(knots)))

		// All that are not over, each once: causes first, then what is stuck, then what runs.
		group := func(i int32) int {
			switch {
			case !free[i] && nodes[i].Why != "":
				return 0
			case !free[i]:
				return 1
			case nodes[i].Runs:
				return 2
			case len(nodes[i].Out) > 0:
				return 3
			}
			return 4
		}
		require.True(t, slices.IsSortedFunc(f.Order, func(a, b int32) int {
			return group(a) - group(b)
		}))
		var want []int32
		for i := range nodes {
			if nodes[i].Name != "" {
				want = append(want, int32(i))
			}
		}
		require.ElementsMatch(t, want, f.Order)
	})
}

// Of what is stuck, cycles come before what waits for them, the nearest first.
func TestFindOrdersByDistance(t *testing.T) {
	nodes := []stuck.Node{
		{Name: "far", Out: []int32{1}},
		{Name: "near", Out: []int32{2}},
		{Name: "b", Out: []int32{3}},
		{Name: "a", Out: []int32{2}},
		{Name: "cause", Why: "it does not come"},
	}
	f := stuck.Find(nodes, 8)
	require.Equal(t, []int32{4, 3, 2, 1, 0}, f.Order)
	require.Equal(t, [][]int32{{3, 2}}, f.Cycles)
}

func TestNaturally(t *testing.T) {
	sorted := []string{"", "a", "a1", "a2", "a9", "a10", "a10b", "a010c", "a90", "aa", "b"}
	for i, a := range sorted {
		for j, b := range sorted {
			require.Equal(t, i < j, stuck.Naturally(a, b) < 0, "%s, %s", a, b)
		}
	}
}
