package kernel

import (
	"slices"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/lockfree"
	"github.com/heddle-go/heddle/taskgraph/internal/entry"
)

const (
	sharedBatch = 32 // shared tasks that are taken at a time, at most
	sharedFew   = 8  // if there are fewer, it may pay to wait a moment
)

// A holder that has caught up with those who share work, and takes each task as it comes, takes the
// lines of the queue and the hints from them each time. So it pauses first, as long as there is more
// after that, and rarely if not.
const (
	batchPauses = 16
	batchPays   = 4   // so many tasks more are worth it
	batchRarely = 255 // times without between two with a pause, at most
)

// At most so many entries are stolen at a time.
const stealMost = 64

// oldest takes what has been in d, the deque of the caller, for the longest time.
func oldest(d *lockfree.Deque[entry.Entry]) (entry.Entry, bool) {
	if n, r := d.Steal(); r == lockfree.StealOK {
		return n, true
	}
	return d.Pop() // a thief was there first; there may be more
}

// takeSome takes Normal work that is shared, and the holder's part of what else there is: that goes into the
// holder's empty deque, where it is cheap to take and as much within reach of the others. The caller announces it.
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

// keep puts what the holder has taken into its deque d, which is empty, so that it runs it in this order.
func (s *Slot) keep(d int, ns []entry.Entry) {
	slices.Reverse(ns) // the holder takes what it pushed last
	s.deques[d].PushAll(ns)
}
