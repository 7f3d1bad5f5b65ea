package lockfree_test

import (
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/dev/short"
	"github.com/heddle-go/heddle/lockfree"
)

// Once an IndexQueue has twice come to its largest population, nothing is allocated: not one object
// in a million values, while the population goes up and down.
func TestIndexQueueAllocatesNothing(t *testing.T) {
	var q lockfree.IndexQueue[uint32]
	const most = 3000
	for range 2 {
		for i := range uint32(most) {
			q.Push(i)
		}
		for range most {
			q.Pop()
		}
	}
	rnd := rand.New(rand.NewPCG(5, 6))
	buf := make([]uint32, 40)
	rings := q.Rings()
	require.Len(t, rings, 1)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	next, want, target := uint32(0), uint32(0), 0
	for next < 1_000_000 {
		if rnd.IntN(2000) == 0 {
			target = rnd.IntN(most)
		}
		if int(next-want) <= target {
			q.Push(next)
			next++
			continue
		}
		n := q.PopN(buf[:1+rnd.IntN(len(buf))])
		for _, v := range buf[:n] {
			if v != want {
				t.Fatalf("got %d, want %d", v, want)
			}
			want++
		}
	}
	runtime.ReadMemStats(&after)
	// What else runs in the process may allocate a little; a ring would come each few thousand
	// values.
	require.Less(t, after.Mallocs-before.Mallocs, uint64(20))
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(most*8))
	require.Equal(t, rings, q.Rings())
}

// A ring is followed by one twice as long when it is full, and not before; an emptied one is left.
func TestIndexQueueGrows(t *testing.T) {
	var q lockfree.IndexQueue[uint32]
	require.Empty(t, q.Rings())
	for lap := range uint32(5) {
		for i := range uint32(16) {
			q.Push(lap<<8 | i)
		}
		require.Equal(t, []int{16}, q.Rings(), "16 values fit, lap after lap")
		for i := range uint32(16) {
			mustPop(t, &q, lap<<8|i)
		}
	}
	for i := range uint32(16 + 32 + 1) {
		q.Push(i)
	}
	require.Equal(t, []int{16, 32, 64}, q.Rings())
	require.Equal(t, 49, q.Len())
	for i := range uint32(16 + 32 + 1) {
		mustPop(t, &q, i)
	}
	mustNotPop(t, &q)
	require.Equal(t, []int{64}, q.Rings())
}

func TestIndexQueueGrowthHasALimit(t *testing.T) {
	q := lockfree.NewIndexQueueAt[uint32](0, 0, 4)
	for i := range uint32(12) {
		q.Push(i)
	}
	require.Equal(t, []int{1, 2, 4, 4, 4}, q.Rings())
}

// A Push that stopped after its value is there holds up nobody.
func TestIndexQueueStalledPush(t *testing.T) {
	q := lockfree.NewIndexQueueAt[uint32](math.MaxUint64-1, 2, 8)
	q.StallPush(1)
	require.False(t, q.Empty())
	require.Equal(t, 1, q.Len())
	mustPop(t, q, 1) // head is beyond tail now
	mustNotPop(t, q)
	require.True(t, q.Empty())
	require.Zero(t, q.Len())
	for i := range uint32(20) {
		q.StallPush(2 * i)
		q.Push(2*i + 1)
		require.Equal(t, 2, q.Len())
		mustPop(t, q, 2*i)
		mustPop(t, q, 2*i+1)
		mustNotPop(t, q)
	}
	require.Equal(t, []int{4}, q.Rings())
}

// A Push that stopped when it had closed a ring: others go on, and nothing comes after the end of
// that ring but the next.
func TestIndexQueueStalledClose(t *testing.T) {
	q := lockfree.NewIndexQueueAt[uint32](math.MaxUint64-4, 1, 8)
	q.Push(1)
	q.Push(2)
	q.StallClose()
	mustPop(t, q, 1)
	q.Push(3) // there is room, but the ring is closed
	require.Equal(t, []int{2, 4}, q.Rings())
	require.Equal(t, 2, q.Len())
	mustPop(t, q, 2)
	require.False(t, q.Empty())
	mustPop(t, q, 3)
	mustNotPop(t, q)
	require.Equal(t, []int{4}, q.Rings())
}

func TestIndexQueueStalledCloseOfAnEmptiedRing(t *testing.T) {
	q := lockfree.NewIndexQueueAt[uint32](0, 0, 1)
	q.Push(1)
	q.StallClose()
	mustPop(t, q, 1)
	mustNotPop(t, q)
	require.True(t, q.Empty())
	require.Zero(t, q.Len())
	buf := make([]uint32, 3)
	require.Zero(t, q.PopN(buf))
	q.PushAll([]uint32{2, 3})
	require.Equal(t, 2, q.PopN(buf))
	require.Equal(t, []uint32{2, 3}, buf[:2])
}

// A Push that stopped after it had appended a ring leaves tail behind.
func TestIndexQueueStalledAppend(t *testing.T) {
	q := lockfree.NewIndexQueueAt[uint32](7, 1, 2)
	q.Push(1)
	q.Push(2)
	q.StallClose()
	q.StallAppend(3)
	require.Equal(t, 3, q.Len())
	mustPop(t, q, 1)
	mustPop(t, q, 2)
	mustPop(t, q, 3)
	mustNotPop(t, q)
	q.Push(4)
	mustPop(t, q, 4)
	mustNotPop(t, q)
}

// LenUpTo looks at no more rings than it needs to, and is exact where it stops.
func TestIndexQueueLenUpTo(t *testing.T) {
	q := lockfree.NewIndexQueueAt[uint32](math.MaxUint64-2, 0, 1<<20)
	for n := range 70 {
		for most := range n + 3 {
			require.Equal(t, min(n, most), q.LenUpTo(most), "%d, up to %d", n, most)
		}
		require.Equal(t, n, q.Len())
		q.Push(uint32(n))
	}
	for n := 70; n > 0; n-- {
		require.Equal(t, n, q.Len())
		require.Equal(t, min(n, 5), q.LenUpTo(5))
		q.Pop()
	}
	var zero lockfree.IndexQueue[uint32]
	require.Zero(t, zero.LenUpTo(3))
	require.True(t, zero.Empty())
	mustNotPop(t, &zero)
}

// The first calls of all goroutines race for the first ring.
func TestIndexQueueFirstUse(t *testing.T) {
	for range short.Scaled(500) {
		var q lockfree.IndexQueue[uint32]
		var wg sync.WaitGroup
		const n = 4
		popped := make([]uint32, n)
		for k := range n {
			wg.Go(func() {
				q.Push(uint32(k))
				for {
					if v, ok := q.Pop(); ok {
						popped[k] = v
						return
					}
				}
			})
		}
		wg.Wait()
		require.ElementsMatch(t, []uint32{0, 1, 2, 3}, popped)
		require.True(t, q.Empty())
	}
}
