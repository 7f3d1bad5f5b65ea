package namedthread

import (
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/heddle-go/heddle/internal/osthread"
	"github.com/heddle-go/heddle/sleepevent"
)

func newInbox(accepted uint64) *inbox {
	b := new(inbox)
	b.init(sleepevent.ParkOS)
	b.gate.Store(accepted)
	b.taken = accepted
	return b
}

func numbered(n uint64, p Priority) item { return item{what: Func(nil), token: n, priority: p} }

// TestInboxModel compares an inbox with four lists.
func TestInboxModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := newInbox(rapid.Uint64Range(0, gateClosed-1000).Draw(t, "accepted"))
		var lists [queues][priorities][]uint64
		var n uint64
		left := 0
		drop := func(q Queue, it item) {
			require.NotEmpty(t, lists[q][it.priority])
			require.Equal(t, lists[q][it.priority][0], it.token)
			lists[q][it.priority] = lists[q][it.priority][1:]
			left--
		}
		t.Repeat(map[string]func(*rapid.T){
			"post": func(t *rapid.T) {
				q, p := Queue(rapid.IntRange(0, 1).Draw(t, "queue")), Priority(rapid.IntRange(0, 1).Draw(t, "priority"))
				n++
				require.True(t, b.post(q, numbered(n, p)))
				lists[q][p] = append(lists[q][p], n)
				left++
			},
			"take": func(t *rapid.T) {
				q := Queue(rapid.IntRange(0, 1).Draw(t, "queue"))
				it, ok := b.take(q)
				require.Equal(t, len(lists[q][0])+len(lists[q][1]) > 0, ok)
				if ok {
					require.Equal(t, len(lists[q][0]) == 0, it.priority == PriorityNormal)
					drop(q, it)
				}
			},
			"sweep": func(t *rapid.T) { b.sweep(Queue(rapid.IntRange(0, 1).Draw(t, "queue"))) },
			"stall": func(t *rapid.T) {
				if b.stall(bothQueues) {
					for q := range Queue(queues) {
						require.True(t, b.queues[q].Empty())
					}
					b.unstall(bothQueues)
				}
			},
			"": func(*rapid.T) {},
		})
		b.close()
		require.False(t, b.post(QueueMain, numbered(0, PriorityHigh)))
		for q := range Queue(queues) {
			for {
				it, ok := b.take(q)
				if !ok {
					break
				}
				drop(q, it)
			}
		}
		require.Zero(t, left)
		_, ok := b.next()
		require.False(t, ok)
	})
}

// TestTrap13_AcceptedCountWrap: the number of accepted posts is kept modulo 2^31 on closing.
func TestTrap13_AcceptedCountWrap(t *testing.T) {
	for _, accepted := range []uint64{0, 1<<31 - 2, 1<<32 - 2, 1<<62 - 2, gateClosed - 10} {
		b := newInbox(accepted)
		for i := range uint64(4) {
			require.True(t, b.post(Queue(i&1), numbered(i, PriorityNormal)))
		}
		b.close()
		for range 3 {
			require.False(t, b.post(QueueMain, numbered(9, PriorityNormal)))
		}
		seen := 0
		for {
			_, ok := b.next()
			if !ok {
				break
			}
			seen++
		}
		require.Equal(t, 4, seen)
		require.True(t, b.tookAll())
		require.Zero(t, uint32(b.gate.Load()), "refusals leave no trace, however many")
	}
}

// TestCloseAmidPost stops a post between being counted and being appended: the item is not
// lost, and the owner sleeps until it comes.
func TestCloseAmidPost(t *testing.T) {
	for q := range Queue(queues) {
		b := newInbox(0)
		b.gate.Add(1) // the first half of a post
		b.close()
		b.close()
		require.True(t, b.closed.Load())
		got := make(chan item)
		go func() {
			it, _ := b.next()
			got <- it
			_, ok := b.next()
			if ok {
				t.Error("more than was accepted")
			}
			close(got)
		}()
		runtime.Gosched()
		if b.queues[q].Push(numbered(7, PriorityHigh), int(PriorityHigh)) >= 0 { // the second
			b.signal.Trigger()
		}
		require.EqualValues(t, 7, (<-got).token)
		<-got
	}
}

// TestRefusalAmidNext stops a refused post half way: the count of accepted ones is not
// disturbed by it.
func TestRefusalAmidNext(t *testing.T) {
	b := newInbox(0)
	require.True(t, b.post(QueueMain, numbered(1, PriorityNormal)))
	b.close()
	b.gate.Add(5)
	_, ok := b.next()
	require.True(t, ok)
	_, ok = b.next()
	require.False(t, ok)
}

// TestRing compares a ring with a list.
func TestRing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var r ring
		var list []uint64
		var n uint64
		t.Repeat(map[string]func(*rapid.T){
			"push": func(t *rapid.T) {
				for range rapid.IntRange(1, 20).Draw(t, "pushes") {
					n++
					r.push(numbered(n, PriorityNormal))
					list = append(list, n)
				}
			},
			"pop": func(t *rapid.T) {
				for range rapid.IntRange(1, 20).Draw(t, "pops") {
					it, ok := r.pop()
					require.Equal(t, len(list) > 0, ok)
					if ok {
						require.Equal(t, list[0], it.token)
						list = list[1:]
					}
				}
			},
			"": func(t *rapid.T) {
				require.Equal(t, len(list), r.len())
				full := 0
				for _, it := range r.items {
					if it.what != nil {
						full++
					}
				}
				require.Equal(t, len(list), full, "popped places are cleared")
			},
		})
	})
}

// TestStartedOnMainThread lets a started thread find itself on what it takes for the main OS
// thread: it must move to another.
func TestStartedOnMainThread(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	id, err := osthread.ID()
	if err != nil {
		return // it would not find out
	}
	defer func(old uint64) { mainThread = old }(mainThread)
	mainThread = id

	r := NewRegistry()
	th := newThread(r, "Moves", Options{})
	require.NoError(t, r.add(th))
	th.up = sleepevent.NewSignal(sleepevent.Options{})
	up := th.up
	th.begin() // returns after another goroutine has taken over
	up.Wait()
	var on uint64
	var done sync.WaitGroup
	done.Add(1)
	require.NoError(t, th.Post(QueueMain, PriorityNormal, Func(func() {
		on, _ = osthread.ID()
		done.Done()
	}), 0))
	done.Wait()
	require.NotEqual(t, id, on)
	th.Quit()
	<-th.Done()
}
