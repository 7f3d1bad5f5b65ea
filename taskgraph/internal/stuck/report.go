package stuck

import (
	"cmp"
	"slices"

	"github.com/heddle-go/heddle/taskgraph/internal/goroutine"
)

// Report judges what was found. The survey is over then.
func (s *Survey) Report() *Report {
	s.ground()
	f := Find(s.Nodes, maxCycles) // SU3, SU4
	r := &Report{Idle: s.Idle}
	at := map[int32]int{}
	for _, i := range f.Order {
		if !f.Free[i] {
			r.Stuck++
		}
		if len(at) < MaxTasks {
			at[i] = len(at)
		}
	}
	r.More = len(f.Order) - len(at)
	r.Stuck = min(r.Stuck, MaxTasks)
	for _, i := range f.Order[:len(at)] {
		r.Tasks = append(r.Tasks, s.task(i, at, &f))
	}
	for _, c := range f.Cycles {
		var names []string
		for _, i := range c {
			names = append(names, s.Nodes[i].Name)
		}
		r.Cycles = append(r.Cycles, names)
	}
	s.stacks(r, f.Order)
	return r
}

// ground corrects nodes that seemed to run, in a system in which nothing runs: SU2.
func (s *Survey) ground() {
	for i := range s.Nodes {
		n := &s.Nodes[i]
		if len(n.Out) > 1 { // an edge may come twice: from a wait, or from body and prerequisite
			slices.Sort(n.Out)
			n.Out = slices.Compact(n.Out)
		}
		if !n.Runs || !s.Idle {
			continue
		}
		n.Alive, n.Runs = false, false
		if n.Stalled != "" {
			n.Why = cmp.Or(n.Why, n.Stalled)
		} else if len(n.Else) == 0 {
			n.Else = append(n.Else, AnotherSystem)
		}
	}
}

// task makes the entry of node i in a report; at gives the places of the other entries.
func (s *Survey) task(i int32, at map[int32]int, f *Finding) Task {
	n := &s.Nodes[i]
	t := Task{Name: n.Name, State: n.State, Site: n.Site, Why: n.Why, Age: n.Age,
		Links: Links{cyclic: f.Cyclic[i], root: !f.Free[i] && n.isCause(), stuck: !f.Free[i],
			any: n.Any, others: len(n.Else)}}
	for _, what := range n.Else {
		t.WaitsFor, t.out = append(t.WaitsFor, what), append(t.out, -1)
	}
	out := slices.Clone(n.Out)
	slices.SortFunc(out, func(a, b int32) int {
		free := func(k int32) int { // stuck nodes come before those that will complete
			if f.Free[k] {
				return 1
			}
			return 0
		}
		x, y := &s.Nodes[a], &s.Nodes[b]
		return cmp.Or(cmp.Compare(free(a), free(b)), Naturally(x.Name, y.Name), cmp.Compare(a, b))
	})
	for _, to := range out {
		if s.Nodes[to].Name == "" {
			continue
		}
		if len(t.WaitsFor) == maxNames {
			t.more++
			continue
		}
		k, ok := at[to]
		if !ok {
			k = -1
		}
		t.WaitsFor, t.out = append(t.WaitsFor, s.Nodes[to].Name), append(t.out, k)
	}
	return t
}

func (s *Survey) stacks(r *Report, order []int32) {
	ids := map[uint64]bool{}
	for k, t := range r.Tasks {
		if n := &s.Nodes[order[k]]; t.cyclic && n.GID != 0 && len(ids) < maxStacks {
			ids[n.GID] = true
		}
	}
	all := goroutine.Stacks(ids)
	for k := range r.Tasks {
		if t := &r.Tasks[k]; t.cyclic {
			t.Stack = all[s.Nodes[order[k]].GID]
		}
	}
}
