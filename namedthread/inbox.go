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
	what     Runnable
	token    uint64
	priority Priority
}

// A queueSet is a set of queues, a bit each.
type queueSet uint8

const (
	onlyMain   queueSet = 1 << QueueMain
	onlyLocal  queueSet = 1 << QueueLocal
	bothQueues          = onlyMain | onlyLocal
)

// The fields of inbox.gate once it is closed.
const (
	gateClosed    = 1 << 63
	acceptedShift = 32
	acceptedMask  = 1<<31 - 1
)

// sweepLimit bounds what one sweep sets aside, so that a flood of posts cannot keep a waiter
// from looking at what it waits for.
const sweepLimit = 64

// An inbox is what a thread has been posted and not yet done, with the means to sleep until
// there is more. It knows nothing of OS threads. post, close and wake may be called by any
// goroutine, everything else by the owner, which may change if the old owner's last call
// happens before the new owner's first.
type inbox struct {
	// README.md has the protocol and its argument.
	//
	//	gate, open:   0 | number of posts accepted so far
	//	gate, closed: 1 | accepted, mod 2^31 (31 bits) | refusals under way (32 bits)
	//
	//	N1 gate is closed by one swap, which freezes the number of accepted posts.
	//	N2 a post is appended to its queue after gate counted it, and once.
	//	N3 closed is set after gate is closed.
	//	N4 taken is the number of items popped from the queues; it never exceeds the number
	//	   accepted, so all was taken when the two are equal after closing.
	//	N5 an item in aside was popped before every item of its queue and priority that is
	//	   still in the queue was.
	//	N6 the owner is registered as stalled only between stall and unstall, and calls no
	//	   foreign code there.

	signal *sleepevent.Signal
	seat   atomics.Pointer[park.Parker] // in its place where the thread takes turns, see seat.go
	queues [queues]*lockfree.StallingQueue[item]

	_    cacheline.Pad
	gate atomics.Uint64 // written by every post
	_    cacheline.Pad

	closed atomics.Bool   // read for every item; written once
	wakes  atomics.Uint64 // calls of wake
	_      cacheline.Pad

	// The owner's alone.
	taken uint64 // items popped from queues
	moves uint64 // items popped from queues or taken out of aside
	aside [queues][priorities]ring

	hopeless bool // a sleep has panicked, and the panic is on its way
}

func (b *inbox) init(park sleepevent.Park) {
	b.signal = sleepevent.NewSignal(sleepevent.Options{Park: park})
	for q := range b.queues {
		b.queues[q] = lockfree.NewStallingQueue[item](priorities, 1)
	}
}

// post appends an item and wakes the owner if it has stalled on that queue. False: the inbox
// is closed and the item was not taken in.
func (b *inbox) post(q Queue, it item) bool {
	if b.gate.Add(1)&gateClosed != 0 { // LP(post)
		b.gate.Add(^uint64(0))
		return false
	}
	if b.queues[q].Push(it, int(it.priority)) >= 0 {
		b.trigger()
	}
	return true
}

// close refuses every later post and wakes the owner.
func (b *inbox) close() {
	for {
		g := b.gate.Load()
		if g&gateClosed != 0 {
			return
		}
		if b.gate.CompareAndSwap(g, gateClosed|(g&acceptedMask)<<acceptedShift) { // LP(close)
			break
		}
	}
	b.closed.Store(true)
	b.trigger()
}

// wake makes the owner look again at whatever it waits for.
func (b *inbox) wake() {
	b.wakes.Add(1) // before the trigger
	b.trigger()
}

// take removes the next item of q: the oldest high one, else the oldest normal one.
func (b *inbox) take(q Queue) (it item, ok bool) {
	aside := &b.aside[q]
	if it, ok = aside[PriorityHigh].pop(); !ok {
		it, ok = b.pop(q)
		older := &aside[PriorityNormal]
		if older.len() > 0 && !(ok && it.priority == PriorityHigh) {
			if ok {
				older.push(it)
			}
			it, ok = older.pop()
		}
	}
	if ok {
		b.moves++
	}
	return it, ok
}

// pop takes the next item of q that was not set aside.
func (b *inbox) pop(q Queue) (item, bool) {
	it, r := b.queues[q].Pop(0, false)
	if r != lockfree.PopOK {
		return item{}, false
	}
	b.taken++
	return it, true
}

// sweep sets items of q aside, up to sweepLimit of them.
func (b *inbox) sweep(q Queue) {
	for range sweepLimit {
		it, ok := b.pop(q)
		if !ok {
			return
		}
		b.setAside(q, it)
	}
}

// setAside keeps an item that was just popped.
func (b *inbox) setAside(q Queue, it item) {
	b.moves++
	b.aside[q][it.priority].push(it)
}

// stall registers the owner as stalled on each queue of qs. False: an item turned up, was
// set aside, and the owner is registered nowhere.
func (b *inbox) stall(qs queueSet) bool {
	for q := range Queue(queues) {
		if qs&(1<<q) == 0 {
			continue
		}
		if it, r := b.queues[q].Pop(0, true); r == lockfree.PopOK {
			b.taken++
			b.setAside(q, it)
			b.unstall(qs & (1<<q - 1))
			return false
		}
	}
	return true
}

// unstall ends what stall began. A post that has cleared a registration first may trigger the
// signal later: then a later wait on it returns for nothing.
func (b *inbox) unstall(qs queueSet) {
	for q := range Queue(queues) {
		if qs&(1<<q) != 0 {
			b.queues[q].Unstall(0)
		}
	}
}

// next removes an item of a closed inbox, whichever; it waits for posts that were accepted and
// not yet appended. False: nothing is left, and nothing will come.
func (b *inbox) next() (item, bool) {
	for {
		for q := range Queue(queues) {
			if it, ok := b.take(q); ok {
				return it, true
			}
		}
		if b.tookAll() {
			return item{}, false
		}
		if b.stall(bothQueues) {
			b.sleep()
			b.unstall(bothQueues)
		}
	}
}

// tookAll reports of a closed inbox whether every accepted item was popped.
func (b *inbox) tookAll() bool {
	return (b.gate.Load()>>acceptedShift^b.taken)&acceptedMask == 0
}
