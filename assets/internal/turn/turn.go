package turn

import (
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/lockfree"
)

// A Turn does what it is given one at a time, in the order given. Make one with New.
//
// Any goroutine may call Put, also what is being done. What was done before a Put synchronizes
// before the doing of it, and that before the doing of the next.
//
// Put is lock-free, but for what start does, and never does anything itself.
type Turn[T any] struct {
	// The one whose Add takes open from 0 to 1 starts the only Drain that there is until its Add
	// takes open back to 0:
	//
	//	U1 open is at most the number of things in the queue, plus one while Drain does one: a
	//	   thing is pushed before it is counted, and taken off the count when it is done. So a
	//	   Drain finds one whenever open is above 0.
	//	U2 There is a Drain, or one has been started, exactly while open is above 0.
	queue lockfree.Queue[T]
	open  atomics.Int64
	do    func(T)
	start func()
}

// New returns a Turn that does things by do, and has start see to it that Drain is called once,
// soon, by some goroutine.
func New[T any](do func(T), start func()) *Turn[T] { return &Turn[T]{do: do, start: start} }

// Put gives the Turn something to do.
func (t *Turn[T]) Put(v T) {
	t.queue.Push(v)
	if t.open.Add(1) == 1 { // U2
		t.start()
	}
}

// Drain does what there is to do. It is for what start calls.
func (t *Turn[T]) Drain() {
	for {
		v, _ := t.queue.Pop() // U1: there is one
		t.do(v)
		if t.open.Add(-1) == 0 { // U2
			return
		}
	}
}

// Idle reports whether there was nothing to do at some moment.
func (t *Turn[T]) Idle() bool { return t.open.Load() == 0 }
