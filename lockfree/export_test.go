package lockfree

import (
	"reflect"

	"github.com/heddle-go/heddle/internal/atomics"
)

// The hooks of the tests: containers whose counters are about to wrap and whose segments are
// tiny, and calls that stopped half way.

// NewQueueAt returns a Queue whose first position is base and whose segments hold size values.
func NewQueueAt[T any](base uint64, size int) *Queue[T] {
	q := new(Queue[T])
	setUp(q, base, size)
	return q
}

func setUp[T any](q *Queue[T], base uint64, size int) {
	s := newSegment[T](base, size, size)
	q.head.Store(s)
	q.tail.Store(s)
}

// NewPriorityQueueAt is NewPriorityQueue with levels as NewQueueAt makes them.
func NewPriorityQueueAt[T any](levels int, base uint64, size int) *PriorityQueue[T] {
	q := NewPriorityQueue[T](levels)
	for i := range q.levels {
		setUp(&q.levels[i], base, size)
	}
	return q
}

// PopLevel pops from one level.
func (q *PriorityQueue[T]) PopLevel(level int) (v T, ok bool) { return q.levels[level].Pop() }

// NewStackAt returns a Stack whose counts of takings start at count.
func NewStackAt[T any](count uint64) *Stack[T] {
	s := new(Stack[T])
	s.head.Store(count << indexBits)
	s.free.Store(count << indexBits)
	return s
}

// Takings returns the counts of takings of the stack and of its free list.
func (s *Stack[T]) Takings() (head, free uint64) {
	return s.head.Load() >> indexBits, s.free.Load() >> indexBits
}

// Nodes returns the number of nodes ever made.
func (s *Stack[T]) Nodes() int { return int(s.nodes.fresh.Load()) }

// Exhaust makes the stack believe that all its nodes are in use.
func (s *Stack[T]) Exhaust() { s.nodes.fresh.Store(maxNodes) }

// A StalledTake is a Pop that stopped before its swap.
type StalledTake struct {
	head *atomics.Uint64
	h, n uint64
}

// StallTake begins a Pop and stops before the swap.
func (s *Stack[T]) StallTake() StalledTake {
	h := s.head.Load()
	return StalledTake{&s.head, h, h&^indexMask +
		takeOne | uint64(s.nodes.at(uint32(h&indexMask)).next.Load())}
}

// Swap goes on, and reports whether the swap succeeded.
func (t StalledTake) Swap() bool { return t.head.CompareAndSwap(t.h, t.n) }

// NewRingAt returns a Ring whose positions start after the given number of laps; that of a
// negative number wraps after so many.
func NewRingAt[T any](capacity int, laps int64) *Ring[T] {
	r := NewRing[T](capacity)
	start := uint64(laps) * r.lap
	r.tail.Store(start)
	r.head.Store(start)
	for i := range r.places {
		r.places[i].stamp.Store(start + uint64(i))
	}
	return r
}

// StallPush begins a TryPush of a Ring that has room and stops after its claim; fill goes on.
func (r *Ring[T]) StallPush() (fill func(v T)) {
	t := r.tail.Load()
	r.tail.Store(r.after(t, 1))
	return func(v T) {
		p := &r.places[t&(r.lap-1)]
		p.value = v
		p.stamp.Store(t + 1)
	}
}

// StallPop begins a TryPop of a Ring that is not empty and stops after its claim; take goes on.
func (r *Ring[T]) StallPop() (take func() T) {
	h := r.head.Load()
	r.head.Store(r.after(h, 1))
	return func() T {
		p := &r.places[h&(r.lap-1)]
		v := p.value
		p.stamp.Store(h + r.lap)
		return v
	}
}

// RingFull asks full about a position of tail, as a TryPush does that read it some time ago.
func (r *Ring[T]) RingFull(t uint64) bool { return r.full(t, 0) }

// RingEmpty asks empty about a position of head.
func (r *Ring[T]) RingEmpty(h uint64) bool { return r.empty(h, 0) }

// Positions returns head and tail.
func (r *Ring[T]) Positions() (head, tail uint64) { return r.head.Load(), r.tail.Load() }

// NewSPSCRingAt returns an SPSCRing whose positions start at pos.
func NewSPSCRingAt[T any](capacity int, pos uint64) *SPSCRing[T] {
	r := NewSPSCRing[T](capacity)
	r.tail.Store(pos)
	r.head.Store(pos)
	r.headSeen, r.tailSeen = pos, pos
	return r
}

// NewSPSCQueueAt returns an SPSCQueue whose count of values starts at pos.
func NewSPSCQueueAt[T any](pos uint64) *SPSCQueue[T] {
	q := new(SPSCQueue[T])
	q.tail.Store(pos)
	q.tailSeen, q.head = pos, pos
	return q
}

// Segments returns the number of segments that the SPSCQueue holds on to.
func (q *SPSCQueue[T]) Segments() (n int) {
	s := q.read
	if s == nil {
		s = q.first
	}
	for ; s != nil; s = s.next {
		n++
	}
	if q.spare.Load() != nil {
		n++
	}
	return n
}

// NewDequeAt returns a Deque whose positions start at pos.
func NewDequeAt[T ~uint32 | ~uint64 | ~uintptr](pos uint64) *Deque[T] {
	d := new(Deque[T])
	d.top.Store(past(pos, 0))
	d.bottom.Store(pos)
	d.topSeen = pos
	return d
}

// Slots returns the length of the buffer.
func (d *Deque[T]) Slots() int { return len(d.slots) }

// A StalledSteal is a Steal that stopped before its swap.
type StalledSteal[T ~uint32 | ~uint64 | ~uintptr] struct {
	d *Deque[T]
	t uint64
	v T
}

// StallSteal begins a Steal of a Deque that is not empty and stops before the swap.
func (d *Deque[T]) StallSteal() StalledSteal[T] {
	t := d.top.Load()
	slots := *d.buffer.Load()
	return StalledSteal[T]{d, t, T(slots[t&uint64(len(slots)-1)].Load())}
}

// Swap goes on, and returns what the Steal would.
func (s StalledSteal[T]) Swap() (v T, r StealResult) {
	if !s.d.top.CompareAndSwap(s.t, past(s.t, 1)) {
		return 0, StealRetry
	}
	return s.v, StealOK
}

// StallPop begins a Pop of a Deque that holds at least two elements and stops after it has
// lowered bottom; look goes on.
func (d *Deque[T]) StallPop() (look func() (T, bool)) {
	b := d.bottom.Load() - 1
	d.bottom.Store(b)
	return func() (T, bool) {
		return d.popSlow(b, d.top.Load())
	}
}

// StallStealN makes the first swap of a StealN of a Deque that holds more than two elements, and
// stops after it; more goes on and returns how many more it takes. Those are in buf then.
func (d *Deque[T]) StallStealN(buf []T) (v T, more func() int) {
	t := d.top.Load()
	slots := *d.buffer.Load()
	v = T(slots[t&uint64(len(slots)-1)].Load())
	if !d.top.CompareAndSwap(t, past(t, 1)|raid) {
		panic("lockfree: StallStealN lost a race")
	}
	return v, func() int { return d.stealMore(past(t, 1)|raid, buf) }
}

// StallStealMore is StallStealN, but stops before the second swap, of n elements.
func (d *Deque[T]) StallStealMore(n uint64) (more func() bool) {
	t := past(d.top.Load(), 1) | raid
	if !d.top.CompareAndSwap(d.top.Load(), t) {
		panic("lockfree: StallStealMore lost a race")
	}
	return func() bool { return d.top.CompareAndSwap(t, past(t, n)) }
}

// Raided reports whether a raid may be under way.
func (d *Deque[T]) Raided() bool { return d.top.Load()&raid != 0 }

// NewPointerDequeAt returns a PointerDeque whose positions start at pos.
func NewPointerDequeAt[T any](pos uint64) *PointerDeque[T] {
	d := new(PointerDeque[T])
	d.top.Store(pos)
	d.bottom.Store(pos)
	d.topSeen = pos
	return d
}

// Slots returns the length of the buffer, and Kept how many slots are not nil.
func (d *PointerDeque[T]) Slots() int { return len(d.slots) }

// Kept is described with Slots.
func (d *PointerDeque[T]) Kept() (n int) {
	for i := range d.slots {
		if d.slots[i].Load() != nil {
			n++
		}
	}
	return n
}

// A StalledPointerSteal is a Steal that stopped before its swap.
type StalledPointerSteal[T any] struct {
	d *PointerDeque[T]
	t uint64
	p *T
}

// StallSteal begins a Steal of a PointerDeque that is not empty and stops before the swap.
func (d *PointerDeque[T]) StallSteal() StalledPointerSteal[T] {
	t := d.top.Load()
	slots := *d.buffer.Load()
	return StalledPointerSteal[T]{d, t, slots[t&uint64(len(slots)-1)].Load()}
}

// Swap goes on, and returns what the Steal would.
func (s StalledPointerSteal[T]) Swap() (p *T, r StealResult) {
	if !s.d.top.CompareAndSwap(s.t, s.t+1) {
		return nil, StealRetry
	}
	return s.p, StealOK
}

// StallPop begins a Pop of a PointerDeque that holds at least two elements and stops after it
// has lowered bottom; look goes on.
func (d *PointerDeque[T]) StallPop() (look func() (*T, bool)) {
	b := d.bottom.Load() - 1
	d.bottom.Store(b)
	return func() (*T, bool) {
		if t := d.top.Load(); int64(b-t) <= 0 {
			return d.popRace(b, t)
		}
		slot := &d.slots[b&uint64(len(d.slots)-1)]
		p := slot.Load()
		slot.Store(nil)
		return p, true
	}
}

// StallPush begins a Push and stops after its claim; fill goes on and reports whether the
// place was still its own. The last segment must have a place left.
func (q *Queue[T]) StallPush() (fill func(v T) bool) {
	s := q.tail.Load()
	i := s.enq.Add(1) - 1
	return func(v T) bool {
		s.cells[i].value = v
		if s.cells[i].state.CompareAndSwap(cellEmpty, cellFull) {
			return true
		}
		var zero T
		s.cells[i].value = zero
		return false
	}
}

// StallPop begins a Pop that saw a value which another Pop then took, and stops after its
// claim; look goes on and returns what it finds there. The first segment must have a place
// left.
func (q *Queue[T]) StallPop() (look func() (T, bool)) {
	s := q.head.Load()
	i := s.deq.Add(1) - 1
	return func() (v T, ok bool) {
		if !awaitFull(&s.cells[i].state) {
			return v, false
		}
		v = s.cells[i].value
		var zero T
		s.cells[i].value = zero
		return v, true
	}
}

// StallAppend does what a Push at the end of the last segment does, but for moving tail on.
func (q *Queue[T]) StallAppend(v T) {
	s := q.tail.Load()
	next := newSegment[T](s.base+uint64(len(s.cells)), s.limit, s.limit)
	next.cells[0].value = v
	next.cells[0].state.Store(cellFull)
	next.enq.Store(1)
	if !s.next.CompareAndSwap(nil, next) {
		panic("lockfree: StallAppend lost a race")
	}
}

// Claimed is claimed.
func (q *Queue[T]) Claimed() uint64 { return q.claimed() }

// Segments returns the number of segments that the Queue holds on to.
func (q *Queue[T]) Segments() (n int) {
	for s := q.head.Load(); s != nil; s = s.next.Load() {
		n++
	}
	return n
}

// NewIndexQueueAt returns an IndexQueue whose positions start at pos, with a ring of 1<<shift
// slots, which does not grow beyond limit.
func NewIndexQueueAt[T ~uint32](pos uint64, shift uint8, limit int) *IndexQueue[T] {
	q, r := new(IndexQueue[T]), newIndexRing(shift, limit)
	r.head.Store(pos)
	r.tail.Store(pos)
	r.headSeen.Store(pos)
	for i := range r.slots {
		p := pos + uint64(i)
		r.slot(p).Store(r.lap(p - uint64(len(r.slots))))
	}
	q.rings.head.Store(r)
	q.rings.tail.Store(r)
	return q
}

// StallPush begins a Push to a ring with room and stops after its value is there.
func (q *IndexQueue[T]) StallPush(v T) {
	r := q.rings.tail.Load()
	for t := r.tail.Load(); ; t++ {
		if slot := r.slot(t); r.ahead(slot.Load(), t) >= indexLap {
			slot.Store(r.lap(t) | uint64(v))
			return
		}
	}
}

// StallClose begins a Push to a full ring and stops when that is closed.
func (q *IndexQueue[T]) StallClose() {
	if q.rings.tail.Load().push(0) != ringClosed {
		panic("lockfree: StallClose of a ring that is not full")
	}
}

// StallAppend does what a Push to a closed ring does, but for moving tail on.
func (q *IndexQueue[T]) StallAppend(v T) {
	r := newIndexRing(q.rings.tail.Load().shift, 1)
	r.slots[0].Store(indexLap | uint64(v))
	r.tail.Store(1)
	if !q.rings.tail.Load().next.CompareAndSwap(nil, r) {
		panic("lockfree: StallAppend lost a race")
	}
}

// Rings returns the lengths of the rings from head on.
func (q *IndexQueue[T]) Rings() (lengths []int) {
	for r := q.rings.head.Load(); r != nil; r = r.next.Load() {
		lengths = append(lengths, len(r.slots))
	}
	return lengths
}

// Pages returns the number of pages that the list holds on to.
func (l *ClosableList[T]) Pages() (n int) {
	for i := range l.nodes.pages {
		if l.nodes.pages[i].Load() != nil {
			n++
		}
	}
	return n
}

// NewStallingQueueAt returns a StallingQueue whose count of takings of free nodes starts at count.
func NewStallingQueueAt[T any](count uint64) *StallingQueue[T] {
	q := new(StallingQueue[T])
	q.free.Store(count << indexBits)
	return q
}

// Locate is locate, and FirstPage and MaxNodes describe the arena.
func Locate(index uint32) (page int, place uint32) { return locate(index) }

const (
	FirstPage = firstPage // see Locate
	MaxNodes  = maxNodes  // see Locate
	PageCount = pageCount // see Locate
)

// RaidMost is how many elements the second swap of a StealN takes at most.
const RaidMost = raidMost

// The layout of words that wrap.
const (
	TakingsLimit = 1 << (64 - indexBits) // takings count modulo this
)

// WordBytes is the size of a shared word, which is larger where the model checker sees it.
var WordBytes = int64(reflect.TypeFor[atomics.Uint64]().Size())
