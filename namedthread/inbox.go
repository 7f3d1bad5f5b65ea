package namedthread

import (
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/cacheline"
	"github.com/heddle-go/heddle/internal/park"
	"github.com/heddle-go/heddle/lockfree"
	"github.com/heddle-go/heddle/sleepevent"
)

// An item is posted work.
type item struct {
	what  Runnable
	token uint64
}

// A queueSet is a set of queues, with a bit for each.
type queueSet uint8

const (
	onlyMain   queueSet = 1 << QueueMain
	onlyLocal  queueSet = 1 << QueueLocal
	bothQueues          = onlyMain | onlyLocal
)

// An inbox has the posted work that a thread has not done yet, and the means to sleep until there
// is more. It knows nothing of OS threads. Any goroutine may call post, close, closed and wake;
// everything else is for the owner, which may change if the old owner's last call happens before
// the new owner's first.
type inbox struct {
	// README.md has the protocol, including S1 and S2 for sleep, and the argument.
	//
	//	N1 an inbox is closed when both its queues are. They are closed in order, both by whoever
	//	   closes the inbox and by whoever finds one of them closed, before the call returns.
	//	N2 moves grows whenever the owner takes something out of a queue or a fetched batch.
	//	N3 the owner is registered as stalled only between stall and unstall, and calls no
	//	   foreign code there.
	//	N4 urgent is set after high work was pushed, before that post returns, and cleared before
	//	   the owner looks for it. Posts of normal work do not touch its cache line.

	queues [queues]stallingQueue
	wakes  atomics.Uint64 // calls of wake
	signal *sleepevent.Signal
	seat   atomics.Pointer[park.Parker] // replaces signal if the thread takes turns, see seat.go

	_ cacheline.Pad

	// Only the owner uses these.
	moves    uint64 // see N2
	hopeless bool   // a sleep has panicked, and the panic is unwinding
}

// A stallingQueue is the work of one queue: posted work, and batches that the owner has fetched.
type stallingQueue struct {
	lockfree.StallingQueue[item]
	urgent  atomics.Bool // there may be high work for which the owner has not looked, see N4
	_       cacheline.Pad
	fetched [priorities]batch // for the owner
}

// A batch is fetched work of one priority, whose first pieces are done.
type batch struct {
	items []item
	next  int // in items
}

// marks says for each queue what has been posted so far.
type marks [queues]lockfree.Mark

func (b *inbox) init(park sleepevent.Park) {
	b.signal = sleepevent.NewSignal(sleepevent.Options{Park: park})
}

// post appends an item and wakes the owner if it has stalled on that queue. False: the inbox
// is closed and the item was not taken in.
func (b *inbox) post(q Queue, p Priority, it item) bool {
	work := &b.queues[q]
	wake, ok := work.Push(it, int(p)) // LP(post)
	if p == PriorityHigh && ok && !work.urgent.Load() {
		work.urgent.Store(true)
	}
	if wake {
		b.trigger()
	}
	if !ok {
		b.close() // the other queue too, before anybody hears of it
	}
	return ok
}

// close makes every later post fail and wakes the owner: C1, C2.
func (b *inbox) close() {
	closed := false
	for q := range b.queues {
		_, ok := b.queues[q].Close() // LP(close): that of the last queue
		closed = closed || ok
	}
	if closed {
		b.trigger()
	}
}

// closed reports whether every later post is refused.
func (b *inbox) closed() bool { return b.queues[queues-1].Closed() }

// wake makes the owner look again at whatever it waits for.
func (b *inbox) wake() {
	b.wakes.Add(1) // before the trigger
	b.trigger()
}

// take removes the next item of q: the oldest high one, else the oldest normal one (O1 to O3).
func (b *inbox) take(q Queue) (it item, ok bool) {
	work := &b.queues[q]
	high, normal := &work.fetched[PriorityHigh], &work.fetched[PriorityNormal]
	f := high
	if high.done() {
		// While there is normal work it suffices to read urgent, which leaves the cache line of the
		// queue to the posters.
		urgent := work.urgent.Load()
		if urgent {
			work.urgent.Store(false) // before the look
		}
		if urgent || normal.done() {
			high.fetch(work, PriorityHigh)
		}
		if high.done() {
			if f = normal; normal.done() {
				normal.fetch(work, PriorityNormal)
			}
		}
	}
	if f.done() {
		return item{}, false
	}
	b.moves++
	it = f.items[f.next]
	f.items[f.next] = item{}
	f.next++
	return it, true
}

func (f *batch) done() bool { return f.next == len(f.items) }

// fetch takes all posted work of a priority, if there is any. Earlier batches are done.
func (f *batch) fetch(work *stallingQueue, p Priority) {
	if !work.Empty(int(p)) {
		f.items, f.next = work.PopAll(int(p), f.items[:0]), 0
	}
}

// marks returns the marks of what has been posted so far.
func (b *inbox) marks() (m marks) {
	for q := range b.queues {
		m[q] = b.queues[q].Mark()
	}
	return m
}

// stall registers the owner as stalled on each queue of qs. If it returns false, something was
// posted there since, or is fetched, and the owner is registered nowhere.
func (b *inbox) stall(qs queueSet, since *marks) bool {
	for q := range b.queues {
		if qs&(1<<q) != 0 && !b.queues[q].Stall(since[q]) {
			b.unstall()
			return false
		}
	}
	return true
}

// unstall ends what stall began. If a post has ended it first, that post may trigger the signal
// later, and then a later wait on the signal returns for no reason.
func (b *inbox) unstall() {
	for q := range b.queues {
		b.queues[q].Unstall()
	}
}

// next removes any item of a closed inbox. If it returns false, nothing is left and nothing will
// come.
func (b *inbox) next() (item, bool) {
	for q := range Queue(queues) {
		if it, ok := b.take(q); ok {
			return it, true
		}
	}
	return item{}, false
}
