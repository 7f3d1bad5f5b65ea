package taskgraph

import "github.com/heddle-go/heddle/internal/atomics"

// An idleCount counts what is incomplete, and has an event for when that is nothing.
type idleCount struct {
	n    atomics.Int64
	idle atomics.Pointer[Event] // triggered when there is nothing; nil: nobody asked
}

// done counts down by k.
func (c *idleCount) done(k int64) {
	if c.n.Add(-k) == 0 && c.idle.Load() != nil {
		if e := c.idle.Swap(nil); e != nil {
			e.Trigger()
		}
	}
}

// event returns an event of s that completes when the count is zero. A fresh one gets the label.
func (c *idleCount) event(s *System, what func() *label) Event {
	for c.n.Load() != 0 {
		e := c.idle.Load()
		if e == nil {
			fresh := s.NewEvent()
			s.label(fresh, what())
			if !c.idle.CompareAndSwap(nil, &fresh) {
				fresh.Trigger()
				continue
			}
			e = &fresh
		}
		// Whoever brings the count to zero looks here after that; if that was before, do it
		// instead.
		if c.n.Load() == 0 && c.idle.CompareAndSwap(e, nil) {
			e.Trigger()
		}
		return *e
	}
	return Event{}
}
