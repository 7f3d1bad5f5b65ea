package kernel

import (
	"slices"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/lockfree"
)

// At most so many shared tasks are taken at a time.
const sharedBatch = 32

// At most so many entries are stolen at a time.
const stealMost = 64

// oldest takes what has been in d, the deque of the caller, for the longest time.
func oldest(d *lockfree.Deque[graphevent.Node]) (graphevent.Node, bool) {
	if n, r := d.Steal(); r == lockfree.StealOK {
		return n, true
	}
	return d.Pop() // a thief was there first; there may be more
}

// takeSome takes Normal work that is shared, and the holder's part of what else there is: that goes into the
// holder's empty deque, where it is cheap to take and as much within reach of the others. The caller announces it.
func (k *Kernel) takeSome(s *Slot) (graphevent.Node, bool) {
	q := &k.shared[Normal]
	var some [sharedBatch]graphevent.Node
	part := min(q.Len()/len(k.base), sharedBatch-1)
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
func (s *Slot) keep(d int, ns []graphevent.Node) {
	slices.Reverse(ns) // the holder takes what it pushed last
	s.deques[d].PushAll(ns)
}
