//go:build modelcheck

package forks

import (
	"testing"

	"github.com/heddle-go/heddle/internal/paged"
	"github.com/heddle-go/heddle/stress/modelcheck"
	"github.com/heddle-go/heddle/taskgraph/internal/entry"
)

// TestModelFullPool: a pool that is asked for more than it has by several at a time gives out its
// last records once, and its numbers never begin again.
func TestModelFullPool(t *testing.T) {
	n := modelcheck.Scaled(60_000) / 16
	explorers := append(modelcheck.DepthFirstUpTo(2, n), modelcheck.Beyond(n)...)
	most := min(entry.Limit, paged.Most()) / batch
	modelcheck.Check(t, modelcheck.Options{Steps: 20_000, Explorers: explorers},
		func(m *modelcheck.Model) {
			var p Pool[int, int]
			p.fresh.Store(most - 1)
			var got [3][]*Call[int, int]
			for i := range got {
				m.Thread(func() {
					defer func() { _ = recover() }()
					got[i] = p.More()
				})
			}
			m.After(func() {
				m.Assert(p.fresh.Load() == most, "%d batches, not %d", p.fresh.Load(), most)
				who := 0
				for _, records := range got {
					if records != nil {
						m.Assert(records[0].Number() == (most-1)*batch, "another number")
						who++
					}
				}
				m.Assert(who == 1, "%d have the last records", who)
			})
		})
}
