package plan

import "slices"

// findCycle orders the tasks (Kahn, "Topological Sorting of Large Networks", 1962); those that
// it cannot order lie on cycles or behind them.
func (p *Plan) findCycle(preds []uint32) (cycle []uint32) {
	n := len(p.links)
	var only [1]Edge
	waits := slices.Clone(preds)
	order := append(make([]uint32, 0, n), p.Roots...)
	for at := 0; at < len(order); at++ {
		for _, e := range p.Dependents(order[at], &only) {
			t := e.To()
			if waits[t]--; waits[t] == 0 {
				order = append(order, t)
			}
		}
	}
	if len(order) == n {
		return nil
	}
	// Each remaining task has a remaining predecessor, so a walk back must reach some task twice.
	before := make([]uint32, n)
	var start uint32
	for i := range uint32(n) {
		if waits[i] == 0 {
			continue
		}
		start = i
		for _, e := range p.Dependents(i, &only) {
			before[e.To()] = i
		}
	}
	seen := make([]bool, n)
	for !seen[start] {
		seen[start] = true
		start = before[start]
	}
	cycle = []uint32{start}
	for i := before[start]; i != start; i = before[i] {
		cycle = append(cycle, i)
	}
	return cycle
}
