package lockfree_test

import (
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/lockfree"
)

func TestStallingQueue(t *testing.T) {
	q := lockfree.NewStallingQueue[string](2, 3)
	_, r := q.Pop(0, false)
	require.Equal(t, lockfree.PopEmpty, r)
	require.Equal(t, -1, q.Push("low", 1), "nobody to wake")
	require.Equal(t, -1, q.Push("high", 0))
	require.Equal(t, 2, q.Len())
	v, r := q.Pop(2, true)
	require.Equal(t, lockfree.PopOK, r)
	require.Equal(t, "high", v)
	v, r = q.Pop(1, true)
	require.Equal(t, lockfree.PopOK, r)
	require.Equal(t, "low", v)
	require.True(t, q.Empty())

	_, r = q.Pop(2, true)
	require.Equal(t, lockfree.PopStalled, r)
	_, r = q.Pop(1, true)
	require.Equal(t, lockfree.PopStalled, r)
	require.EqualValues(t, 0b110, q.Stalled())
	require.Equal(t, 1, q.Push("a", 0), "the lowest first")
	require.Equal(t, 2, q.Push("b", 0))
	require.Equal(t, -1, q.Push("c", 0))
	for _, want := range []string{"a", "b", "c"} {
		v, r = q.Pop(1, true)
		require.Equal(t, lockfree.PopOK, r)
		require.Equal(t, want, v)
	}
}

func TestStallingQueueUnstall(t *testing.T) {
	q := lockfree.NewStallingQueue[int](1, 26)
	for _, c := range []int{25, 3} {
		_, r := q.Pop(c, true)
		require.Equal(t, lockfree.PopStalled, r)
	}
	require.False(t, q.Unstall(3), "nobody had cleared it")
	require.EqualValues(t, 1<<25, q.Stalled())
	require.Equal(t, 25, q.Push(1, 0))
	require.True(t, q.Unstall(25), "the Push had cleared it")
	require.Zero(t, q.Stalled())
	require.Equal(t, -1, q.Wake())
}

func TestStallingQueueMisuse(t *testing.T) {
	require.PanicsWithValue(t, "lockfree: StallingQueue with 0 priorities, not 1 to 65536", func() { lockfree.NewStallingQueue[int](0, 1) })
	require.PanicsWithValue(t, "lockfree: StallingQueue with 0 consumers, not 1 to 26", func() { lockfree.NewStallingQueue[int](1, 0) })
	require.PanicsWithValue(t, "lockfree: StallingQueue with 27 consumers, not 1 to 26", func() { lockfree.NewStallingQueue[int](1, 27) })
	q := lockfree.NewStallingQueue[int](2, 2)
	require.PanicsWithValue(t, "lockfree: priority 2 of 2", func() { q.Push(1, 2) })
	require.PanicsWithValue(t, "lockfree: consumer 2 of 2", func() { q.Pop(2, false) })
	require.PanicsWithValue(t, "lockfree: consumer -1 of 2", func() { q.Unstall(-1) })
	_, r := q.Pop(1, true)
	require.Equal(t, lockfree.PopStalled, r)
	require.PanicsWithValue(t, "lockfree: Pop by consumer 1, which is stalled", func() { q.Pop(1, true) })
}

func TestTrap13_StallingQueueCountWraps(t *testing.T) {
	q := lockfree.NewStallingQueueAt[int](1, 26, lockfree.CountLimit-3, math.MaxUint64-2, 2)
	for i := range 6 {
		_, r := q.Pop(25, true)
		require.Equal(t, lockfree.PopStalled, r)
		require.EqualValues(t, 1<<25, q.Stalled())
		require.Equal(t, 25, q.Push(i, 0))
		require.Zero(t, q.Stalled(), "the count must not run into the bits")
		v, r := q.Pop(25, false)
		require.Equal(t, lockfree.PopOK, r)
		require.Equal(t, i, v)
	}
	require.EqualValues(t, 9, q.Count())
}

// A stalled consumer whose value somebody else took was woken all the same. If it leaves,
// the wake is passed on, or a value that was pushed meanwhile stays behind with a
// sleeper beside it.
func TestTrap02_PassTheWakeOn(t *testing.T) {
	q := lockfree.NewStallingQueue[int](1, 2)
	for c := range 2 {
		_, r := q.Pop(c, true)
		require.Equal(t, lockfree.PopStalled, r)
	}
	require.Equal(t, 0, q.Push(1, 0))
	require.True(t, q.Unstall(0), "consumer 0 leaves for a reason of its own, with a wake in its hands")
	require.Equal(t, 1, q.Wake(), "which is for consumer 1 now")
	v, r := q.Pop(1, true)
	require.Equal(t, lockfree.PopOK, r)
	require.Equal(t, 1, v)
}

// A value that was appended but not announced yet does not keep a consumer from stalling, and
// the announcement then wakes it: the order append, announce is what makes that safe.
func TestTrap01_AppendBeforeAnnounce(t *testing.T) {
	q := lockfree.NewStallingQueue[int](2, 1)
	q.Append(1, 1)
	v, r := q.Pop(0, true)
	require.Equal(t, lockfree.PopOK, r, "what is there is found, announced or not")
	require.Equal(t, 1, v)
	_, r = q.Pop(0, true)
	require.Equal(t, lockfree.PopStalled, r)
	q.Append(2, 1)
	require.Equal(t, 0, q.Push(3, 0))
}

// A consumer whose scan a Push overtook must not stall, also if nobody was there to be woken.
func TestTrap01_PushOvertakesScan(t *testing.T) {
	q := lockfree.NewStallingQueue[int](1, 2)
	stall := q.StallScan(0)
	require.Equal(t, -1, q.Push(1, 0))
	require.False(t, stall())
	_, r := q.Pop(0, true)
	require.Equal(t, lockfree.PopOK, r)

	// What cannot make its scan wrong does not hold it up, or need not be noticed.
	q.Push(2, 0)
	stall = q.StallScan(0)
	_, r = q.Pop(1, true)
	require.Equal(t, lockfree.PopOK, r)
	require.True(t, stall())

	// The other's stall and its end look the same in the bits, but not in the count.
	require.False(t, q.Unstall(0))
	stall = q.StallScan(0)
	_, r = q.Pop(1, true)
	require.Equal(t, lockfree.PopStalled, r)
	require.Equal(t, 1, q.Push(3, 0))
	require.False(t, stall())
}

// Whoever sees a push counted finds its value.
func TestTrap01_AppendedBeforeCounted(t *testing.T) {
	q := lockfree.NewStallingQueue[int](2, 1)
	n := scaled(100_000)
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := range n {
			q.Push(i, 1)
		}
	})
	for popped := uint64(0); popped < uint64(n); {
		counted := q.Count()
		breathe()
		for {
			if _, r := q.Pop(0, false); r == lockfree.PopEmpty {
				break
			}
			popped++
		}
		if popped < counted {
			t.Errorf("%d pushes were counted and %d values found", counted, popped)
			break
		}
	}
	wg.Wait()
}

// A mailbox is the event of a consumer: it remembers one wake that comes before the wait.
type mailbox chan struct{}

func (m mailbox) wake() {
	select {
	case m <- struct{}{}:
	default:
	}
}

// Consumers sleep whenever they find nothing, some of them leave their sleep by themselves,
// and no value is left behind. A lost wake-up makes this test hang.
func TestTrap01_NoWakeUpIsLost(t *testing.T) {
	for _, shape := range []struct{ producers, consumers int }{{1, 1}, {2, 1}, {1, 2}, {3, 3}} {
		q := lockfree.NewStallingQueueAt[int](2, shape.consumers, lockfree.CountLimit-1000, 0, 4)
		n := scaled(20_000)
		boxes := make([]mailbox, shape.consumers)
		for c := range boxes {
			boxes[c] = make(mailbox, 1)
		}
		wake := func(c int) {
			if c >= 0 {
				boxes[c].wake()
			}
		}
		var left atomics.Int64
		left.Store(int64(n * shape.producers))
		seen := make([]atomics.Uint32, n*shape.producers)
		var wg sync.WaitGroup
		for c := range shape.consumers {
			wg.Go(func() {
				rnd := rand.New(rand.NewPCG(uint64(c), 7))
				for left.Load() > 0 {
					v, r := q.Pop(c, true)
					if r == lockfree.PopOK {
						seen[v].Add(1)
						if left.Add(-1) == 0 {
							for other := range boxes {
								boxes[other].wake()
							}
						}
						continue
					}
					if rnd.IntN(8) == 0 { // does not sleep after all
						runtime.Gosched()
						if q.Unstall(c) {
							wake(q.Wake())
						}
						continue
					}
					<-boxes[c]
					q.Unstall(c) // the wake may be a late one, meant for an earlier stall
				}
			})
		}
		for p := range shape.producers {
			wg.Go(func() {
				for i := range n {
					wake(q.Push(p*n+i, i%2))
					if i%64 == 0 {
						runtime.Gosched()
					}
				}
			})
		}
		wg.Wait()
		for v := range seen {
			require.EqualValues(t, 1, seen[v].Load(), "value %d", v)
		}
		require.True(t, q.Empty())
	}
}
