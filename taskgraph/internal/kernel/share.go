package kernel

import (
	"slices"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/lockfree"
	"github.com/heddle-go/heddle/taskgraph/internal/entry"
)

const (
	sharedBatch = 32 // at most so many shared tasks are taken at a time
	sharedFew   = 8  // if there are fewer, it may pay to wait a moment
)

// A holder that has caught up with those who share work, and takes each task as it comes, takes the
// lines of the queue and the hints from them each time. So it pauses first, as long as there is
// more after that, and rarely if not.
const (
	batchPauses = 16
	batchPays   = 4   // a pause that brings so many tasks pays
	batchRarely = 255 // at most so many times without a pause between two pauses
)

// At most so many entries are stolen at a time.
const stealMost = 64

// oldest takes the oldest entry of d, the caller's own deque.
func oldest(d *lockfree.Deque[entry.Entry]) (entry.Entry, bool) {
	if n, r := d.Steal(); r == lockfree.StealOK {
		return n, true
	}
	return d.Pop() // a thief was there first; there may be more
}

// takeSome takes shared Normal work for the holder of s: one task to run, and its fair part of the
// rest, which goes into the holder's empty deque, where it is cheap to take and thieves reach it.
// The caller announces that part.
func (k *Kernel) takeSome(s *Slot) (entry.Entry, bool) {
	q := &k.shared[Normal]
	var some [sharedBatch]entry.Entry
	there := q.LenUpTo(sharedBatch * len(k.base))
	if there < sharedFew && s.batching.Due() {
		atomics.Pause(batchPauses)
		more := q.LenUpTo(sharedBatch * len(k.base))
		s.batching.Learn(more-there >= batchPays, batchRarely)
		there = more
	}
	part := min(there/len(k.base), sharedBatch-1)
	got := q.PopN(some[:part])
	n, ok := k.takeShared(Normal)
	if got == 0 {
		return n, ok
	}
	if ok {
		some[got] = n
		got++
	}
	s.keep(0, some[1:got])
	return some[0], true
}

// keep puts ns into the holder's empty deque d, so that the holder runs them in this order.
func (s *Slot) keep(d int, ns []entry.Entry) {
	slices.Reverse(ns) // the holder takes what it pushed last
	s.deques[d].PushAll(ns)
}
