package taskgraph_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/taskgraph"
)

// What a task costs, in what can be counted: objects, and wakes of a sleeping worker through
// the kernel. The time that a task takes is a matter for benchmarks, and the atomic operations
// for a build that counts them.
func TestBudgets(t *testing.T) {
	for i, p := range paths {
		crews := []int{1, 2, 4}
		if testing.Short() { // each path and each number, but not all pairs
			crews = crews[i%3:][:1]
		}
		for _, workers := range crews {
			t.Run(fmt.Sprintf("%s, %d workers", p.name, workers), func(t *testing.T) {
				s := startUnwatched(t, taskgraph.Options{Workers: workers})
				pass := p.open(t, s)
				pass() // so that everything has grown
				passes := brief(5, 2)
				for try := 0; ; try++ {
					before := s.Stats().KernelWakes
					allocs := testing.AllocsPerRun(passes, pass)
					wakes := float64(s.Stats().KernelWakes-before) / float64(passes+1)
					t.Logf("%v objects and %.1f kernel wakes for %d tasks", allocs, wakes, p.tasks)
					require.Less(t, allocs/float64(p.tasks), 1.0/64, "objects for each task")
					if wakes/float64(p.tasks) <= 1.0/64 {
						break
					}
					// How often workers run dry and sleep depends on when each gets a processor.
					require.Less(t, try, 100, "%.1f kernel wakes for %d tasks", wakes, p.tasks)
				}
			})
		}
	}
}
