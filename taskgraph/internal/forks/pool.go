package forks

import (
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/paged"
	"github.com/heddle-go/heddle/lockfree"
	"github.com/heddle-go/heddle/taskgraph/internal/entry"
	"github.com/heddle-go/heddle/taskgraph/internal/kernel"
)

// batch is how many records are made at a time.
const batch = 32

// A Pool has all records of a system, and those that are free and in no stack. Its zero value has
// none.
type Pool[C, A any] struct {
	calls    paged.Table[[batch]*Call[C, A]]
	free     lockfree.Stack[*Call[C, A]]
	fresh    atomics.Uint32
	failures paged.Table[atomics.Pointer[error]]
	notes    paged.Table[kernel.Note[C]]
}

// At returns the record with a number that Call.Number has told.
func (p *Pool[C, A]) At(n uint32) *Call[C, A] { return p.calls.At(n / batch)[n%batch] }

// Note returns where k is noted while it runs, for whoever has taken it.
func (p *Pool[C, A]) Note(k *Call[C, A]) *kernel.Note[C] { return p.notes.Grow(k.Number()) }

// Fail notes why k failed, which its body waits for. Then Failure returns that until k is free.
//
//go:noinline // or each err of the caller would be allocated
func (p *Pool[C, A]) Fail(k *Call[C, A], err error) {
	p.failures.Grow(k.Number()).Store(&err)
	k.In = nil
}

// Failure returns why k failed, of which In is nil.
func (p *Pool[C, A]) Failure(k *Call[C, A]) error { return *p.failures.At(k.Number()).Load() }

// Get returns a free record for who has no stack.
func (p *Pool[C, A]) Get() *Call[C, A] {
	for {
		if k, ok := p.free.Pop(); ok {
			return k
		}
		for _, k := range p.More() {
			p.free.Push(k)
		}
	}
}

// Fill gives s free records.
func (p *Pool[C, A]) Fill(s *Stack[C, A]) {
	for range batch {
		k, ok := p.free.Pop()
		if !ok {
			break
		}
		k.n |= private
		s.calls = append(s.calls, k)
	}
	if !s.IsFull() {
		return
	}
	for _, k := range p.More() {
		k.n |= private
		s.calls = append(s.calls, k)
	}
}

// More returns new records, which are free.
func (p *Pool[C, A]) More() []*Call[C, A] {
	first := p.fresh.Add(1) - 1
	if first >= entry.Limit/batch {
		panic("taskgraph: more than 2^28 forks at a time")
	}
	places := p.calls.Grow(first)
	for i := range places {
		// One by one: of an array with pointers the elements need not begin where cache lines do.
		places[i] = &Call[C, A]{n: first*batch + uint32(i)}
	}
	return places[:]
}

// Free makes k free, which is in no stack and nobody else refers to. S is that of the caller's
// slot, or nil.
func (p *Pool[C, A]) Free(s *Stack[C, A], k *Call[C, A]) {
	if k.In == nil {
		p.failures.At(k.Number()).Store(nil)
	}
	k.F, k.In = nil, nil
	k.Join.Reset()
	if s == nil || !s.put(k) {
		p.free.Push(k)
	}
}
