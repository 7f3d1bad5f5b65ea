package taskgraph

import (
	"fmt"
	"slices"
	"strings"
)

// A CycleError says that the tasks of a graph wait for each other.
type CycleError struct {
	Path []string // names of tasks, each waiting for the next, and the last for the first
}

// Error names the path.
func (e *CycleError) Error() string {
	if len(e.Path) == 1 {
		return fmt.Sprintf("taskgraph: cycle: %s waits for itself", e.Path[0])
	}
	return fmt.Sprintf("taskgraph: cycle: %s, waits for itself", strings.Join(e.Path, ", which waits for "))
}

// findCycle orders the tasks (Kahn, "Topological Sorting of Large Networks", 1962); those that
// it cannot order lie on cycles or behind them.
func (g *Graph) findCycle(preds []uint32) error {
	n := g.Len()
	var only [1]uint32
	waits := slices.Clone(preds)
	order := append(make([]uint32, 0, n), g.roots...)
	for at := 0; at < len(order); at++ {
		for _, e := range g.dependents(order[at], &only) {
			t := e & edgeMask
			if waits[t]--; waits[t] == 0 {
				order = append(order, t)
			}
		}
	}
	if len(order) == n {
		return nil
	}
	// Of each task that is left, some predecessor is left: going back from one to the next must
	// come to a task for the second time.
	before := make([]uint32, n)
	var start uint32
	for i := range uint32(n) {
		if waits[i] == 0 {
			continue
		}
		start = i
		for _, e := range g.dependents(i, &only) {
			before[e&edgeMask] = i
		}
	}
	seen := make([]bool, n)
	for !seen[start] {
		seen[start] = true
		start = before[start]
	}
	err := &CycleError{Path: []string{g.nameOf(start)}}
	for i := before[start]; i != start; i = before[i] {
		err.Path = append(err.Path, g.nameOf(i))
	}
	return err
}
