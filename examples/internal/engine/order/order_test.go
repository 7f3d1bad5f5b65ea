package order_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/examples/internal/engine/order"
	"github.com/heddle-go/heddle/examples/internal/engine/vec"
)

func TestSort(t *testing.T) {
	r := vec.NewRand(1)
	for _, n := range []int{0, 1, 2, 3, 100, 5000} {
		for _, mask := range []uint64{^uint64(0), 0xff, 0xff00ff, 0xff000000000000ff, 0} {
			keys := make([]uint64, n)
			for i := range keys {
				keys[i] = r.Uint64() & mask
			}
			want := slices.Clone(keys)
			slices.Sort(want)
			order.Sort(keys, make([]uint64, n))
			require.Equal(t, want, keys, "%d keys, mask %x", n, mask)
		}
	}
}

func TestKey(t *testing.T) {
	keys := []uint64{order.None, order.Key(2, 1), order.Key(0, 7), order.Key(0.5, 3),
		order.Key(0.5, 2)}
	order.Sort(keys, make([]uint64, len(keys)))
	var got []int
	for _, k := range keys[:4] {
		got = append(got, order.Index(k))
	}
	require.Equal(t, []int{7, 2, 3, 1}, got)
	require.Equal(t, order.None, keys[4])
}

func TestSortAllocatesNothing(t *testing.T) {
	keys, scratch := make([]uint64, 1000), make([]uint64, 1000)
	r := vec.NewRand(2)
	require.Zero(t, testing.AllocsPerRun(10, func() {
		for i := range keys {
			keys[i] = r.Uint64()
		}
		order.Sort(keys, scratch)
	}))
}
