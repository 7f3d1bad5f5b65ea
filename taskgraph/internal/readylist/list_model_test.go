//go:build modelcheck

package readylist_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/stress/modelcheck"
	"github.com/heddle-go/heddle/taskgraph/internal/plan"
	"github.com/heddle-go/heddle/taskgraph/internal/readylist"
)

// A role is what a thread does: it makes tasks ready, for itself unless another one is more urgent
// (best) or for others, and then tries to take so many tickets.
type role struct {
	tasks []uint32
	best  bool
	takes int
}

// TestModelList: who has a ticket gets a task, each one is given once, and what was done before it
// was put is visible.
func TestModelList(t *testing.T) {
	for _, c := range []struct {
		name  string
		roles []role
	}{
		{"two take of two", []role{{tasks: []uint32{2, 0}}, {takes: 1}, {takes: 1}}},
		{"two put", []role{{tasks: []uint32{1}, takes: 1}, {tasks: []uint32{0}, takes: 1}}},
		{"three put", []role{{tasks: []uint32{2}, takes: 1}, {tasks: []uint32{0}, takes: 1},
			{tasks: []uint32{1}, takes: 1}}},
		{"one at hand", []role{{tasks: []uint32{2}, best: true}, {tasks: []uint32{0}}, {takes: 1}}},
		{"two at hand", []role{{tasks: []uint32{2}, best: true}, {tasks: []uint32{1}, best: true},
			{tasks: []uint32{0}, takes: 1}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			tally := modelcheck.Check(t, modelcheck.Options{LockFree: true,
				Explorers: []modelcheck.Explorer{modelcheck.DepthFirst(2, 0), modelcheck.DPOR(0)}},
				func(m *modelcheck.Model) {
					// A chain, so that task 0 is the most urgent.
					var b plan.Builder
					b.Room(3)
					b.Add(0, 1)
					b.Add(1, 2)
					p, _ := b.Build(3, plan.Plan{})
					var l readylist.List
					l.Settle(true)
					m.Assert(l.Begin(&p), "the list is not used")
					var tickets atomics.Uint32
					var before [3]int // of tasks, not atomic
					var given [3]atomics.Uint32
					run := func(i uint32) {
						m.Assert(before[i] == 1, "task %d does not see what came before it", i)
						m.Assert(given[i].Add(1) == 1, "task %d is given twice", i)
					}
					for _, r := range c.roles {
						m.Thread(func() {
							for _, i := range r.tasks {
								before[i] = 1
								if r.best {
									run(l.Best(i))
									continue
								}
								l.Put(i)
								tickets.Add(1)
							}
							for range r.takes {
								// As from a deque: without a ticket there is nothing to do.
								if n := tickets.Load(); n > 0 && tickets.CompareAndSwap(n, n-1) {
									run(l.Take())
								}
							}
						})
					}
				})
			require.NotZero(t, tally.Executions)
		})
	}
}
