package assets_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/heddle-go/heddle/assets"
)

// reference computes, one after the other, what loading the graph must leave: Tarjan's components,
// and the rule of cycles.md.
func reference(g graph, broken map[assets.ID]bool, degrade bool,
	roots []assets.ID) map[assets.ID]outcome {
	index := map[assets.ID]int{}
	low := map[assets.ID]int{}
	component := map[assets.ID]int{}
	var stack []assets.ID
	var order [][]assets.ID // components, children first
	var visit func(id assets.ID)
	visit = func(id assets.ID) {
		index[id] = len(index) + 1
		low[id] = index[id]
		stack = append(stack, id)
		children := g[id]
		if broken[id] {
			children = nil
		}
		for _, c := range children {
			if index[c] == 0 {
				visit(c)
				low[id] = min(low[id], low[c])
			} else if component[c] == 0 {
				low[id] = min(low[id], index[c])
			}
		}
		if low[id] == index[id] {
			i := slices.Index(stack, id)
			members := slices.Clone(stack[i:])
			stack = stack[:i]
			for _, m := range members {
				component[m] = len(order) + 1
			}
			order = append(order, members)
		}
	}
	for _, r := range roots {
		if index[r] == 0 {
			visit(r)
		}
	}
	out := map[assets.ID]outcome{}
	for _, members := range order {
		slices.Sort(members)
		slices.Reverse(members)
		for _, id := range members {
			o := outcome{failed: broken[id]}
			if !o.failed {
				seen := map[assets.ID]bool{}
				for _, c := range g[id] {
					if seen[c] {
						continue
					}
					seen[c] = true
					switch {
					case component[c] == component[id] && c <= id:
						o.cut = append(o.cut, c)
					case out[c].failed && degrade:
						o.lost++
					case out[c].failed:
						o.failed = true
					}
				}
			}
			slices.Sort(o.cut)
			if o.failed {
				o.cut, o.lost = nil, 0
			}
			out[id] = o
		}
	}
	return out
}

// An outcome is what becomes of one resource.
type outcome struct {
	failed bool
	cut    []assets.ID
	lost   int
}

func TestRandomGraphs(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(r, "n")
		name := func(i int) assets.ID { return assets.ID(fmt.Sprintf("n%02d", i)) }
		g, broken := graph{}, map[assets.ID]bool{}
		for i := range n {
			for _, c := range rapid.SliceOfN(rapid.IntRange(0, n-1), 0, 4).Draw(r, "children") {
				g[name(i)] = append(g[name(i)], name(c))
			}
			if g[name(i)] == nil {
				g[name(i)] = nil
			}
			broken[name(i)] = rapid.IntRange(0, 9).Draw(r, "broken") == 0
		}
		var roots []assets.ID
		for _, i := range rapid.SliceOfN(rapid.IntRange(0, n-1), 1, 4).Draw(r, "roots") {
			roots = append(roots, name(i))
		}
		degrade := rapid.Bool().Draw(r, "degrade")
		want := reference(g, broken, degrade, roots)

		w := newWorld(t, g, worldOptions{manager: assets.Options{
			Types: map[string]assets.TypeRule{"": {Degrade: degrade}}}})
		defer w.end()
		w.broken = broken
		var handles []*assets.Handle
		for _, id := range roots {
			handles = append(handles, w.m.Acquire(id))
		}
		for _, h := range handles {
			err := h.Wait(context.Background())
			require.Equal(r, want[h.ID()].failed, err != nil, "%s: %v", h.ID(), err)
		}
		for id, o := range want {
			require.EqualValues(r, 1, w.counter(id).Load(), id)
			// By the time the roots are there, all below them is.
			if state := w.m.Query(id); o.failed {
				require.Contains(r, []assets.State{assets.Failed}, state, id)
			} else {
				require.Equal(r, assets.Ready, state, id)
			}
			h := w.m.Acquire(id)
			handles = append(handles, h)
			require.Equal(r, o.cut, h.Cut(), id)
			require.Len(r, h.Lost(), o.lost, id)
		}
		for _, h := range handles {
			w.m.ReleaseTree(h)
		}
		w.settled(func() bool { return w.m.Stats().Resources == 0 && w.open.Load() == 0 })
	})
}
