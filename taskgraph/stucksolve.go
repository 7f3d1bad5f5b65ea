package taskgraph

import (
	"cmp"
	"slices"
	"strings"
)

// solve turns what a walk has found into a report.
//
// What is not stuck is the least set that has all that is alive, what waits only for members of the set,
// and what waits for one of several of which one is a member. All else is stuck: it is, or waits for, a
// cause that nothing under way takes away, or a cycle. So cycles need no rule of their own.
func (w *stuckWalk) solve() *StuckReport {
	w.ground()
	free := w.free()
	cyclic, cycles := w.cycles(free)
	rank := w.ranks(free, cyclic)

	order := make([]int32, 0, len(w.nodes))
	for i := range w.nodes {
		if w.nodes[i].name != "" { // else it has completed meanwhile
			order = append(order, int32(i))
		}
	}
	slices.SortFunc(order, func(a, b int32) int {
		x, y := &w.nodes[a], &w.nodes[b]
		return cmp.Or(cmp.Compare(rank[a], rank[b]), naturally(x.name, y.name), cmp.Compare(x.ev.Node(), y.ev.Node()))
	})
	r := &StuckReport{Idle: w.idle}
	at := map[int32]int{}
	for _, i := range order {
		if !free[i] {
			r.Stuck++
		}
		if len(at) < maxStuckTasks {
			at[i] = len(at)
		}
	}
	r.More = len(order) - len(at)
	r.Stuck = min(r.Stuck, maxStuckTasks)
	for _, i := range order[:len(at)] {
		r.Tasks = append(r.Tasks, w.task(i, at, free, cyclic))
	}
	for _, c := range cycles {
		var names []string
		for _, i := range c {
			names = append(names, w.nodes[i].name)
		}
		r.Cycles = append(r.Cycles, names)
	}
	w.stacks(r, order)
	return r
}

// ground corrects what looked as if it ran, on a system on which nothing does.
func (w *stuckWalk) ground() {
	for i := range w.nodes {
		n := &w.nodes[i]
		if len(n.out) > 1 { // a wait may name an event twice, and body and prerequisite be the same
			slices.Sort(n.out)
			n.out = slices.Compact(n.out)
		}
		if !n.runs || !w.idle {
			continue
		}
		n.alive, n.runs = false, false
		if g := w.graphs[refOf(n.ev)]; g != nil {
			n.why = cmp.Or(n.why, "they are not run")
		} else if len(n.else_) == 0 {
			n.else_ = append(n.else_, anotherSystem)
		}
	}
}

// free returns what is not stuck.
func (w *stuckWalk) free() []bool {
	free := make([]bool, len(w.nodes))
	left := make([]int, len(w.nodes)) // how many of what it waits for must become free
	back := w.backwards()
	var todo []int32
	for i := range w.nodes {
		n := &w.nodes[i]
		left[i] = len(n.out)
		if n.any {
			left[i] = min(left[i], 1)
		}
		switch {
		case n.alive:
			left[i] = 0
		case n.why != "" || n.blocked():
			left[i] = -1 // never
		}
		if left[i] == 0 {
			free[i] = true
			todo = append(todo, int32(i))
		}
	}
	for len(todo) > 0 {
		i := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, b := range back[i] {
			if left[b]--; left[b] == 0 && !free[b] {
				free[b] = true
				todo = append(todo, b)
			}
		}
	}
	return free
}

// blocked reports whether the node waits for something that is no node, and that nothing is known of.
func (n *stuckNode) blocked() bool {
	return len(n.else_) > 0 && len(n.out) == 0 || slices.Contains(n.else_, anotherSystem)
}

const anotherSystem = "something of another system"

func (w *stuckWalk) backwards() [][]int32 {
	back := make([][]int32, len(w.nodes))
	for i := range w.nodes {
		for _, to := range w.nodes[i].out {
			back[to] = append(back[to], int32(i))
		}
	}
	return back
}

// cycles finds the knots of what is stuck (Tarjan, "Depth-First Search and Linear Graph Algorithms",
// 1972, without recursion), and a cycle in each of the first.
func (w *stuckWalk) cycles(free []bool) (cyclic []bool, cycles [][]int32) {
	n := len(w.nodes)
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
			for f.next < len(w.nodes[i].out) {
				to := w.nodes[i].out[f.next]
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
			if len(knot) > 1 || slices.Contains(w.nodes[i].out, i) {
				for _, k := range knot {
					cyclic[k] = true
				}
				cycles = append(cycles, w.around(knot))
			}
		}
	}
	slices.SortFunc(cycles, func(a, b []int32) int {
		return naturally(w.nodes[a[0]].name, w.nodes[b[0]].name)
	})
	return cyclic, cycles[:min(len(cycles), maxCycles)]
}

// around returns a shortest cycle in a knot through the node of it whose name comes first.
func (w *stuckWalk) around(knot []int32) []int32 {
	in := map[int32]bool{}
	for _, k := range knot {
		in[k] = true
	}
	start := slices.MinFunc(knot, func(a, b int32) int {
		x, y := &w.nodes[a], &w.nodes[b]
		return cmp.Or(naturally(x.name, y.name), cmp.Compare(a, b))
	})
	from := map[int32]int32{}
	todo := []int32{start}
	for len(todo) > 0 {
		i := todo[0]
		todo = todo[1:]
		for _, to := range w.nodes[i].out {
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

// ranks orders: causes, cycles, what waits for those by distance; then what runs, what waits for
// it, and what is about to run.
func (w *stuckWalk) ranks(free, cyclic []bool) []int {
	const far = 1 << 30
	rank := make([]int, len(w.nodes))
	var todo []int32
	for i := range w.nodes {
		switch {
		case free[i] && w.nodes[i].runs:
			rank[i] = far + 1
		case free[i] && len(w.nodes[i].out) > 0:
			rank[i] = far + 2
		case free[i]:
			rank[i] = far + 3
		case w.isRoot(int32(i)):
			todo = append(todo, int32(i))
		case cyclic[i]:
			rank[i] = 1
		default:
			rank[i] = far
		}
	}
	for i := range w.nodes {
		if rank[i] == 1 {
			todo = append(todo, int32(i))
		}
	}
	back := w.backwards()
	for len(todo) > 0 {
		i := todo[0]
		todo = todo[1:]
		for _, b := range back[i] {
			if rank[b] == far {
				rank[b] = max(rank[i], 1) + 1
				todo = append(todo, b)
			}
		}
	}
	return rank
}

// isRoot reports whether the node, which is stuck, is a cause.
func (w *stuckWalk) isRoot(i int32) bool {
	n := &w.nodes[i]
	return n.why != "" || n.blocked()
}

// task makes the entry of node i in a report; at is where the others are.
func (w *stuckWalk) task(i int32, at map[int32]int, free, cyclic []bool) StuckTask {
	n := &w.nodes[i]
	t := StuckTask{Name: n.name, State: n.state, Site: n.site, Why: n.why, Age: n.age,
		cyclic: cyclic[i], root: !free[i] && w.isRoot(i), stuck: !free[i], any: n.any, others: len(n.else_)}
	for _, what := range n.else_ {
		t.WaitsFor, t.out = append(t.WaitsFor, what), append(t.out, -1)
	}
	out := slices.Clone(n.out)
	slices.SortFunc(out, func(a, b int32) int {
		stuck := func(k int32) int { // what keeps it comes before what is on its way
			if free[k] {
				return 1
			}
			return 0
		}
		x, y := &w.nodes[a], &w.nodes[b]
		return cmp.Or(cmp.Compare(stuck(a), stuck(b)), naturally(x.name, y.name), cmp.Compare(a, b))
	})
	for _, to := range out {
		if w.nodes[to].name == "" {
			continue
		}
		if len(t.WaitsFor) == maxStuckNames {
			t.more++
			continue
		}
		k, ok := at[to]
		if !ok {
			k = -1
		}
		t.WaitsFor, t.out = append(t.WaitsFor, w.nodes[to].name), append(t.out, k)
	}
	return t
}

// stacks adds the stacks of bodies on cycles.
func (w *stuckWalk) stacks(r *StuckReport, order []int32) {
	ids := map[uint64]bool{}
	for k, t := range r.Tasks {
		if n := &w.nodes[order[k]]; t.cyclic && n.gid != 0 && len(ids) < maxStacks {
			ids[n.gid] = true
		}
	}
	all := goroutineStacks(ids)
	for k := range r.Tasks {
		if t := &r.Tasks[k]; t.cyclic {
			t.Stack = all[w.nodes[order[k]].gid]
		}
	}
}

// naturally compares names so that numbers in them are in order.
func naturally(a, b string) int {
	for a != "" && b != "" {
		x, y := digits(a), digits(b)
		if x > 0 && y > 0 {
			p, q := strings.TrimLeft(a[:x], "0"), strings.TrimLeft(b[:y], "0")
			if c := cmp.Or(cmp.Compare(len(p), len(q)), strings.Compare(p, q)); c != 0 {
				return c
			}
			a, b = a[x:], b[y:]
			continue
		}
		if a[0] != b[0] {
			return cmp.Compare(a[0], b[0])
		}
		a, b = a[1:], b[1:]
	}
	return cmp.Compare(len(a), len(b))
}

// digits returns how many digits s begins with.
func digits(s string) int {
	n := 0
	for n < len(s) && '0' <= s[n] && s[n] <= '9' {
		n++
	}
	return n
}
