package turns

import (
	"fmt"
	"math"
	"slices"

	"github.com/heddle-go/heddle/internal/atomics"
)

// A Timer is something that happens at a given time.
type Timer struct {
	s     *Scheduler
	when  int64
	order uint64
	actor *Actor // it expires
	f     func() // or this is called
}

// Now returns the virtual time, in nanoseconds since the beginning; of a nil Scheduler that of a
// monotonic clock.
func (s *Scheduler) Now() int64 {
	if s == nil {
		return atomics.Now()
	}
	return s.now
}

func (s *Scheduler) newTimer(d int64) *Timer {
	when := s.now + max(d, 0)
	if when < s.now {
		when = math.MaxInt64
	}
	s.created++
	t := &Timer{s: s, when: when, order: s.created}
	s.timers = append(s.timers, t)
	return t
}

// AfterFunc calls f, as an actor of its own, when d nanoseconds have passed.
func (s *Scheduler) AfterFunc(d int64, f func()) *Timer {
	t := s.newTimer(d)
	t.f = f
	return t
}

// Stop keeps the timer from going off, and reports whether it has.
func (t *Timer) Stop() bool {
	for i, other := range t.s.timers {
		if other == t {
			t.s.timers = slices.Delete(t.s.timers, i, i+1)
			return true
		}
	}
	return false
}

// advance moves the time to the next timer. The timers that are due then can go off in any order.
func (s *Scheduler) advance() bool {
	if len(s.timers) == 0 {
		return false
	}
	s.now = slices.MinFunc(s.timers, func(a, b *Timer) int {
		switch {
		case a.when < b.when:
			return -1
		case a.when > b.when:
			return 1
		}
		return 0
	}).when
	if s.trace != nil {
		s.Note(fmt.Sprintf("the time is %d ns", s.now))
	}
	s.timers = slices.DeleteFunc(s.timers, func(t *Timer) bool { // oldest first
		if t.when > s.now {
			return false
		}
		if t.actor != nil {
			t.actor.expired = true
			s.Ready(t.actor)
		} else {
			s.Go(false, func() string { return "a timer" }, t.f)
		}
		return true
	})
	return true
}
