package stuck

import (
	"cmp"
	"slices"
)

// cycles finds the strongly connected components of stuck nodes (Tarjan, "Depth-First Search and
// Linear Graph Algorithms", 1972, without recursion), and a cycle in each of the first ones.
func (g graph) cycles(free []bool) (cyclic []bool, cycles [][]int32) {
	n := len(g.nodes)
	cyclic = make([]bool, n)
	num, low := make([]int32, n), make([]int32, n)
	on := make([]bool, n)
	var stack []int32
	type frame struct {
		i    int32
		next int
	}
	var calls []frame
	count := int32(0)
	for root := range n {
		if free[root] || num[root] != 0 {
			continue
		}
		calls = append(calls, frame{i: int32(root)})
		for len(calls) > 0 {
			f := &calls[len(calls)-1]
			i := f.i
			if f.next == 0 {
				count++
				num[i], low[i] = count, count
				stack, on[i] = append(stack, i), true
			}
			deeper := false
			for f.next < len(g.nodes[i].Out) {
				to := g.nodes[i].Out[f.next]
				f.next++
				if free[to] {
					continue
				}
				if num[to] == 0 {
					calls = append(calls, frame{i: to})
					deeper = true
					break
				}
				if on[to] {
					low[i] = min(low[i], num[to])
				}
			}
			if deeper {
				continue
			}
			calls = calls[:len(calls)-1]
			if len(calls) > 0 {
				p := calls[len(calls)-1].i
				low[p] = min(low[p], low[i])
			}
			if low[i] != num[i] {
				continue
			}
			first := len(stack) - 1
			for stack[first] != i {
				first--
			}
			knot := slices.Clone(stack[first:])
			stack = stack[:first]
			for _, k := range knot {
				on[k] = false
			}
			if len(knot) > 1 || slices.Contains(g.nodes[i].Out, i) {
				for _, k := range knot {
					cyclic[k] = true
				}
				cycles = append(cycles, g.around(knot))
			}
		}
	}
	slices.SortFunc(cycles, func(a, b []int32) int {
		return Naturally(g.nodes[a[0]].Name, g.nodes[b[0]].Name)
	})
	return cyclic, cycles
}

// around returns a shortest cycle in a component, through the node whose name comes first.
func (g graph) around(knot []int32) []int32 {
	in := map[int32]bool{}
	for _, k := range knot {
		in[k] = true
	}
	start := slices.MinFunc(knot, func(a, b int32) int {
		x, y := &g.nodes[a], &g.nodes[b]
		return cmp.Or(Naturally(x.Name, y.Name), cmp.Compare(a, b))
	})
	from := map[int32]int32{}
	todo := []int32{start}
	for len(todo) > 0 {
		i := todo[0]
		todo = todo[1:]
		for _, to := range g.nodes[i].Out {
			if to == start {
				var path []int32
				for ; i != start; i = from[i] {
					path = append(path, i)
				}
				path = append(path, start)
				slices.Reverse(path)
				return path
			}
			if _, seen := from[to]; !seen && in[to] {
				from[to] = i
				todo = append(todo, to)
			}
		}
	}
	return []int32{start}
}
