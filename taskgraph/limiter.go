package taskgraph

import (
	"fmt"
	"math"
)

// A Limiter lets at most so many of its tasks run at a time, and gives each a number that no other
// one has meanwhile, for what there is one of for each place: a buffer, a connection. For the rest
// it is like a [Pipe]. Make one with [System.NewLimiter].
type Limiter struct {
	gate *gate
	n    int
}

// NewLimiter returns a Limiter with n places for tasks of the system. It panics if n is not from 1
// to 2^31-1.
func (s *System) NewLimiter(n int) *Limiter {
	if n < 1 || n > math.MaxInt32 {
		panic(fmt.Sprintf("taskgraph: NewLimiter with %d places", n))
	}
	return &Limiter{s.newGate(n, true, "limiter"), n}
}

// Limit makes the task one of l. It panics if l is of another system, or if the task is in l
// already. See [Task.In] for tasks with several gates.
func (t Task) Limit(l *Limiter) Task {
	if l == nil {
		panic("taskgraph: Limit of a nil Limiter")
	}
	return t.through(l.gate, "Limit")
}

// Places returns the number of places.
func (l *Limiter) Places() int { return l.n }

// Idle is like [Pipe.Idle].
func (l *Limiter) Idle() Event { return l.gate.idleEvent() }

// Place returns the number of the place that the running task has in l, from 0 to l.Places()-1.
// Until the task completes, no other one of l has it. It panics if the task is not in l, and inside
// a forked call.
func (c *Context) Place(l *Limiter) int {
	c.misused("Place")
	if c.passage != nil {
		for _, h := range c.passage.holds {
			if h.g == l.gate {
				return int(h.place)
			}
		}
	}
	panic("taskgraph: Place in a Limiter that the task is not in")
}
