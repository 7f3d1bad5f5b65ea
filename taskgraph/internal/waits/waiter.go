package waits

import (
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/park"
	"github.com/heddle-go/heddle/lockfree"
)

// A Waiter is what a goroutine sleeps on that is no worker, with the Wait that it shows. The End of
// that wakes it.
type Waiter struct {
	Wait
	*park.Parker
	older *Waiter
	idle  *lockfree.Stack[*Waiter]
}

// Free gives w back. A wake that comes later finds w in another wait, which looks again.
func (w *Waiter) Free() { w.idle.Push(w) }

// Sleep parks, now or not at all if End has been called.
func (w *Waiter) Sleep() { w.Park() }

// Wake ends a Sleep.
func (w *Waiter) Wake() { w.End() }

// Waiters are those of a system. The zero value has none. Any goroutine may call its methods.
type Waiters struct {
	idle [2]lockfree.Stack[*Waiter] // of the mode park.OS, and of others
	last atomics.Pointer[Waiter]    // the last one made; none is ever dropped
}

// Idle returns one that parks in the given mode and that nobody uses, if there is any.
func (s *Waiters) Idle(mode park.Mode) (*Waiter, bool) { return s.idle[min(mode, 1)].Pop() }

// Add adds one that the caller uses, with a parker of the given mode that wake unparks.
func (s *Waiters) Add(mode park.Mode, p *park.Parker, wake func()) *Waiter {
	w := &Waiter{Wait: Wait{End: wake}, Parker: p, idle: &s.idle[min(mode, 1)]}
	for {
		w.older = s.last.Load()
		if s.last.CompareAndSwap(w.older, w) {
			return w
		}
	}
}

// All yields all, whether anybody uses them or not.
func (s *Waiters) All(yield func(*Waiter) bool) {
	for w := s.last.Load(); w != nil && yield(w); w = w.older {
	}
}
