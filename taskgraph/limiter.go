package taskgraph

import (
	"fmt"
	"math"
)

// A Limiter is a [Pipe] in which at most so many tasks run at a time, each with a number that no
// other one has meanwhile, for what there is one of for each: a buffer, a connection. Make one with
// [System.NewLimiter].
type Limiter struct {
	gate *gate
	n    int
}

// NewLimiter returns a Limiter with n places, from 1 to 2^31-1.
func (s *System) NewLimiter(n int) *Limiter {
	if n < 1 || n > math.MaxInt32 {
		panic(fmt.Sprintf("taskgraph: NewLimiter with %d places", n))
	}
	return &Limiter{s.newGate(n, true, "limiter"), n}
}

// Limit makes the task one of l, see [Task.In].
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

// Place returns the number, below l.Places(), of the place that the running task has in l until it
// completes. It panics if that is not in l, or in a forked call.
func (c *Context) Place(l *Limiter) int {
	c.misused("Place")
	if p := c.passage; p != nil {
		for i := range p.Len() {
			if p.Gate(i) == l.gate {
				return int(p.Place(i))
			}
		}
	}
	panic("taskgraph: Place in a Limiter that the task is not in")
}
