package taskgraph

import (
	"fmt"
	"strings"
)

func (g *Graph) cycleError(cycle []uint32) *CycleError {
	err := new(CycleError)
	for _, i := range cycle {
		err.Path = append(err.Path, g.nameOf(i))
	}
	return err
}

// A CycleError says that the tasks of a graph wait for each other.
type CycleError struct {
	Path []string // names of tasks, each waiting for the next, and the last for the first
}

// Error names the path.
func (e *CycleError) Error() string {
	if len(e.Path) == 1 {
		return fmt.Sprintf("taskgraph: cycle: %s waits for itself", e.Path[0])
	}
	return fmt.Sprintf("taskgraph: cycle: %s, waits for itself",
		strings.Join(e.Path, ", which waits for "))
}
