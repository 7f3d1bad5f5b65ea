package kernel

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
// All methods are for the holder of the slot. An entry is queued by him whenever one of them says so. What was done before
// a value is put in synchronizes before the return of what takes it out.
//
// # Progress
//
// Lock-free; Put and Top are wait-free.
//
// # Cost
//
// One read-modify-write for each Put and Top. Nothing is allocated once the pool has seen as many bundles.
type Bundles[Of, T any] struct {
	pool    *BundlePool[Of, T]
	current *Bundle[Of, T] // open for Put, or nil
	near    *Bundle[Of, T] // the last that was looked up
	idle    *Bundle[Of, T] // a list
	idles   int            // its length

	_       cacheline.Pad
	emptied atomics.Pointer[Bundle[Of, T]] // a list of those that others have given back
}

// A BundlePool has the bundles of a system. Any goroutine may call its methods.
type BundlePool[Of, T any] struct {
	bundles paged.Table[*Bundle[Of, T]] // by number
	fresh   atomics.Uint32
	chains  lockfree.Stack[*Bundle[Of, T]] // idle ones, lists of bundleChain
	lone    lockfree.Stack[*Bundle[Of, T]] // idle ones without a home
}

const (
	bundleChain = 16 // so many idle bundles go about between slots together
	maxBundles  = 1 << 27
)

// Use says which pool the slot's bundles come from, before anything else is called.
func (s *Bundles[Of, T]) Use(p *BundlePool[Of, T]) { s.pool = p }

// At returns the bundle with that number.
func (s *Bundles[Of, T]) At(number uint32) *Bundle[Of, T] {
	if s.near == nil || s.near.number != number {
		s.near = *s.pool.bundles.At(number)
	}
	return s.near
}

// Put adds v to the bundle that is open, if that is of's and has a place.
func (s *Bundles[Of, T]) Put(of *Of, v T) bool {
	b := s.current
	return b != nil && b.of.Load() == of && b.put(v)
}

// Open opens a bundle of of with the value v, for Put. The caller queues its entry.
func (s *Bundles[Of, T]) Open(of *Of, v T) *Bundle[Of, T] {
	b := s.take()
	b.of.Store(of)
	b.open(v)
	s.current = b
	return b
}

// Fill returns a bundle of of with the values vs, BundleSize at most, of which the first is to be taken first. The caller
// queues its entry.
func (s *Bundles[Of, T]) Fill(of *Of, vs []T) *Bundle[Of, T] {
	b := s.take()
	b.of.Store(of)
	b.fill(vs)
	return b
}

// Top takes the newest value of b, whose entry is what the holder would pop, or was when he looked. It takes nothing, and
// the entry is to be popped, if the bundle has another home or that value is the last.
func (s *Bundles[Of, T]) Top(b *Bundle[Of, T]) (v T, ok bool) {
	if b.home.Load() != s {
		return v, false
	}
	return b.takeTop()
}

// Take takes a value of b, whose entry the holder has popped. If the slot is home that is the newest, and more says that
// the entry is to be queued again. If not, it is the oldest, and rest, in buf, are the others, the oldest
// first. Unless there is more, so many places for a Put were not used.
func (s *Bundles[Of, T]) Take(b *Bundle[Of, T], buf []T) (v T, rest []T, more bool, unused int) {
	if b.home.Load() == s {
		v, left, unused := b.takeOwn()
		if left > 0 {
			return v, nil, true, 0
		}
		s.keep(b)
		return v, nil, false, unused
	}
	rest, unused = b.takeAll(buf[:0])
	b.giveBack(s.pool)
	return rest[0], rest[1:], false, unused
}

// TakeBack takes those bundles of which others have taken all. Any Bundles method that needs some does so; a holder that
// will need none for a while lets others have them that way.
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

// take returns an idle bundle, whose home is s.
func (s *Bundles[Of, T]) take() *Bundle[Of, T] {
	if s.idle == nil {
		s.TakeBack()
	}
	if s.idle == nil {
		s.idle, s.idles = s.pool.chain(s), bundleChain
	}
	b := s.idle
	s.idle, b.next = b.next, nil
	s.idles--
	return b
}

// keep keeps b, which is idle and whose home is s, or lets others have it.
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

// giveBack lets the home of b, of which all was taken, have it back.
func (b *Bundle[Of, T]) giveBack(p *BundlePool[Of, T]) {
	home := b.home.Load()
	b.of.Store(nil) // home may sleep for long, and would keep it alive
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

// chain returns a list of bundleChain idle bundles, whose home becomes home.
func (p *BundlePool[Of, T]) chain(home *Bundles[Of, T]) *Bundle[Of, T] {
	first, ok := p.chains.Pop()
	if !ok {
		first = p.grow(BundleSize)
	}
	for b := first; b != nil; b = b.next {
		b.home.Store(home)
	}
	return first
}

// grow makes bundleChain bundles with so many places each.
func (p *BundlePool[Of, T]) grow(places int) *Bundle[Of, T] {
	n := p.fresh.Add(bundleChain) - bundleChain
	if n >= maxBundles {
		panic("taskgraph: more than 2^27 bundles of calls at a time")
	}
	var first *Bundle[Of, T]
	for i := range uint32(bundleChain) {
		// Chains mix, so that those made together get different homes.
		b := cacheline.New[Bundle[Of, T]]()
		b.number, b.values, b.next = n+bundleChain-1-i, make([]T, places), first
		*p.bundles.Grow(b.number) = b
		first = b
	}
	return first
}

// Lone returns a bundle without a home, of a single place, that holds v, to somebody who holds no slot. The caller queues its entry.
func (p *BundlePool[Of, T]) Lone(of *Of, v T) *Bundle[Of, T] {
	b, ok := p.lone.Pop()
	if !ok {
		b = p.grow(1)
		for more := b.next; more != nil; {
			next := more.next
			more.next = nil
			p.lone.Push(more)
			more = next
		}
		b.next = nil
	}
	b.of.Store(of)
	b.fill([]T{v})
	return b
}

// DropLone takes the bundle with that number back, which Lone has returned and nobody has queued.
func (p *BundlePool[Of, T]) DropLone(number uint32) {
	b := *p.bundles.At(number)
	b.takeAll(make([]T, 0, 1))
	b.giveBack(p)
}
