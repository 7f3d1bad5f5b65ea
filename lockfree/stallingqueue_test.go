package lockfree_test

import (
	"fmt"
	"runtime"
	"sync"
	"testing"
	"weak"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/dev/short"
	"github.com/heddle-go/heddle/lockfree"
)

func TestStallingQueue(t *testing.T) {
	var q lockfree.StallingQueue[int]
	require.True(t, q.Empty(0))
	require.Equal(t, []int{-1}, q.PopAll(0, []int{-1}))
	want := []int{-1}
	for i := range 100 {
		wake, ok := q.Push(i, 0)
		require.True(t, ok)
		require.False(t, wake, "nobody has stalled")
		want = append(want, i)
	}
	require.False(t, q.Empty(0))
	require.False(t, q.Stall(lockfree.Mark{}), "not empty")
	require.Equal(t, want, q.PopAll(0, []int{-1}), "the oldest first, behind what buf held")
	require.True(t, q.Empty(0))
}

func TestStallingQueuePriorities(t *testing.T) {
	var q lockfree.StallingQueue[int]
	for i := range 40 {
		q.Push(i, i%2)
	}
	require.False(t, q.Empty(0))
	var odd, even []int
	for i := 0; i < 40; i += 2 {
		even, odd = append(even, i), append(odd, i+1)
	}
	require.Equal(t, odd, q.PopAll(1, nil))
	require.True(t, q.Empty(1))
	require.False(t, q.Stall(lockfree.Mark{}), "one priority is not empty")
	mark := q.Mark()
	require.True(t, q.Stall(mark))
	wake, _ := q.Push(40, 1)
	require.True(t, wake, "whatever the priority")
	require.False(t, q.Stall(mark))
	require.Equal(t, even, q.PopAll(0, nil))
	require.Equal(t, []int{40}, q.PopAll(1, nil))

	for _, priority := range []int{-1, 2} {
		why := fmt.Sprintf("lockfree: priority %d of 2", priority)
		require.PanicsWithValue(t, why, func() { q.Push(1, priority) })
		require.PanicsWithValue(t, why, func() { q.PopAll(priority, nil) })
	}
	require.True(t, q.Stall(lockfree.Mark{}))
}

func TestStallingQueueStall(t *testing.T) {
	var q lockfree.StallingQueue[int]
	push := func() bool {
		wake, ok := q.Push(0, 0)
		require.True(t, ok)
		return wake
	}
	require.True(t, q.Unstall(), "it was not registered")
	require.True(t, q.Stall(q.Mark()), "the mark of an empty queue is the zero Mark")
	require.True(t, push())
	require.False(t, push(), "it was woken once")
	require.True(t, q.Unstall())

	mark := q.Mark()
	require.False(t, q.Stall(lockfree.Mark{}), "not empty")
	require.True(t, q.Stall(mark), "nothing new")
	require.True(t, push())
	require.True(t, q.Unstall())
	require.False(t, q.Stall(mark), "something new")
	require.Len(t, q.PopAll(0, nil), 3)
	require.False(t, q.Stall(mark), "it was popped")
	require.True(t, q.Stall(lockfree.Mark{}))
	require.True(t, q.Stall(lockfree.Mark{}), "again")
	require.False(t, q.Unstall(), "nobody has woken it")
	require.False(t, push(), "it has not stalled any more")
}

func TestStallingQueueClose(t *testing.T) {
	var q lockfree.StallingQueue[int]
	q.Push(1, 0)
	require.False(t, q.Closed())
	wake, ok := q.Close()
	require.True(t, ok)
	require.False(t, wake)
	require.True(t, q.Closed())
	_, ok = q.Push(2, 0)
	require.False(t, ok)
	_, ok = q.Close()
	require.False(t, ok, "once")
	require.Equal(t, []int{1}, q.PopAll(0, nil), "what was accepted is there")
	require.True(t, q.Stall(lockfree.Mark{}))
	_, ok = q.Push(3, 0)
	require.False(t, ok)
	require.False(t, q.Unstall())

	var stalled lockfree.StallingQueue[int]
	require.True(t, stalled.Stall(lockfree.Mark{}))
	wake, ok = stalled.Close()
	require.True(t, wake && ok)
	require.True(t, stalled.Unstall())
}

func TestStallingQueueLetsGo(t *testing.T) {
	type big struct{ _ [1 << 10]byte }
	var q lockfree.StallingQueue[*big]
	var refs []weak.Pointer[big]
	push := func() {
		p := new(big)
		refs = append(refs, weak.Make(p))
		q.Push(p, 0)
	}
	for range 20 {
		push()
	}
	require.Len(t, q.PopAll(0, nil), 20)
	q.Close()
	push() // refused
	runtime.GC()
	for _, ref := range refs {
		require.Nil(t, ref.Value())
	}
	runtime.KeepAlive(&q)
}

// Whatever its size was once is enough for ever.
func TestStallingQueueAllocatesNothing(t *testing.T) {
	var q lockfree.StallingQueue[[5]uint64]
	buf := make([][5]uint64, 0, 100)
	use := func() {
		for i := range 100 {
			q.Push([5]uint64{uint64(i)}, i%2)
			if i%7 == 0 {
				buf = q.PopAll(i%2, buf[:0])
			}
		}
		buf = q.PopAll(1, q.PopAll(0, buf[:0]))
	}
	require.Zero(t, testing.AllocsPerRun(100, use))
}

// Producers and an owner who sleeps whenever there is nothing: each accepted value comes once, in
// the order of its producer, and of the producers that go on after the close none is accepted.
func TestTrap01_StallingQueueOwnerSleeps(t *testing.T) {
	for round := range short.Scaled(300) {
		q := lockfree.NewStallingQueueAt[int](lockfree.TakingsLimit - uint64(round%50))
		const producers, each = 3, 300
		event := make(chan struct{}, 1)
		wakeUp := func(wake bool) {
			if wake {
				select {
				case event <- struct{}{}:
				default:
				}
			}
		}
		var accepted, got [producers]int
		var wg sync.WaitGroup
		for p := range producers {
			wg.Go(func() {
				for i := range each {
					wake, ok := q.Push(i*producers+p, p%2)
					wakeUp(wake)
					if !ok {
						return
					}
					accepted[p]++
					if p == 0 && i == each/2 {
						wake, _ := q.Close()
						wakeUp(wake)
					}
				}
			})
		}
		var buf []int
		for last := false; ; {
			buf = q.PopAll(1, q.PopAll(0, buf[:0]))
			for _, v := range buf {
				p := v % producers
				require.Equal(t, got[p], v/producers, "of producer %d", p)
				got[p]++
			}
			if last {
				break
			}
			if len(buf) > 0 {
				continue
			}
			if last = q.Closed(); !last && q.Stall(lockfree.Mark{}) {
				if !q.Closed() {
					<-event
				}
				q.Unstall()
			}
		}
		wg.Wait()
		require.Empty(t, q.PopAll(1, q.PopAll(0, nil)))
		require.Equal(t, accepted, got)
	}
}
