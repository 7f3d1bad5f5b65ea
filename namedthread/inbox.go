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

// A queueSet is a set of queues, a bit each.
type queueSet uint8

const (
	onlyMain   queueSet = 1 << QueueMain
	onlyLocal  queueSet = 1 << QueueLocal
	bothQueues          = onlyMain | onlyLocal
)

// An inbox is what a thread has been posted and not yet done, with the means to sleep until
// there is more. It knows nothing of OS threads. post, close, closed and wake may be called by any
// goroutine, everything else by the owner, which may change if the old owner's last call
// happens before the new owner's first.
type inbox struct {
	// README.md has the protocol, S1 and S2 for sleep among it, and the argument.
	//
	//	N1 an inbox is closed once both its queues are; they are closed in their order, by whoever
	//	   closes it and by whoever finds one closed, before it returns.
	//	N2 moves grows whenever the owner takes something out of a queue, or out of what it fetched.
	//	N3 the owner is registered as stalled only between stall and unstall, and calls no
	//	   foreign code there.
	//	N4 urgent is set after high work was pushed, before that post returns, and cleared before
	//	   the look for it. Posts of normal work leave its line alone.

	queues [queues]stallingQueue
	wakes  atomics.Uint64 // calls of wake
	signal *sleepevent.Signal
	seat   atomics.Pointer[park.Parker] // in its place where the thread takes turns, see seat.go

	_ cacheline.Pad

	// The owner's alone.
	moves    uint64 // see N2
	hopeless bool   // a sleep has panicked, and the panic is on its way
}

// A stallingQueue is the work of one queue: what has come, and what of it the owner has fetched.
type stallingQueue struct {
	lockfree.StallingQueue[item]
	urgent  atomics.Bool // there may be high work that the owner has not looked for, see N4
	_       cacheline.Pad
	fetched [priorities]batch // the owner's alone
}

// A batch is work of one priority, of which the first pieces are done.
type batch struct {
	items []item
	next  int // in items
}

// marks says what has come in each queue.
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

// close refuses every later post and wakes the owner: C1, C2.
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
		// While there is normal work, a look at urgent does, and leaves the posters the line
		// of the queue.
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

// fetch takes what has come of a priority, if anything has. What was fetched before is done.
func (f *batch) fetch(work *stallingQueue, p Priority) {
	if !work.Empty(int(p)) {
		f.items, f.next = work.PopAll(int(p), f.items[:0]), 0
	}
}

// marks returns what has come so far.
func (b *inbox) marks() (m marks) {
	for q := range b.queues {
		m[q] = b.queues[q].Mark()
	}
	return m
}

// stall registers the owner as stalled on each queue of qs. False: something has come there since,
// or was fetched, and the owner is registered nowhere.
func (b *inbox) stall(qs queueSet, since *marks) bool {
	for q := range b.queues {
		if qs&(1<<q) != 0 && !b.queues[q].Stall(since[q]) {
			b.unstall()
			return false
		}
	}
	return true
}

// unstall ends what stall began. A post that has done so first may trigger the signal later:
// then a later wait on it returns for nothing.
func (b *inbox) unstall() {
	for q := range b.queues {
		b.queues[q].Unstall()
	}
}

// next removes an item of a closed inbox, whichever. False: nothing is left, and nothing will
// come.
func (b *inbox) next() (item, bool) {
	for q := range Queue(queues) {
		if it, ok := b.take(q); ok {
			return it, true
		}
	}
	return item{}, false
}
