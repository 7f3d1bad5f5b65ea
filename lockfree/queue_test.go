package lockfree_test

import (
	"math"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/dev/short"
	"github.com/heddle-go/heddle/lockfree"
)

func mustPop[T any](t *testing.T, c interface{ Pop() (T, bool) }, want T) {
	t.Helper()
	v, ok := c.Pop()
	require.True(t, ok)
	require.Equal(t, want, v)
}

func mustNotPop[T any](t *testing.T, c interface{ Pop() (T, bool) }) {
	t.Helper()
	_, ok := c.Pop()
	require.False(t, ok)
}

// A Pop does not wait for a Push that stopped between its claim and its value: it takes the
// place away, and the Push goes to the end.
func TestQueueStalledPush(t *testing.T) {
	q := lockfree.NewQueueAt[int](0, 4)
	q.Push(1)
	fill := q.StallPush()
	q.Push(3)
	require.Equal(t, 3, q.Len(), "a claimed place counts")
	mustPop(t, q, 1)
	mustPop(t, q, 3)
	mustNotPop(t, q)
	require.True(t, q.Empty())
	require.False(t, fill(2), "its place was taken away")
	mustNotPop(t, q)
}

// A Push that stopped keeps its place as long as no Pop needed it.
func TestQueueLatePush(t *testing.T) {
	q := lockfree.NewQueueAt[int](0, 4)
	fill := q.StallPush()
	q.Push(2)
	require.True(t, fill(1))
	mustPop(t, q, 1)
	mustPop(t, q, 2)
	mustNotPop(t, q)
}

// A Pop that stopped after its claim holds up nobody, and gets the value of its place.
func TestQueueStalledPop(t *testing.T) {
	q := lockfree.NewQueueAt[int](0, 4)
	q.Push(1)
	q.Push(2)
	look := q.StallPop()
	mustPop(t, q, 2)
	mustNotPop(t, q)
	require.True(t, q.Empty())
	v, ok := look()
	require.True(t, ok)
	require.Equal(t, 1, v)
}

// Pops that lost a race leave places behind that no Push can use, up to a whole segment and
// its end.
func TestQueueOverrun(t *testing.T) {
	for overrun := range 4 {
		q := lockfree.NewQueueAt[int](math.MaxUint64-1, 3)
		for range overrun {
			_, ok := q.StallPop()()
			require.False(t, ok)
		}
		mustNotPop(t, q)
		require.True(t, q.Empty())
		require.Zero(t, q.Len())
		for i := range 7 {
			q.Push(i)
			mustPop(t, q, i)
			mustNotPop(t, q)
		}
		for i := range 7 {
			q.Push(i)
		}
		require.Equal(t, 7, q.Len())
		for i := range 7 {
			mustPop(t, q, i)
		}
		mustNotPop(t, q)
	}
}

// A place claimed by a Pop first and by a Push then is where they meet.
func TestQueueOverrunMeets(t *testing.T) {
	q := lockfree.NewQueueAt[int](0, 4)
	look := q.StallPop()
	mustNotPop(t, q)
	q.Push(1)
	mustNotPop(t, q) // the value belongs to the Pop that waits
	v, ok := look()
	require.True(t, ok)
	require.Equal(t, 1, v)
}

// A Push that stopped after it had appended a segment leaves tail behind; all others find
// their way, and the position does not lag.
func TestQueueStalledAppend(t *testing.T) {
	q := lockfree.NewQueueAt[int](10, 2)
	q.Push(1)
	q.Push(2)
	require.EqualValues(t, 12, q.Claimed())
	q.StallAppend(3)
	require.EqualValues(t, 13, q.Claimed())
	require.Equal(t, 3, q.Len())
	mustPop(t, q, 1)
	mustPop(t, q, 2)
	mustPop(t, q, 3)
	mustNotPop(t, q)
	require.True(t, q.Empty())
	require.EqualValues(t, 13, q.Claimed())
	q.Push(4)
	q.Push(5)
	require.EqualValues(t, 15, q.Claimed())
	mustPop(t, q, 4)
	mustPop(t, q, 5)
	mustNotPop(t, q)
}

// Polling an empty queue claims nothing, so that no Push has to try twice.
func TestQueuePollingClaimsNothing(t *testing.T) {
	q := lockfree.NewQueueAt[int](0, 4)
	for i := range 3 {
		for range 100 {
			mustNotPop(t, q)
		}
		q.Push(i)
		require.EqualValues(t, i+1, q.Claimed())
		mustPop(t, q, i)
	}
}

func TestQueueLetsGoOfSegments(t *testing.T) {
	var q lockfree.Queue[int]
	require.Zero(t, q.Segments())
	for i := range 10_000 {
		q.Push(i)
	}
	require.Greater(t, q.Segments(), 10)
	for i := range 10_000 {
		mustPop(t, &q, i)
	}
	require.Equal(t, 1, q.Segments())
}

// The first calls of all goroutines race for the first segment.
func TestQueueFirstUse(t *testing.T) {
	for range short.Scaled(500) {
		var q lockfree.Queue[int]
		var wg sync.WaitGroup
		const n = 4
		popped := make([]int, n)
		for k := range n {
			wg.Go(func() {
				q.Push(k)
				for {
					if v, ok := q.Pop(); ok {
						popped[k] = v
						return
					}
				}
			})
		}
		wg.Wait()
		require.ElementsMatch(t, []int{0, 1, 2, 3}, popped)
		require.True(t, q.Empty())
	}
}

func TestTrap13_QueuePositionsWrap(t *testing.T) {
	for below := range uint64(12) {
		q := lockfree.NewQueueAt[uint64](math.MaxUint64-below, 3)
		for i := range uint64(20) {
			q.Push(i)
			q.Push(100 + i)
			require.Equal(t, int(i)+2, q.Len())
			_, ok := q.Pop()
			require.True(t, ok)
		}
	}
}

// A batch keeps its order although Pops took places away from it, and goes on in the next
// segment.
func TestQueuePushAllLosesPlaces(t *testing.T) {
	q := lockfree.NewQueueAt[int](math.MaxUint64-6, 5)
	q.Push(0)
	mustPop(t, q, 0)
	for range 2 { // two places of the batch are lost before it comes
		_, ok := q.StallPop()()
		require.False(t, ok)
	}
	q.PushAll([]int{1, 2, 3, 4, 5, 6, 7})
	require.Equal(t, 7, q.Len())
	q.PushAll(nil)
	buf := make([]int, 10)
	require.Equal(t, 7, q.PopN(buf))
	require.Equal(t, []int{1, 2, 3, 4, 5, 6, 7}, buf[:7])
	require.Zero(t, q.PopN(buf))
	require.True(t, q.Empty())
}

// A batch of Pops passes by a Push that stopped, which then goes to the end.
func TestQueuePopNPassesStalledPush(t *testing.T) {
	q := lockfree.NewQueueAt[int](0, 8)
	q.Push(1)
	fill := q.StallPush()
	q.PushAll([]int{3, 4})
	buf := make([]int, 8)
	require.Equal(t, 3, q.PopN(buf))
	require.Equal(t, []int{1, 3, 4}, buf[:3])
	require.False(t, fill(2))
	require.Zero(t, q.PopN(buf))
}

// PopN claims nothing that it has not seen, so that polling costs no Push its place.
func TestQueuePopNClaimsWhatItSees(t *testing.T) {
	q := lockfree.NewQueueAt[int](0, 8)
	buf := make([]int, 5)
	require.Zero(t, q.PopN(buf))
	for i := range 3 {
		q.Push(i)
	}
	require.Equal(t, 3, q.PopN(buf))
	for range 10 {
		require.Zero(t, q.PopN(buf))
	}
	q.Push(3)
	require.EqualValues(t, 4, q.Claimed(), "the Push needed one place")
	require.Equal(t, 1, q.PopN(buf))
	require.Equal(t, 3, buf[0])

	var zero lockfree.Queue[int]
	require.Zero(t, zero.PopN(buf))
	zero.PushAll([]int{1, 2})
	require.Equal(t, 2, zero.PopN(buf))
}
