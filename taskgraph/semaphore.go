package taskgraph

import (
	"context"
	"fmt"
	"math"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/taskgraph/internal/entry"
)

// A Semaphore has a number of units. A task takes one before it starts ([Task.Acquire]), or a
// goroutine at any time, in the order in which they asked, tasks when they became ready; anybody
// gives it back by hand. Make one with [System.NewSemaphore]. Any goroutine may use it.
//
// A unit belongs to the body: a task that does not start gives it back by itself, a body that
// panics has to, by a defer. Tasks take several in the order in which these were made (see
// [Task.In]); bodies have to keep to an order themselves.
type Semaphore struct {
	gate  *gate
	taken atomics.Int64
}

// An acquirer represents a goroutine in the queue of a semaphore: GA5.
type acquirer struct {
	state atomics.Uint32
	ev    Event // triggered when it has got a unit
}

const (
	semWaiting uint32 = iota
	semGot            // the goroutine frees the record
	semGone           // the goroutine has given up: whoever pops the entry frees the record
)

// NewSemaphore returns a Semaphore with n units, from 1 to 2^31-1, all free.
func (s *System) NewSemaphore(n int) *Semaphore {
	if n < 1 || n > math.MaxInt32 {
		panic(fmt.Sprintf("taskgraph: NewSemaphore with %d units", n))
	}
	m := &Semaphore{gate: s.newGate(n, false, "semaphore")}
	m.gate.sem = m
	return m
}

// Acquire makes the task take a unit of m before it starts, see [Task.In]; if the body begins,
// nothing gives that back but [Semaphore.Release]. It panics if the task takes a unit of m already.
func (t Task) Acquire(m *Semaphore) Task {
	if m == nil {
		panic("taskgraph: Acquire of a nil Semaphore")
	}
	return t.through(m.gate, "Acquire")
}

// Release gives a unit back. Anybody may call it. It panics if none is taken.
func (m *Semaphore) Release() {
	for {
		n := m.taken.Load()
		must(n > 0, "Release of a Semaphore of which no unit is taken")
		if m.taken.CompareAndSwap(n, n-1) {
			break
		}
	}
	m.gate.leave(0, nil)
}

// TryAcquire takes a unit if one is free and nobody waits for it.
func (m *Semaphore) TryAcquire() bool {
	if _, ok := m.gate.places.TryTake(); !ok {
		return false
	}
	m.taken.Add(1)
	return true
}

// Acquire takes a unit, and blocks until there is one. If ctx ends before, it returns the cause of
// that, and ErrClosed if the system gives up on its tasks. It allocates if it must wait. A body
// calls [Context.Acquire].
func (m *Semaphore) Acquire(ctx context.Context) error { return m.acquire(ctx, nil) }

// Acquire is [Semaphore.Acquire] in a body, whose worker goes to others.
func (c *Context) Acquire(ctx context.Context, m *Semaphore) error {
	if m.gate.sys != c.r.sys {
		panic("taskgraph: Acquire with one of another system")
	}
	return m.acquire(ctx, c)
}

func (m *Semaphore) acquire(ctx context.Context, c *Context) error {
	if ctx.Err() != nil {
		return m.gate.sys.causeOf(ctx)
	}
	if m.TryAcquire() {
		return nil
	}
	s := m.gate.sys
	ev := s.NewEvent()
	x, w := s.acquirers.Take()
	if w == nil {
		ev.Trigger()
		panic("taskgraph: more than 2^28 goroutines in Semaphore.Acquire")
	}
	s.label(ev, &label{name: "Acquire of " + m.gate.String(), gate: m.gate, unit: true})
	w.ev = ev
	w.state.Store(semWaiting)
	m.gate.enter(entry.Of(entry.Acquirer, x), nil)
	over := false
	defer func() {
		if !over { // the wait has panicked, for want of room
			m.leave(x, w)
		}
	}()
	err := graphevent.ErrClosed
	if !s.abandoned.Load() { // else the shutdown may have missed ev
		err = s.waitIn(ctx, c, ev)
	}
	over = true
	if err != nil && w.state.CompareAndSwap(semWaiting, semGone) {
		ev.Trigger()
		return err
	}
	s.acquirers.Put(x)
	return nil
}

// leave ends the wait of w, whose number is x. If it has got a unit it gives that back.
func (m *Semaphore) leave(x uint32, w *acquirer) {
	if w.state.CompareAndSwap(semWaiting, semGone) {
		w.ev.Trigger()
		return
	}
	m.gate.sys.acquirers.Put(x)
	m.Release()
}

// admit tells the goroutine of waiter x that it has a unit, and reports false if that has given up.
func (m *Semaphore) admit(x uint32) bool {
	all := &m.gate.sys.acquirers
	w := all.At(x)
	ev := w.ev
	m.taken.Add(1)
	if !w.state.CompareAndSwap(semWaiting, semGot) {
		m.taken.Add(-1)
		all.Put(x)
		return false
	}
	ev.Trigger()
	return true
}
