package kernel

import (
	"slices"

	"github.com/heddle-go/heddle/lockfree"
	"github.com/heddle-go/heddle/taskgraph/internal/entry"
)

// At most so many shared tasks are taken at a time.
const sharedBatch = 32

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
	part := min(q.LenUpTo(sharedBatch*len(k.base))/len(k.base), sharedBatch-1)
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
