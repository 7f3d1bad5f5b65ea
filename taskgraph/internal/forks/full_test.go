package forks

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/paged"
	"github.com/heddle-go/heddle/taskgraph/internal/entry"
)

// A full pool refuses, however often it is asked, and has the last records to give before.
func TestFullPool(t *testing.T) {
	most := min(entry.Limit, paged.Most())
	var p Pool[int, int]
	first := p.More()[0]
	require.Zero(t, first.Number(), "no record is left out")
	p.fresh.Store(most/batch - 1)
	last := p.More()
	require.Equal(t, most-1, last[batch-1].Number())
	require.Same(t, last[0], p.At(most-batch))
	for range 3 {
		require.PanicsWithValue(t, "taskgraph: more than 2^28 forks at a time", func() { p.More() })
		require.Equal(t, most/batch, p.fresh.Load(), "or it would come round")
	}
	last[3].In = new(int) // it has not failed
	p.Free(nil, last[3])
	require.Same(t, last[3], p.Get())
}

// A slot keeps so many free records and no more. The others are for all slots.
func TestSurplusRecords(t *testing.T) {
	var p Pool[int, int]
	s := NewStack[int, int](1)
	for range cache + 4 {
		k := p.Get()
		k.In = new(int)
		p.Free(&s, k)
	}
	kept := 0
	for ; !s.IsFull(); kept++ {
		s.Push()
	}
	require.Equal(t, cache, kept)
}

// A slot keeps so many cells and no more. The others are for all slots.
func TestSurplusCells(t *testing.T) {
	var one, other Cells
	var types Types
	a, b := CacheOf[int](&one, &types), CacheOf[int](&other, &types)
	var taken []*int
	for range cellCache + 4 {
		a.More(func() *int { return new(int) })
		taken = append(taken, a.Take())
	}
	for _, k := range taken {
		a.Put(k)
	}
	surplus := 0
	for fresh := false; !fresh; surplus++ {
		b.More(func() *int { fresh = true; return new(int) })
		b.Take()
	}
	require.Equal(t, 4, surplus-1)
}
