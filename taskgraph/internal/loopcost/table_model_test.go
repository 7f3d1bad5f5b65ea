//go:build modelcheck

package loopcost_test

import (
	"testing"

	"github.com/heddle-go/heddle/stress/modelcheck"
	"github.com/heddle-go/heddle/taskgraph/internal/loopcost"
)

// TestModelTable: two loops share a word of a table, and measure at the same time, one of them on
// two goroutines. C1: what one of them learned is never taken for a cost of the other, and a cost
// that is known is one that a measurement can have come to.
func TestModelTable(t *testing.T) {
	var probe loopcost.Table
	const one = uintptr(0x1000)
	probe.At(one).Learn(1)
	other := one + 16
	for probe.At(other).Load() == uint64(other)<<40 { // its tag alone: the word is empty
		other += 16
	}
	// Each measurement of a loop is a number of its own kind: those of one are small, those of the
	// other are large, and what two of a kind come to is between them.
	costs := map[uintptr][2]float64{one: {2, 4}, other: {1000, 4000}}
	modelcheck.Check(t, modelcheck.Options{Explorers: []modelcheck.Explorer{
		modelcheck.DPOR(modelcheck.Scaled(200_000))}}, func(m *modelcheck.Model) {
		table := new(loopcost.Table)
		measure := func(code uintptr, took ...float64) {
			p := table.At(code)
			for _, ns := range took {
				p.Learn(ns)
				known := p.Known()
				m.Assert(known == 0 || known >= costs[code][0] && known <= costs[code][1],
					"%#x knows %v", code, known)
				cheap := loopcost.IsCheap(p.Load(), 1)
				m.Assert(!cheap || code == one, "a loop that takes %v is regarded as cheap", known)
			}
		}
		m.Thread(func() { measure(one, 2, 4) })
		m.Thread(func() { measure(one, 4) })
		m.Thread(func() { measure(other, 4000, 4000) })
		m.After(func() {
			a, b := table.At(one).Known(), table.At(other).Known()
			m.Assert((a == 0) != (b == 0), "the word is of both, or of none: %v, %v", a, b)
		})
	})
}
