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
	//	N1 an inbox is closed once all its lanes are; they are closed in their order, by whoever
	//	   closes it and by whoever finds one closed, before it returns.
	//	N2 moves grows whenever the owner takes something out of a lane, or out of its mail.
	//	N3 the owner is registered as stalled only between stall and unstall, and calls no
	//	   foreign code there.

	lanes  [queues][priorities]lane
	wakes  atomics.Uint64 // calls of wake
	signal *sleepevent.Signal
	seat   atomics.Pointer[park.Parker] // in its place where the thread takes turns, see seat.go

	_ cacheline.Pad

	// The owner's alone.
	moves    uint64 // see N2
	hopeless bool   // a sleep has panicked, and the panic is on its way
}

// A lane is the work of one queue and priority: what has come, and what of it the owner has fetched.
type lane struct {
	mail  lockfree.Mailbox[item]
	batch []item // fetched; the owner's alone
	next  int    // in batch
}

// marks says what has come in each lane.
type marks [queues][priorities]lockfree.Mark

func (b *inbox) init(park sleepevent.Park) {
	b.signal = sleepevent.NewSignal(sleepevent.Options{Park: park})
}

// post appends an item and wakes the owner if it has stalled on that queue. False: the inbox
// is closed and the item was not taken in.
func (b *inbox) post(q Queue, p Priority, it item) bool {
	wake, ok := b.lanes[q][p].mail.Push(it) // LP(post)
	if wake {
		b.trigger()
	}
	if !ok {
		b.close() // the other lanes too, before anybody hears of it
	}
	return ok
}

// close refuses every later post and wakes the owner: C1, C2.
func (b *inbox) close() {
	closed := false
	for q := range b.lanes {
		for p := range b.lanes[q] {
			_, ok := b.lanes[q][p].mail.Close() // LP(close): that of the last lane
			closed = closed || ok
		}
	}
	if closed {
		b.trigger()
	}
}

// closed reports whether every later post is refused.
func (b *inbox) closed() bool { return b.lanes[queues-1][priorities-1].mail.Closed() }

// wake makes the owner look again at whatever it waits for.
func (b *inbox) wake() {
	b.wakes.Add(1) // before the trigger
	b.trigger()
}

// take removes the next item of q: the oldest high one, else the oldest normal one (O1 to O3).
func (b *inbox) take(q Queue) (it item, ok bool) {
	for p := range b.lanes[q] {
		l := &b.lanes[q][p]
		if l.next == len(l.batch) {
			if l.mail.Empty() {
				continue
			}
			l.batch, l.next = l.mail.PopAll(l.batch[:0]), 0
		}
		b.moves++
		it = l.batch[l.next]
		l.batch[l.next] = item{}
		l.next++
		return it, true
	}
	return item{}, false
}

// marks returns what has come so far.
func (b *inbox) marks() (m marks) {
	for q := range b.lanes {
		for p := range b.lanes[q] {
			m[q][p] = b.lanes[q][p].mail.Mark()
		}
	}
	return m
}

// stall registers the owner as stalled on each queue of qs. False: something has come there since,
// or was fetched, and the owner is registered nowhere.
func (b *inbox) stall(qs queueSet, since *marks) bool {
	for q := range b.lanes {
		for p := range b.lanes[q] {
			if qs&(1<<q) != 0 && !b.lanes[q][p].mail.Stall(since[q][p]) {
				b.unstall()
				return false
			}
		}
	}
	return true
}

// unstall ends what stall began. A post that has done so first may trigger the signal later:
// then a later wait on it returns for nothing.
func (b *inbox) unstall() {
	for q := range b.lanes {
		for p := range b.lanes[q] {
			b.lanes[q][p].mail.Unstall()
		}
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
