package records

import (
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/paged"
	"github.com/heddle-go/heddle/lockfree"
	"github.com/heddle-go/heddle/taskgraph/internal/entry"
)

// A Pool is a set of records, each of which keeps its number and its address for ever. The zero
// Pool is empty and ready. Every method may be called by any goroutine, and is lock-free. Take
// allocates only while more records are in use than ever before.
type Pool[T any] struct {
	table paged.Table[T]
	free  lockfree.Stack[uint32]
	fresh atomics.Uint32
}

// Take returns a record that nobody uses, in the state in which it was put back, or new. It
// returns nil if as many are in use as entries can name, 2^28-1. The Put of a record happens
// before the Take that returns it.
func (p *Pool[T]) Take() (number uint32, record *T) {
	if number, ok := p.free.Pop(); ok {
		return number, p.table.At(number)
	}
	number = p.fresh.Add(1) - 1
	if number >= min(entry.Limit, paged.Most()) {
		p.fresh.Add(^uint32(0))
		return 0, nil
	}
	return number, p.table.Grow(number)
}

// At returns the record with that number, which Take has returned.
func (p *Pool[T]) At(number uint32) *T { return p.table.At(number) }

// Put gives back a record that its caller does not use any more.
func (p *Pool[T]) Put(number uint32) { p.free.Push(number) }

// All yields all records that existed when it was called, in use or not, and perhaps some made
// since.
func (p *Pool[T]) All(yield func(*T) bool) {
	for number := range min(p.fresh.Load(), entry.Limit) {
		// A record that is being made is not in use yet.
		if record := p.table.Get(number); record != nil && !yield(record) {
			return
		}
	}
}
