package assets

import (
	"fmt"
	"runtime/debug"
	"time"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/atomics"
)

// A flight is the way of one item through the pipes of a Pipeline. It belongs to whoever brings it
// on: the pipe's task, or what it waits for.
type flight struct {
	p     *Pipeline
	it    *Item
	pipes []Pipe // as the plan was when it began
	at    int    // the pipe that comes next, or runs

	attempts int // of that pipe
	need     int64
	has      int64 // bytes of the budget
	begin    int   // the pipe at which need was asked for
	want     int64 // what Reserve could not have
	since    time.Time

	begun  atomics.Bool          // a pipe has run
	number atomics.Uint64        // odd while it waits: Q1
	lane   atomics.Pointer[lane] // where it waits; nil: for the budget
}

// claim takes a flight out of the queues if it waits there under that number: Q2.
func (f *flight) claim(number uint64) bool { return f.number.CompareAndSwap(number, number+1) }

// size returns the most that the pipes from the one at f.at on say to need, up to Dependencies or
// the end. It may be called by the turn, so a panic of theirs ends no more than the flight.
func (f *flight) size() (n int64, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &graphevent.PanicError{Value: v, Stack: debug.Stack()}
		}
	}()
	for i := f.at; i < len(f.pipes) && !f.pipes[i].awaits; i++ {
		if bytes := f.pipes[i].Bytes; bytes != nil {
			n = max(n, bytes(f.it))
		}
	}
	return n, nil
}

// reserve is Item.Reserve.
func (f *flight) reserve(n int64) error {
	switch {
	case n <= f.has:
		return nil
	case n > f.p.budget.max:
		f.want = 0
		return fmt.Errorf("%w: %d bytes of %d in all", ErrBudget, n, f.p.budget.max)
	case f.p.budget.try(n - f.has):
		f.has = n
		return nil
	}
	f.want = n
	return ErrBudget
}

// rewind takes a flight back to where it asked for bytes, to ask for what it wants.
func (f *flight) rewind() {
	f.p.budget.give(f)
	f.it.life.m.closeValue(f.it.ID, f.it.Value)
	f.it.Data, f.it.Value, f.it.Size, f.it.Children = nil, nil, 0, nil
	f.at, f.attempts = f.begin, 0
	f.need, f.want = f.want, 0
}
