package lockfree_test

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

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
	require.PanicsWithValue(t, "lockfree: PriorityQueue with 0 levels", func() { lockfree.NewPriorityQueue[int](0) })
	q := lockfree.NewPriorityQueue[int](2)
	require.PanicsWithValue(t, "lockfree: priority 2 of 2", func() { q.Push(1, 2) })
	require.PanicsWithValue(t, "lockfree: priority -1 of 2", func() { q.Push(1, -1) })
	require.True(t, q.Empty())
}

// A value is kept in the queue at all times: its holder moves it to the other level by pushing
// before popping. A scan may miss it on both levels, but the Pop must not report that
// the queue was empty, since it never was.
func TestPriorityQueueEmptyIsLinearizable(t *testing.T) {
	q := lockfree.NewPriorityQueueAt[int](2, 0, 8)
	q.Push(0, 0)
	var wg sync.WaitGroup
	stop := make(chan struct{})
	n := scaled(50_000)
	wg.Go(func() {
		// Pushes one more, then takes one: at least one is there between any two steps,
		// and the other consumer puts back what it takes before it takes again.
		defer close(stop)
		for i := range n {
			q.Push(i, i%2)
			for {
				if _, ok := q.Pop(); ok {
					break
				}
				t.Error("empty, though two values were in and at most one was out")
				return
			}
		}
	})
	wg.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			if v, ok := q.Pop(); ok {
				q.Push(v, 1-v%2)
			}
			runtime.Gosched()
		}
	})
	wg.Wait()
	require.Equal(t, 1, q.Len())
}
