package taskgraph

import "github.com/heddle-go/heddle/internal/atomics"

// An idleCount counts what is incomplete, and has an event for when that is nothing.
type idleCount struct {
	n    atomics.Int64
	idle atomics.Pointer[idleEvent] // a list, triggered when there is nothing; nil: nobody asked
}

// An idleEvent is one that somebody has asked for. There is more than one only if an end had to be taken back.
type idleEvent struct {
	Event
	older *idleEvent
}

// done counts down by k.
func (c *idleCount) done(k int64) {
	if c.n.Add(-k) == 0 && c.idle.Load() != nil {
		c.end()
	}
}

// end triggers the events if the count is zero. Who brought it to zero may be late: meanwhile somebody may have counted up and
// have asked for an event. So the events are taken out first: whoever has one of them got it before that, and if the count is zero after it,
// all that he had counted by then has ended. If it is not, they are put back, and the count is looked at again after that, as
// whoever brings it to zero looks for them.
func (c *idleCount) end() {
	for {
		first := c.idle.Swap(nil)
		if first == nil {
			return
		}
		if c.n.Load() == 0 {
			for e := first; e != nil; e = e.older {
				e.Trigger()
			}
			return
		}
		last := first
		for last.older != nil {
			last = last.older
		}
		for {
			last.older = c.idle.Load()
			if c.idle.CompareAndSwap(last.older, first) {
				break
			}
		}
		if c.n.Load() != 0 {
			return
		}
	}
}

// event returns an event of s that completes when the count is zero. A fresh one gets the label.
func (c *idleCount) event(s *System, what func() *label) Event {
	for c.n.Load() != 0 {
		e := c.idle.Load()
		if e == nil {
			e = &idleEvent{Event: s.NewEvent()}
			s.label(e.Event, what())
			if !c.idle.CompareAndSwap(nil, e) {
				e.Trigger()
				continue
			}
		}
		// Whoever brings the count to zero looks here after that; if that was before, do it
		// instead.
		if c.n.Load() == 0 {
			c.end()
		}
		return e.Event
	}
	return Event{}
}
