package paged_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/paged"
)

func TestTable(t *testing.T) {
	var tab paged.Table[int]
	for _, i := range []uint32{0, paged.PageSize, 1 << 19, paged.Limit - 1} {
		require.Nil(t, tab.Get(i), "the page of %d exists before Grow", i)
		tab.Prefetch(i) // does not need it
		p := tab.Grow(i)
		*p = int(i)
		tab.Prefetch(i)
		require.Same(t, p, tab.At(i))
		require.Same(t, p, tab.Get(i))
		require.Same(t, p, tab.Grow(i))
	}
	require.Equal(t, paged.Limit-1, *tab.At(paged.Limit - 1))
	require.PanicsWithValue(t, "paged: table is full", func() { tab.Grow(paged.Limit) })
}

func TestTableGrowConcurrently(t *testing.T) {
	var tab paged.Table[uint32]
	const n, workers = 1 << 14, 4
	var wg sync.WaitGroup
	for w := range uint32(workers) {
		wg.Go(func() {
			for i := w; i < n; i += workers {
				*tab.Grow(i) = i
			}
		})
	}
	wg.Wait()
	for i := range uint32(n) {
		require.Equal(t, i, *tab.At(i))
	}
}
