package lockfree_test

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/lockfree"
)

func TestPriorityQueueOrder(t *testing.T) {
	q := lockfree.NewPriorityQueue[int](4)
	rnd := rand.New(rand.NewPCG(3, 4))
	var ref [4][]int
	for i := range 2000 {
		if rnd.IntN(2) == 0 {
			p := rnd.IntN(4)
			q.Push(i, p)
			ref[p] = append(ref[p], i)
			continue
		}
		want, wantOK := 0, false
		for p := range ref {
			if len(ref[p]) > 0 {
				want, wantOK = ref[p][0], true
				ref[p] = ref[p][1:]
				break
			}
		}
		v, ok := q.Pop()
		require.Equal(t, wantOK, ok)
		require.Equal(t, want, v)
		n := len(ref[0]) + len(ref[1]) + len(ref[2]) + len(ref[3])
		require.Equal(t, n, q.Len())
		require.Equal(t, n == 0, q.Empty())
	}
}

func TestPriorityQueueMisuse(t *testing.T) {
	require.PanicsWithValue(t, "lockfree: PriorityQueue with 0 levels, not 1 to 65536", func() {
		lockfree.NewPriorityQueue[int](0)
	})
	q := lockfree.NewPriorityQueue[int](2)
	require.PanicsWithValue(t, "lockfree: priority 2 of 2", func() { q.Push(1, 2) })
	require.PanicsWithValue(t, "lockfree: priority -1 of 2", func() { q.Push(1, -1) })
	require.True(t, q.Empty())
}

// A value moves between the highest and the lowest level, and is there twice rather than not at
// all. A scan may miss it on each level, but then the Pop must not report that there was none.
func TestPriorityQueueEmptyIsLinearizable(t *testing.T) {
	const lowest = 30
	never := func(t *testing.T, push func(level int), popLevel func(level int), pop func() bool) {
		var moves atomics.Uint32
		var stop atomics.Bool
		var wg sync.WaitGroup
		push(0)
		wg.Go(func() {
			for from, to := 0, lowest; !stop.Load(); from, to = to, from {
				push(to)
				popLevel(from)
				moves.Add(1)
				breathe()
			}
		})
		pops := 5000
		if testing.Short() {
			pops = 60
		}
		for range pops {
			if !pop() {
				t.Error("empty, though there was a value at all times")
				break
			}
			// Until the value that was taken has been replaced.
			for seen := moves.Load(); moves.Load()-seen < 2; {
				runtime.Gosched()
			}
		}
		stop.Store(true)
		wg.Wait()
	}
	t.Run("PriorityQueue", func(t *testing.T) {
		q := lockfree.NewPriorityQueue[struct{}](lowest + 1)
		never(t, func(level int) { q.Push(struct{}{}, level) },
			func(level int) { q.PopLevel(level) }, func() bool {
				_, ok := q.Pop()
				return ok
			})
	})
}
