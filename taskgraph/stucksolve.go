package taskgraph

import (
	"cmp"
	"slices"

	"github.com/heddle-go/heddle/taskgraph/internal/goroutine"
	"github.com/heddle-go/heddle/taskgraph/internal/stuck"
)

func (w *stuckWalk) solve() *StuckReport {
	w.ground()
	nodes := make([]stuck.Node, len(w.nodes))
	for i := range w.nodes {
		n := &w.nodes[i]
		nodes[i] = stuck.Node{Name: n.name, Key: uint64(n.ev.Node()), Out: n.out, Any: n.any,
			Alive: n.alive, Runs: n.runs,
			Cause: n.isCause()}
	}
	f := stuck.Find(nodes, maxCycles) // ST6
	r := &StuckReport{Idle: w.idle}
	at := map[int32]int{}
	for _, i := range f.Order {
		if !f.Free[i] {
			r.Stuck++
		}
		if len(at) < maxStuckTasks {
			at[i] = len(at)
		}
	}
	r.More = len(f.Order) - len(at)
	r.Stuck = min(r.Stuck, maxStuckTasks)
	for _, i := range f.Order[:len(at)] {
		r.Tasks = append(r.Tasks, w.task(i, at, &f))
	}
	for _, c := range f.Cycles {
		var names []string
		for _, i := range c {
			names = append(names, w.nodes[i].name)
		}
		r.Cycles = append(r.Cycles, names)
	}
	w.stacks(r, f.Order)
	return r
}

// ground corrects nodes that seemed to run, in a system in which nothing runs: ST5.
func (w *stuckWalk) ground() {
	for i := range w.nodes {
		n := &w.nodes[i]
		if len(n.out) > 1 { // an edge may come twice: from a wait, or from body and prerequisite
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

// isCause reports whether something that is not a node keeps this one from completing.
func (n *stuckNode) isCause() bool { return n.why != "" || n.blocked() }

// blocked reports whether the node waits for something that is not a node and of which nothing is
// known.
func (n *stuckNode) blocked() bool {
	return len(n.else_) > 0 && len(n.out) == 0 || slices.Contains(n.else_, anotherSystem)
}

const anotherSystem = "something of another system"

// task makes the entry of node i in a report; at gives the places of the other entries.
func (w *stuckWalk) task(i int32, at map[int32]int, f *stuck.Finding) StuckTask {
	n := &w.nodes[i]
	t := StuckTask{Name: n.name, State: n.state, Site: n.site, Why: n.why, Age: n.age,
		cyclic: f.Cyclic[i], root: !f.Free[i] && n.isCause(), stuck: !f.Free[i], any: n.any,
		others: len(n.else_)}
	for _, what := range n.else_ {
		t.WaitsFor, t.out = append(t.WaitsFor, what), append(t.out, -1)
	}
	out := slices.Clone(n.out)
	slices.SortFunc(out, func(a, b int32) int {
		free := func(k int32) int { // stuck nodes come before those that will complete
			if f.Free[k] {
				return 1
			}
			return 0
		}
		x, y := &w.nodes[a], &w.nodes[b]
		return cmp.Or(cmp.Compare(free(a), free(b)), stuck.Naturally(x.name, y.name),
			cmp.Compare(a, b))
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

func (w *stuckWalk) stacks(r *StuckReport, order []int32) {
	ids := map[uint64]bool{}
	for k, t := range r.Tasks {
		if n := &w.nodes[order[k]]; t.cyclic && n.gid != 0 && len(ids) < maxStacks {
			ids[n.gid] = true
		}
	}
	all := goroutine.Stacks(ids)
	for k := range r.Tasks {
		if t := &r.Tasks[k]; t.cyclic {
			t.Stack = all[w.nodes[order[k]].gid]
		}
	}
}
