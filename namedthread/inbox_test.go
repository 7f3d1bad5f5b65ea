package namedthread

import (
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/heddle-go/heddle/internal/osthread"
	"github.com/heddle-go/heddle/sleepevent"
)

func newInbox() *inbox {
	b := new(inbox)
	b.init(sleepevent.ParkOS)
	return b
}

func numbered(n uint64) item { return item{what: Func(nil), token: n} }

// TestInboxModel compares an inbox with four lists.
func TestInboxModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := newInbox()
		var lists [queues][priorities][]uint64
		var n uint64
		came, newer := b.marks(), [queues]bool{}
		take := func(q Queue) bool {
			moves := b.moves
			it, ok := b.take(q)
			p := PriorityHigh
			if len(lists[q][p]) == 0 {
				p = PriorityNormal
			}
			require.Equal(t, len(lists[q][p]) > 0, ok)
			require.Equal(t, ok, b.moves > moves)
			if ok {
				require.Equal(t, lists[q][p][0], it.token)
				lists[q][p] = lists[q][p][1:]
				came, newer = b.marks(), [queues]bool{}
			}
			return ok
		}
		t.Repeat(map[string]func(*rapid.T){
			"post": func(t *rapid.T) {
				q, p := Queue(rapid.IntRange(0, 1).Draw(t, "queue")), Priority(rapid.IntRange(0,
					1).Draw(t, "priority"))
				n++
				require.True(t, b.post(q, p, numbered(n)))
				lists[q][p] = append(lists[q][p], n)
				newer[q] = true
			},
			"take": func(t *rapid.T) { take(Queue(rapid.IntRange(0, 1).Draw(t, "queue"))) },
			"take first": func(t *rapid.T) {
				q := Queue(rapid.IntRange(0, 1).Draw(t, "queue"))
				of := rapid.Uint64Range(1, 4).Draw(t, "of")
				accepted := func(n uint64) bool { return n%of == 0 }
				moves := b.moves
				it, ok := b.takeFirst(q, func(_ Runnable, token uint64) bool {
					return accepted(token)
				})
				came, newer = b.marks(), [queues]bool{} // some may have been fetched
				for p := range lists[q] {
					for i, n := range lists[q][p] {
						if accepted(n) {
							require.True(t, ok)
							require.Equal(t, n, it.token)
							require.Greater(t, b.moves, moves)
							lists[q][p] = slices.Delete(lists[q][p], i, i+1)
							return
						}
					}
				}
				require.False(t, ok)
			},
			"marks": func(t *rapid.T) { came, newer = b.marks(), [queues]bool{} },
			"stall": func(t *rapid.T) {
				ok := b.stall(bothQueues, &came)
				require.Equal(t, !newer[0] && !newer[1], ok)
				if ok {
					b.unstall()
				}
			},
			"": func(*rapid.T) {},
		})
		b.close()
		require.True(t, b.closed())
		for q := range Queue(queues) {
			for p := range Priority(priorities) {
				require.False(t, b.post(q, p, numbered(0)))
			}
		}
		for q := range Queue(queues) {
			for take(q) {
			}
			require.Empty(t, lists[q][0])
			require.Empty(t, lists[q][1])
		}
		_, ok := b.next()
		require.False(t, ok)
	})
}

// TestPostWakesWhoServesItsQueue: what comes for another queue is there in the end, and does not
// end a stall.
func TestPostWakesWhoServesItsQueue(t *testing.T) {
	for q := range Queue(queues) {
		for p := range Priority(priorities) {
			b := newInbox()
			require.True(t, b.stall(1<<q, &marks{}))
			require.True(t, b.post(1-q, p, numbered(1)))
			require.False(t, b.signal.WaitTimeout(0), "of the other queue")
			require.True(t, b.post(q, p, numbered(2)))
			require.True(t, b.signal.WaitTimeout(0))
			b.unstall()
			it, ok := b.take(q)
			require.True(t, ok)
			require.EqualValues(t, 2, it.token)
			it, ok = b.take(1 - q)
			require.True(t, ok)
			require.EqualValues(t, 1, it.token)
		}
	}
}

// TestPostAllocatesNothing: posting, and doing what was posted, allocates no more once as much has
// waited.
func TestPostAllocatesNothing(t *testing.T) {
	b := newInbox()
	it := numbered(1)
	require.Zero(t, testing.AllocsPerRun(100, func() {
		for range 100 {
			b.post(QueueLocal, PriorityHigh, it)
		}
		for range 100 {
			b.take(QueueLocal)
		}
	}))
}

// TestTakenIsNotKept: what was taken is not kept alive.
func TestTakenIsNotKept(t *testing.T) {
	b := newInbox()
	for range 10 {
		b.post(QueueMain, PriorityHigh, numbered(1))
	}
	for range 10 {
		b.take(QueueMain)
	}
	for _, it := range b.queues[QueueMain].fetched[PriorityHigh].items[:10] {
		require.Zero(t, it)
	}
}

// TestCloseHalfDone stops a Quit after its first queue: a post to that queue is refused, and after
// that one to any other.
func TestCloseHalfDone(t *testing.T) {
	b := newInbox()
	b.queues[0].Close()
	require.False(t, b.closed())
	require.True(t, b.post(1, 1, numbered(1)))
	require.False(t, b.post(0, 0, numbered(2)))
	require.True(t, b.closed())
	require.True(t, b.signal.WaitTimeout(0))
	require.False(t, b.post(1, 1, numbered(3)))
	it, ok := b.next()
	require.True(t, ok)
	require.EqualValues(t, 1, it.token)
	_, ok = b.next()
	require.False(t, ok)
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
