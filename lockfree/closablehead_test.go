package lockfree_test

import (
	"math"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/dev/short"
	"github.com/heddle-go/heddle/lockfree"
)

// nexts are elements that are nothing but their link word.
type nexts []uint32

func generation(h *lockfree.ClosableHead) uint32 {
	gen, _ := h.State()
	return gen
}

func (n nexts) next(link uint32) *uint32 { return &n[link] }

func (n nexts) links(list uint32) (links []uint32) {
	for link := lockfree.ReverseLinks(list, n.next); link != 0; link = n[link] {
		links = append(links, link)
	}
	return links
}

func TestClosableHead(t *testing.T) {
	var h lockfree.ClosableHead
	n := make(nexts, 10)
	for _, gen := range []uint32{0, 1, math.MaxUint32, 0} { // it wraps
		if gen > 1 {
			h.Swap(gen, true)
		}
		require.Equal(t, gen, generation(&h))
		require.True(t, h.Open(gen))
		require.False(t, h.Open(gen+1))
		require.False(t, h.TryPush(gen+1, 1, n.next(1)))
		require.False(t, h.TryPush(gen-1, 1, n.next(1)))
		for link := range uint32(5) {
			require.True(t, h.TryPush(gen, link+1, n.next(link+1)))
		}
		_, ok := h.Close(gen + 1)
		require.False(t, ok)
		list, ok := h.Next(gen)
		require.True(t, ok)
		require.Equal(t, []uint32{1, 2, 3, 4, 5}, n.links(list), "in the order of registration")
		_, ok = h.Next(gen)
		require.False(t, ok)
		_, ok = h.Close(gen)
		require.False(t, ok)
		require.False(t, h.Open(gen))
		require.Equal(t, gen+1, generation(&h))
	}
	list, ok := h.Close(1)
	require.True(t, ok)
	require.Empty(t, n.links(list))
	require.False(t, h.Open(1))
	now, open := h.State()
	require.EqualValues(t, 1, now)
	require.False(t, open)
	require.False(t, h.TryPush(1, 1, n.next(1)))
	_, ok = h.Close(1)
	require.False(t, ok)
	_, ok = h.Next(1)
	require.False(t, ok, "closed for good")
	require.Zero(t, h.Swap(5, true))
	require.True(t, h.TryPush(5, lockfree.MaxLink, n.next(3)))
	list, ok = h.Close(5)
	require.True(t, ok)
	require.EqualValues(t, lockfree.MaxLink, list)
}

// An element that was read is its reader's, who may stop there.
func TestClosableHeadLinks(t *testing.T) {
	var h lockfree.ClosableHead
	n := make(nexts, 10)
	for link := range uint32(4) {
		h.TryPush(0, link+1, n.next(link+1))
	}
	list, _ := h.Next(0)
	for link := lockfree.ReverseLinks(list, n.next); link != 4; {
		after := n[link]
		require.True(t, h.TryPush(1, link, n.next(link)))
		link = after
	}
	list, _ = h.Next(1)
	require.Equal(t, []uint32{1, 2, 3}, n.links(list))
}

// Who alone may end a generation needs no look at it before.
func TestClosableHeadSwap(t *testing.T) {
	var h lockfree.ClosableHead
	n := make(nexts, 10)
	for _, gen := range []uint32{1, 2, math.MaxUint32, 0} {
		before := generation(&h)
		require.True(t, h.TryPush(before, 1, n.next(1)))
		require.True(t, h.TryPush(before, 2, n.next(2)))
		require.Equal(t, []uint32{1, 2}, n.links(h.Swap(gen, true)))
		require.False(t, h.TryPush(before, 1, n.next(1)))
		require.True(t, h.Open(gen))
	}
	require.True(t, h.TryPush(0, 3, n.next(3)))
	require.Equal(t, []uint32{3}, n.links(h.Swap(0, false)))
	require.False(t, h.Open(0))
	require.False(t, h.TryPush(0, 3, n.next(3)))
	_, ok := h.Next(0)
	require.False(t, ok)
	require.Zero(t, h.Swap(1, true), "a closed one has no list")
	require.True(t, h.TryPush(1, 3, n.next(3)))
}

// Elements register with the generation that they see and are released with it: exactly once,
// and by a goroutine that sees what they have written.
func TestTrap04_ClosableHeadIsOneStep(t *testing.T) {
	const pushers = 3
	each := short.Scaled(20_000)
	var h lockfree.ClosableHead
	h.Swap(math.MaxUint32-50, true)
	n := make(nexts, pushers*each+1)
	payload := make([]int, len(n))
	var wg sync.WaitGroup
	var left atomics.Int32
	left.Store(pushers)
	for p := range pushers {
		wg.Go(func() {
			defer left.Add(-1)
			for i := range each {
				link := uint32(p*each + i + 1)
				payload[link] = int(link)
				for !h.TryPush(generation(&h), link, n.next(link)) {
				}
			}
		})
	}
	var lists [2][]uint32
	for c := range lists {
		wg.Go(func() {
			for {
				over := left.Load() == 0
				if list, ok := h.Next(generation(&h)); ok {
					for _, link := range n.links(list) {
						if payload[link] != int(link) {
							t.Errorf("element %d came without its payload", link)
						}
						lists[c] = append(lists[c], link)
					}
				}
				if over {
					return
				}
			}
		})
	}
	wg.Wait()
	got := slices.Concat(lists[0], lists[1])
	slices.Sort(got)
	require.Len(t, got, pushers*each)
	for i, link := range got {
		require.EqualValues(t, i+1, link)
	}
}
