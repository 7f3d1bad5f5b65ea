package sleepevent

import (
	"runtime"
	"time"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/park"
	"github.com/heddle-go/heddle/internal/spin"
)

// A Signal is an auto-reset event for one waiter: Trigger sets it, a wait that returns has
// reset it. At most one trigger is pending; further ones are the same one.
//
// The zero value is an event that is not set and waits as ParkOS does. A Signal must not be
// copied after first use.
//
// # Concurrency
//
// Trigger may be called by any number of goroutines at any time. Wait, WaitTimeout and Reset
// are for one goroutine at a time; a second waiter that is caught panics. A Trigger
// synchronizes before the return of the wait, or the Reset, that it sets free, and so does
// one that found the event set.
//
// # Progress
//
// Trigger is wait-free, save for the kernel call that wakes a waiter; if that one waits in the Go
// scheduler, it takes a mutex that is never held over a wait. Wait blocks without a time limit.
// With ParkOS and more than one processor it stays awake before it sleeps, for 50 µs at most and
// less where that does not pay, and sleeps at once if goroutines want its processor: it never
// yields, so a goroutine locked to an OS thread may wait here.
//
// # Cost
//
// One read-modify-write for a Trigger that wakes nobody and for a wait that finds the event set;
// else a kernel call each, or a mutex where the waiter is in the Go scheduler, and for the wait
// three read-modify-writes more, with ParkGo one. Nothing allocates, except a WaitTimeout that has
// to wait on a sync.Cond.
//
// With ParkOS, on a platform that waits in the kernel, a waiter occupies an OS thread. Of all
// Signals of a program at most 1,024 wait in this way at a time; who comes later waits in the Go
// scheduler, which wakes it less quickly, so that any number of goroutines may wait. The workers of
// a Group come on top of these.
//
// # Linearizability
//
// Linearizable to a flag.
type Signal struct {
	p      park.Parker
	park   Park
	budget spin.Budget // for the waiter
}

// NewSignal returns a Signal with o.Park; the other options do not concern it. It panics if
// an option is out of range.
func NewSignal(o Options) *Signal {
	s := &Signal{park: o.validate().Park}
	s.p.Init(modes[s.park])
	return s
}

// Trigger sets the event and wakes the waiter if there is one. It reports whether there was.
func (s *Signal) Trigger() (woke bool) { return s.p.Unpark() }

// Wait returns when the event is set, and resets it.
func (s *Signal) Wait() {
	if !s.p.TryPark() {
		s.wait(-1)
	}
}

// WaitTimeout is Wait with a time limit: it returns false if the event was not set within d.
// With d not positive it does not wait, but takes an event that is set all the same.
func (s *Signal) WaitTimeout(d time.Duration) bool {
	return s.p.TryPark() || d > 0 && s.wait(d)
}

// wait waits until the event is set, or for d; d < 0: without limit.
func (s *Signal) wait(d time.Duration) bool {
	defer explain()
	if s.park != ParkOS {
		return s.sleep(d)
	}
	spinning := spin.Wait{Budget: &s.budget, Leaves: true}
	if s.spin(&spinning, d) {
		return true
	}
	s.p.Init(park.Enter())
	defer park.Leave()
	if d > 0 {
		if d -= time.Duration(spinning.Took()); d <= 0 {
			return s.p.TryPark()
		}
	}
	ok := s.sleep(d)
	if spinning.IsOver() {
		end := s.p.Woken()
		if !ok || end < spinning.Now() {
			end = atomics.Now() // no waker, or it has not noted the time yet
		}
		spinning.SleptUntil(end)
	}
	return ok
}

// sleep is the rest of wait, after the spinning.
func (s *Signal) sleep(d time.Duration) bool {
	if d < 0 {
		s.p.Park()
		return true
	}
	return s.p.ParkTimeout(d)
}

// sleepCosts is what a sleep costs, in nanoseconds; a waiter spins no longer than that.
const sleepCosts = 50_000

// spin stays awake as w, and reports whether the event was set meanwhile, which resets it. In a
// model it looks only once, since further looks are the same step.
func (s *Signal) spin(w *spin.Wait, d time.Duration) bool {
	if runtime.GOMAXPROCS(0) == 1 || atomics.Modeled() {
		return false
	}
	if s.budget.Time() == 0 { // the first wait
		s.budget.Init(sleepCosts, sleepCosts/16)
	}
	for !w.IsOver() {
		switch {
		case s.p.TryPark():
			return true
		case !w.Pause(1):
		case w.IsWanted() || d > 0 && w.Took() >= int64(d):
			w.Stop(false)
		case w.IsSpent():
			w.Stop(true)
		}
	}
	return false
}

// explain replaces a panic of the parker by one in the words of this package.
func explain() {
	if r := recover(); r == park.SecondWaiter {
		panic("sleepevent: two goroutines wait on one Signal")
	} else if r != nil {
		panic(r)
	}
}

// Reset resets the event and reports whether it was set.
func (s *Signal) Reset() bool { return s.p.Reset() }
