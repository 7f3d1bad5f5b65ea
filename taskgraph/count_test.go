//go:build heddle_count

package taskgraph_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/taskgraph"
)

// countedBudgets bound for each path the read-modify-writes and the atomic stores of a task. The
// paths from outside, where two goroutines may try the same word, have some to spare.
var countedBudgets = map[string]struct{ changes, stores float64 }{
	"Group.Go, inside":       {2.1, 0.2},
	"Group.Go, outside":      {5, 1},
	"Context.Spawn":          {2.3, 4.2},
	"System.Go":              {20, 10},
	"Task.After, a chain":    {6.3, 4.2},
	"Context.Fork":           {0.1, 0.15},
	"Graph, a chain":         {0.1, 0.1},
	"Graph, a tree":          {0.1, 1.6},
	"Graph, a grid":          {2.1, 0.15},
	"Graph, built each time": {0.1, 0.1},
	"ParallelFor, grain 1":   {1.1, 0.1},
}

// TestCountedBudgets counts the atomic operations that a task takes with one worker, where
// nobody steals. Each path goes several times and its smallest counts are judged: how often a
// caller outside and the worker meet at a word, or one waits for the other, is up to the machine.
func TestCountedBudgets(t *testing.T) {
	const passes = 12
	assert.Len(t, countedBudgets, len(paths))
	for _, p := range paths {
		s := start(t, taskgraph.Options{Workers: 1})
		pass := p.open(t, s)
		pass() // so that everything has grown
		changes, stores := math.Inf(1), math.Inf(1)
		for range passes {
			before := atomics.Counted()
			pass()
			after := atomics.Counted()
			per := func(n uint64) float64 { return float64(n) / float64(p.tasks) }
			changes = min(changes, per(after.Changes-before.Changes))
			stores = min(stores, per(after.Stores-before.Stores))
		}
		budget, ok := countedBudgets[p.name]
		assert.True(t, ok, "%s has no budget", p.name)
		t.Logf("%-24s %6.2f read-modify-writes (budget %.1f) and %5.2f stores (budget %.2f) a task",
			p.name, changes, budget.changes, stores, budget.stores)
		assert.LessOrEqual(t, changes, budget.changes, "read-modify-writes of a task: %s", p.name)
		assert.LessOrEqual(t, stores, budget.stores, "atomic stores of a task: %s", p.name)
	}
}
