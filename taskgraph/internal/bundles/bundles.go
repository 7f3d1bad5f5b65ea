package bundles

import (
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/cacheline"
	"github.com/heddle-go/heddle/internal/paged"
	"github.com/heddle-go/heddle/lockfree"
)

// Bundles are the bundles of one slot.
//
// # Concurrency
//
// All methods are for the holder of the slot, who queues an entry when a method says so. What was
// done before a value is put in synchronizes before the return of the call that takes it out.
//
// # Progress
//
// Lock-free; Put and Top are wait-free.
//
// # Cost
//
// One read-modify-write for each Put and Top. Nothing is allocated once the pool has seen as many
// bundles.
type Bundles[Of, T any] struct {
	pool    *Pool[Of, T]
	current *Bundle[Of, T] // open for Put, or nil
	near    *Bundle[Of, T] // the bundle that was looked up last
	idle    *Bundle[Of, T] // a list
	idles   int            // its length

	_       cacheline.Pad
	emptied atomics.Pointer[Bundle[Of, T]] // a list of bundles that others have given back
}

// A Pool has the bundles and parcels of a system. Any goroutine may call its methods.
type Pool[Of, T any] struct {
	bundles paged.Table[*Bundle[Of, T]] // by number
	fresh   atomics.Uint32
	chains  lockfree.Stack[*Bundle[Of, T]] // idle ones, lists of bundleChain
	lone    lockfree.Stack[*Bundle[Of, T]] // idle ones without a home
	tagged  bool

	parcels     paged.Table[*Parcel[Of, T]] // by number
	freshParcel atomics.Uint32
	freeParcels lockfree.Stack[*Parcel[Of, T]]
}

// Tag has each value keep the tag, a number, that it is put with. It is called before anything
// else. Without it tags are dropped, and what is taken has the tag 0.
func (p *Pool[Of, T]) Tag() { p.tagged = true }

const (
	bundleChain = 16 // idle bundles that move between slots together

	// How many bundles there may be when one is made for a new call, and when calls that were
	// accepted before are divided, which must not be without one.
	forNew, forAll = 1 << 27, 1 << 28
)

// Use says which pool the slot's bundles come from, before anything else is called.
func (s *Bundles[Of, T]) Use(p *Pool[Of, T]) { s.pool = p }

// At returns the bundle with that number.
func (s *Bundles[Of, T]) At(number uint32) *Bundle[Of, T] {
	if s.near == nil || s.near.number != number {
		s.near = *s.pool.bundles.At(number)
	}
	return s.near
}

// Put adds v to the open bundle if that belongs to of and has a place.
func (s *Bundles[Of, T]) Put(of *Of, v T, tag uint64) bool {
	b := s.current
	return b != nil && b.of.Load() == of && b.put(v, tag)
}

// Open opens a bundle that belongs to of and holds v, for Put. The caller queues its entry.
func (s *Bundles[Of, T]) Open(of *Of, v T, tag uint64) *Bundle[Of, T] {
	b := s.take(forNew)
	b.of.Store(of)
	b.open(v, tag)
	s.current = b
	return b
}

// Fill returns a bundle that belongs to of and holds vs, at most BundleSize values, with tags if
// there are any; the first is taken first. The caller queues its entry.
func (s *Bundles[Of, T]) Fill(of *Of, vs []T, tags []uint64) *Bundle[Of, T] {
	b := s.take(forAll)
	b.of.Store(of)
	b.fill(vs, tags)
	return b
}

// Top takes the newest value of b, whose entry was the newest of the holder's deque when the holder
// looked. If b has another home or holds only one value, Top takes nothing: the holder has to pop
// the entry.
func (s *Bundles[Of, T]) Top(b *Bundle[Of, T]) (v T, tag uint64, ok bool) {
	if b.home.Load() != s {
		return v, 0, false
	}
	return b.takeTop()
}

// Take takes a value of b, whose entry the holder has popped. At home it takes the newest value,
// and more says that the entry must be queued again. Elsewhere it takes the oldest value, and rest,
// in buf, holds the others, the oldest first; their tags are in tags, as many as have room. Unless
// more, unused is the number of places that no Put has used.
func (s *Bundles[Of, T]) Take(b *Bundle[Of, T], buf []T, tags []uint64) (v T, tag uint64, rest []T,
	more bool, unused int) {
	if b.home.Load() == s {
		v, tag, left, unused := b.takeOwn()
		if left > 0 {
			return v, tag, nil, true, 0
		}
		s.keep(b)
		return v, tag, nil, false, unused
	}
	rest, tag, unused = b.takeAll(buf[:0], tags)
	b.giveBack(s.pool)
	return rest[0], tag, rest[1:], false, unused
}

// TakeBack takes back the bundles that others have emptied. Methods that need bundles call it; a
// holder that will need none for a while calls it so that other slots get them.
func (s *Bundles[Of, T]) TakeBack() {
	if s.emptied.Load() == nil {
		return
	}
	for b := s.emptied.Swap(nil); b != nil; { // B11
		next := b.next
		s.keep(b)
		b = next
	}
}

// take returns an idle bundle, whose home is s, unless more than most would be in use.
func (s *Bundles[Of, T]) take(most uint32) *Bundle[Of, T] {
	if s.idle == nil {
		s.TakeBack()
	}
	if s.idle == nil {
		s.idle, s.idles = s.pool.chain(s, most), bundleChain
	}
	b := s.idle
	s.idle, b.next = b.next, nil
	s.idles--
	return b
}

// keep keeps b, which is idle and whose home is s. If there are too many it passes some to the
// pool.
func (s *Bundles[Of, T]) keep(b *Bundle[Of, T]) {
	if s.current == b {
		s.current = nil
	}
	b.of.Store(nil)
	if s.idles == 2*bundleChain {
		last := s.idle
		for range bundleChain - 1 {
			last = last.next
		}
		chain := s.idle
		s.idle, last.next = last.next, nil
		s.idles -= bundleChain
		s.pool.chains.Push(chain)
	}
	b.next, s.idle = s.idle, b
	s.idles++
}

// giveBack gives the emptied bundle b back to its home.
func (b *Bundle[Of, T]) giveBack(p *Pool[Of, T]) {
	home := b.home.Load()
	b.of.Store(nil) // home may sleep for long, and b would keep the owner alive
	if home == nil {
		p.lone.Push(b)
		return
	}
	for {
		b.next = home.emptied.Load()
		if home.emptied.CompareAndSwap(b.next, b) {
			return
		}
	}
}

// chain returns a list of bundleChain idle bundles, and makes home their home.
func (p *Pool[Of, T]) chain(home *Bundles[Of, T], most uint32) *Bundle[Of, T] {
	first, ok := p.chains.Pop()
	if !ok {
		first = p.grow(BundleSize, most)
	}
	for b := first; b != nil; b = b.next {
		b.home.Store(home)
	}
	return first
}

// grow makes bundleChain bundles with that many places each, and panics if there would be more than
// most.
func (p *Pool[Of, T]) grow(places int, most uint32) *Bundle[Of, T] {
	n := p.fresh.Add(bundleChain) - bundleChain
	if n >= most/(paged.Limit/paged.Most()) {
		p.fresh.Add(^uint32(bundleChain - 1)) // else the numbers would begin again in the end
		panic("taskgraph: more than 2^27 bundles of calls at a time")
	}
	var first *Bundle[Of, T]
	for i := range uint32(bundleChain) {
		// Chains mix over time: bundles that are made together may get different homes.
		b := cacheline.New[Bundle[Of, T]]()
		b.number, b.values, b.next = n+bundleChain-1-i, make([]T, places), first
		if p.tagged {
			b.tags = new([BundleSize]uint64)
		}
		*p.bundles.Grow(b.number) = b
		first = b
	}
	return first
}

// Lone returns a bundle without a home that holds only v, to a caller without a slot, who queues
// its entry. The value is a new one, or accepted before.
func (p *Pool[Of, T]) Lone(of *Of, v T, tag uint64, accepted bool) *Bundle[Of, T] {
	b, ok := p.lone.Pop()
	if !ok {
		most := uint32(forNew)
		if accepted {
			most = forAll
		}
		b = p.grow(1, most)
		for more := b.next; more != nil; {
			next := more.next
			more.next = nil
			p.lone.Push(more)
			more = next
		}
		b.next = nil
	}
	b.of.Store(of)
	b.fill([]T{v}, []uint64{tag})
	return b
}

// DropLone takes back the bundle with that number, which Lone returned and nobody queued.
func (p *Pool[Of, T]) DropLone(number uint32) {
	b := *p.bundles.At(number)
	b.takeAll(make([]T, 0, 1), nil)
	b.giveBack(p)
}
