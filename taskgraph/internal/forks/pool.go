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

// A Pool finds all records of a system, and has the free ones that are in no stack. The zero Pool
// has none.
type Pool[C, A any] struct {
	calls    paged.Table[[batch]*Call[C, A]]
	free     lockfree.Stack[*Call[C, A]]
	fresh    atomics.Uint32
	failures paged.Table[atomics.Pointer[error]]
	notes    paged.Table[kernel.Note[C]]
}

// At returns the record with a number that Call.Number has returned.
func (p *Pool[C, A]) At(n uint32) *Call[C, A] { return p.calls.At(n / batch)[n%batch] }

// Note returns the note of k, for whoever has taken k and runs it.
func (p *Pool[C, A]) Note(k *Call[C, A]) *kernel.Note[C] { return p.notes.Grow(k.Number()) }

// Fail notes why k failed, for which its body waits. Failure returns that until k is freed.
//
//go:noinline // inlined, it would make each err of the caller escape
func (p *Pool[C, A]) Fail(k *Call[C, A], err error) {
	p.failures.Grow(k.Number()).Store(&err)
	k.In = nil
}

// Failure returns why k failed; the In of k is nil.
func (p *Pool[C, A]) Failure(k *Call[C, A]) error { return *p.failures.At(k.Number()).Load() }

// Get returns a free record, for a caller without a stack.
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
	if first >= min(entry.Limit, paged.Most())/batch {
		p.fresh.Add(^uint32(0)) // else the numbers would begin again in the end
		panic("taskgraph: more than 2^28 forks at a time")
	}
	places := p.calls.Grow(first)
	for i := range places {
		// One by one: the elements of an array with pointers need not be aligned to cache lines.
		places[i] = &Call[C, A]{n: first*batch + uint32(i)}
	}
	return places[:]
}

// Free frees k, which is in no stack and to which nobody else refers. s is the stack of the
// caller's slot, or nil.
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
