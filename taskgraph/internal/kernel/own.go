package kernel

import (
	"slices"

	"github.com/heddle-go/heddle/lockfree"
	"github.com/heddle-go/heddle/taskgraph/internal/entry"
)

// PopOwn takes the newest from the holder's own Normal deque.
func (k *Kernel) PopOwn(s *Slot) (entry.Entry, bool) { return s.deques[0].Pop() }

// PopIf takes n from the holder's own deque if the holder would take n next.
func (k *Kernel) PopIf(s *Slot, n entry.Entry) bool {
	for i := range s.deques {
		d := &s.deques[i]
		if m, ok := d.Newest(); ok && m == n {
			if _, ok = d.Pop(); ok { // else a thief has it
				return true
			}
		}
	}
	return k.sim != nil && k.sim.take(n)
}

// PopKind takes the newest entry of the holder's own Normal deque if it is of one of the kinds.
func (k *Kernel) PopKind(s *Slot, kinds ...entry.Kind) (entry.Entry, bool) {
	n, ok := s.deques[0].Pop()
	if !ok {
		return 0, false
	}
	if !slices.Contains(kinds, n.Kind()) {
		k.PutBack(s, n)
		return 0, false
	}
	return n, true
}

// Newest returns what PopOwn would take, and leaves it in the deque, where a thief may take it at
// any time.
func (k *Kernel) Newest(s *Slot) (entry.Entry, bool) { return s.deques[0].Newest() }

// PutBack queues an entry again that the holder took out only to look at.
func (k *Kernel) PutBack(s *Slot, n entry.Entry) {
	s.deques[0].Push(n)
	k.WakeOwn(s, Normal) // A5: whoever has looked meanwhile and found nothing may sleep now
}

// sinkMost is how many entries Sink passes at most.
const sinkMost = 32

// Sink moves the newest entry of the holder's own Normal deque below those before it, so many or
// fewer: the holder takes them first. Thieves may take any of them at any time.
func (k *Kernel) Sink(s *Slot, below int) {
	d := &s.deques[0]
	last, ok := d.Pop()
	if !ok {
		return
	}
	var some [sinkMost]entry.Entry
	n := 0
	for below = min(below, sinkMost); n < below; n++ {
		if some[n], ok = d.Pop(); !ok {
			break
		}
	}
	d.Push(last)
	for n--; n >= 0; n-- {
		d.Push(some[n])
	}
	k.WakeOwn(s, Normal) // A5, as in PutBack
}

// Queued returns how many entries lie in the holder's own Normal deque.
func (k *Kernel) Queued(s *Slot) int { return s.deques[0].Len() }

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
