//go:build modelcheck

package turn_test

import (
	"testing"

	"github.com/heddle-go/heddle/assets/internal/turn"
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/stress/modelcheck"
)

// TestModelTurn has each thread drain what it is told to start: all is done, one at a time, in the
// order of each thread, and nothing is left when all have ended.
func TestModelTurn(t *testing.T) {
	for _, threads := range []int{2, 3} {
		modelcheck.Check(t,
			modelcheck.Options{Explorers: modelcheck.Portfolio(modelcheck.Scaled(20_000))},
			func(m *modelcheck.Model) {
				const each = 2
				var inside atomics.Int32
				last := make([]int, threads)
				var all *turn.Turn[[2]int]
				all = turn.New(func(v [2]int) {
					m.Assert(inside.Add(1) == 1, "two at a time")
					last[v[0]]++
					m.Assert(last[v[0]] == v[1], "%d comes out of turn", v)
					inside.Add(-1)
				}, func() { all.Drain() })
				for i := range threads {
					m.Thread(func() {
						for n := range each {
							all.Put([2]int{i, n + 1})
						}
					})
				}
				m.After(func() {
					for i := range last {
						m.Assert(last[i] == each, "%d of thread %d were done", last[i], i)
					}
				})
			})
	}
}
