package capacity

import (
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/cacheline"
	"github.com/heddle-go/heddle/lockfree"
)

// A Sleeper is a goroutine that blocks.
type Sleeper interface {
	Sleep() // until it is woken; it may return earlier
	Wake()  // a wake that comes before Sleep is remembered
}

// A Capacity bounds how many things there may be at a time. Every method may be called by any
// goroutine; all but Take are lock-free. The Leave that makes room happens before the TryTake or
// Take that takes it. It allocates only when more waiters than ever before are queued at the same
// time: those of goroutines that block, and of those that found room meanwhile, until a Leave has
// passed them.
type Capacity struct {
	// README.md has the steps C1 to C6.

	limit   int64
	closed  atomics.Bool
	waiting atomics.Int32 // goroutines in Take, counted once they are queued
	queue   lockfree.Queue[*waiter]
	free    lockfree.Stack[*waiter]

	_ cacheline.Pad
	n atomics.Int64 // of the things
}

// A waiter represents a Sleeper, and is in the queue at most once. Whoever pops it wakes the
// sleeper, or frees the waiter if the sleeper is gone.
type waiter struct {
	sleeper Sleeper
	state   atomics.Uint32
}

const (
	queued uint32 = iota
	woken         // popped: the sleeper frees it, or queues it again
	gone          // the sleeper is gone: whoever pops the waiter frees it
)

// New returns a Capacity of limit things.
func New(limit int) *Capacity { return &Capacity{limit: int64(limit)} }

// TryTake counts one more thing if there is room.
func (c *Capacity) TryTake() bool {
	for {
		n := c.n.Load()
		if n >= c.limit {
			return false
		}
		if c.n.CompareAndSwap(n, n+1) { // C1
			return true
		}
	}
}

// Exceed counts one more thing even if there is no room.
func (c *Capacity) Exceed() { c.n.Add(1) }

// Leave counts one thing less. It is called once for each thing that was counted.
func (c *Capacity) Leave() {
	c.n.Add(-1) // C2
	c.wake()    // C3
}

// Len returns how many were counted at some past moment.
func (c *Capacity) Len() int { return int(c.n.Load()) }

// Waiting returns how many goroutines blocked at some past moment.
func (c *Capacity) Waiting() int { return int(c.waiting.Load()) }

// Close makes every Take that would block return, now and later.
func (c *Capacity) Close() {
	c.closed.Store(true)
	for c.wake() {
	}
}

// Take counts one more thing, and blocks as s until there is room. If there is no room and the
// Capacity is closed, it counts nothing and reports false.
func (c *Capacity) Take(s Sleeper) bool {
	w, ok := c.free.Pop()
	if !ok {
		w = new(waiter)
	}
	w.sleeper = s
	w.state.Store(queued)
	c.queue.Push(w)
	c.waiting.Add(1) // C4
	for {
		took := c.TryTake() // C5
		if took || c.closed.Load() {
			c.rise(w)
			return took
		}
		if w.state.Load() == woken { // and somebody else took the room
			w.state.Store(queued)
			c.queue.Push(w)
		} else {
			s.Sleep()
		}
	}
}

// rise ends the blocking of w.
func (c *Capacity) rise(w *waiter) {
	c.waiting.Add(-1)
	if w.state.CompareAndSwap(queued, gone) {
		return
	}
	c.free.Push(w)
	if c.n.Load() < c.limit {
		c.wake() // C6
	}
}

// wake makes the first waiter look again. It reports whether there was one.
func (c *Capacity) wake() bool {
	for c.waiting.Load() > 0 {
		w, ok := c.queue.Pop()
		if !ok {
			return false
		}
		s := w.sleeper
		if w.state.CompareAndSwap(queued, woken) {
			s.Wake()
			return true
		}
		c.free.Push(w)
	}
	return false
}
