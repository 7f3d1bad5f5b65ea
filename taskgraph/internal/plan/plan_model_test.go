//go:build modelcheck

package plan_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/stress/modelcheck"
	"github.com/heddle-go/heddle/taskgraph/internal/plan"
)

// TestModelPlan: of the predecessors of a task that end at the same time one is told that the task
// is ready, in each run, and what the others did is visible to it.
func TestModelPlan(t *testing.T) {
	for _, c := range []struct {
		name  string
		roots int // that all later tasks come after
		later int
		runs  int
	}{
		{"two", 2, 1, 2},
		{"three", 3, 1, 1},
		{"two before two", 2, 2, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			tally := modelcheck.Check(t, modelcheck.Options{LockFree: true,
				Explorers: []modelcheck.Explorer{modelcheck.DepthFirst(2, 0), modelcheck.DPOR(0)}},
				func(m *modelcheck.Model) {
					var b plan.Builder
					b.Room(c.roots + c.later)
					for i := range c.roots {
						for j := range c.later {
							b.Add(uint32(i), uint32(c.roots+j))
						}
					}
					p, cycle := b.Build(c.roots+c.later, plan.Plan{})
					m.Assert(cycle == nil, "there is a cycle")
					// Earlier runs, so that the counts are not those of the first.
					for range c.runs - 1 {
						run(&p, func(int) int { return 0 })
					}
					p.Begin()
					var ended [8]bool
					var began [8]int
					var arrived [8]bool // who does not stand still
					for _, i := range p.Roots {
						m.Thread(func() {
							ended[i] = true
							var only [1]plan.Edge
							for _, e := range p.Dependents(i, &only) {
								if p.Arrive(e) {
									for _, o := range p.Roots {
										m.Assert(ended[o], "a task begins before the end of %d", o)
									}
									began[e.To()]++
								}
							}
							arrived[i] = true
						})
					}
					m.After(func() {
						later := 0
						for _, n := range began {
							m.Assert(n <= 1, "a task is ready %d times", n)
							later += n
						}
						all := true
						for _, i := range p.Roots {
							all = all && arrived[i]
						}
						m.Assert(later == c.later || !all, "%d tasks of %d are ready", later,
							c.later)
					})
				})
			require.Equal(t, 1, tally.Complete)
		})
	}
}

// TestModelSkips: of tasks that fail at the same time each has its dependents marked, also where
// the marks are in one word, before one of these begins; and no other task is marked.
func TestModelSkips(t *testing.T) {
	modelcheck.CheckAll(t, func(m *modelcheck.Model) {
		var b plan.Builder
		b.Room(6)
		for _, o := range [][2]uint32{{0, 2}, {1, 2}, {0, 3}, {1, 4}} {
			b.Add(o[0], o[1])
		}
		p, cycle := b.Build(6, plan.Plan{})
		m.Assert(cycle == nil, "there is a cycle")
		p.Begin()
		var s plan.Skips
		s.Use(p.Len(), nil)
		for i := range uint32(2) {
			m.Thread(func() {
				s.Mark(&p, i)
				var only [1]plan.Edge
				for _, e := range p.Dependents(i, &only) {
					if p.Arrive(e) {
						m.Assert(s.Any() && s.Has(e.To()), "task %d begins without a mark", e.To())
					}
				}
			})
		}
		m.After(func() {
			for i, want := range []bool{false, false, true, true, true, false} {
				m.Assert(s.Has(uint32(i)) == want, "task %d is marked: %v", i, !want)
			}
		})
	})
}
