package dag

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	_ "github.com/heddle-go/heddle/internal/dev/seed"
	_ "github.com/heddle-go/heddle/internal/dev/short"
)

// graph returns a graph of what each node comes after.
func graph(after ...[]int) Graph {
	return Graph{Nodes: len(after), After: func(i int) []int { return after[i] }}
}

// forked is 0 → 1 → 3, 0 → 2 → 3, and 4 alone.
var forked = graph(nil, []int{0}, []int{0}, []int{1, 2}, nil)

func TestLongestPath(t *testing.T) {
	path, length := forked.LongestPath([]time.Duration{1, 5, 7, 2, 9})
	require.Equal(t, []int{0, 2, 3}, path)
	require.Equal(t, time.Duration(10), length)

	path, length = forked.LongestPath([]time.Duration{1, 5, 7, 2, 11})
	require.Equal(t, []int{4}, path)
	require.Equal(t, time.Duration(11), length)

	path, length = graph().LongestPath(nil)
	require.Empty(t, path)
	require.Zero(t, length)
}

func TestLongestPathIsTheHeaviestChain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 10).Draw(t, "nodes")
		after := make([][]int, n)
		weight := make([]time.Duration, n)
		for i := range n {
			weight[i] = time.Duration(rapid.IntRange(0, 20).Draw(t, "weight"))
			for j := range i {
				if rapid.Bool().Draw(t, "after") {
					after[i] = append(after[i], j)
				}
			}
		}

		// The heaviest of all chains, each followed to its end.
		var ending func(i int) time.Duration
		ending = func(i int) time.Duration {
			var most time.Duration
			for _, before := range after[i] {
				most = max(most, ending(before))
			}
			return most + weight[i]
		}
		var want time.Duration
		for i := range n {
			want = max(want, ending(i))
		}

		path, length := graph(after...).LongestPath(weight)
		var sum time.Duration
		for k, i := range path {
			sum += weight[i]
			if k > 0 {
				require.Contains(t, after[i], path[k-1])
			}
		}
		require.Equal(t, want, length)
		require.Equal(t, want, sum)
	})
}

func TestDraw(t *testing.T) {
	var b strings.Builder
	require.NoError(t, forked.Draw(&b, Drawing{
		Name: "work", Caption: "all of it", Path: []int{0, 2, 3},
		Node: func(i int) (name, text, attributes string) {
			if i == 2 {
				attributes = "fillcolor=grey"
			}
			return "abcde"[i : i+1], "1 ms", attributes
		},
		Arrow: func(from, to int) string {
			if from == 2 || from == 1 {
				return "style=dotted"
			}
			return ""
		},
	}))
	require.Equal(t, `digraph work {
	label="all of it";
	rankdir=LR;
	node [shape=box, style=filled, fillcolor=white];
	"a" [label="a\n1 ms", color=red, penwidth=2];
	"b" [label="b\n1 ms"];
	"c" [label="c\n1 ms", fillcolor=grey, color=red, penwidth=2];
	"d" [label="d\n1 ms", color=red, penwidth=2];
	"e" [label="e\n1 ms"];
	"a" -> "b";
	"a" -> "c" [color=red, penwidth=2];
	"b" -> "d" [style=dotted];
	"c" -> "d" [style=dotted, color=red, penwidth=2];
}
`, b.String())
}
