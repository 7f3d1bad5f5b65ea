//go:build modelcheck

package paged_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/paged"
	"github.com/heddle-go/heddle/stress/modelcheck"
)

// TestModelTable: pages are made once and stay, whoever races for them, and nobody waits for
// who makes one.
func TestModelTable(t *testing.T) {
	const far = 1 << 19 // in another part of the table
	for _, c := range []struct {
		name    string
		growers [][]uint32
		readers []uint32
	}{
		{"one element", [][]uint32{{0}, {0}, {0}}, nil},
		{"one page", [][]uint32{{0, paged.PageSize - 1}, {1, 0}}, []uint32{0}},
		{"two pages of one part", [][]uint32{{0, paged.PageSize}, {paged.PageSize, 1}},
			[]uint32{paged.PageSize}},
		{"two parts", [][]uint32{{far, 0}, {1, far + 1}}, []uint32{far}},
	} {
		t.Run(c.name, func(t *testing.T) {
			tally := modelcheck.Check(t, modelcheck.Options{
				Explorers: []modelcheck.Explorer{modelcheck.DepthFirst(2, 0), modelcheck.DPOR(0)},
				LockFree:  true,
			}, func(m *modelcheck.Model) {
				var tab paged.Table[atomics.Uint32]
				grown := make([][]*atomics.Uint32, len(c.growers))
				for k, list := range c.growers {
					m.Thread(func() {
						for _, i := range list {
							p := tab.Grow(i)
							p.Add(1)
							grown[k] = append(grown[k], p)
							m.Assert(tab.Get(i) == p && tab.At(i) == p, "element %d has moved", i)
						}
					})
				}
				for _, i := range c.readers {
					m.Thread(func() {
						if p := tab.Get(i); p != nil {
							m.Assert(tab.At(i) == p && tab.Grow(i) == p, "element %d has moved", i)
						}
					})
				}
				m.After(func() {
					want := map[uint32]uint32{}
					for k, list := range grown {
						for j, p := range list {
							i := c.growers[k][j]
							want[i]++
							m.Assert(tab.At(i) == p, "element %d has moved", i)
						}
					}
					for i, n := range want {
						m.Assert(tab.At(i).Load() == n, "element %d: %d additions of %d are left",
							i, tab.At(i).Load(), n)
					}
				})
			})
			require.Equal(t, 1, tally.Complete)
		})
	}
}
