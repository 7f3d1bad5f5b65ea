package taskgraph

import "github.com/heddle-go/heddle/taskgraph/internal/kernel"

// An idleCount counts what is incomplete, and has an event for when that is nothing.
type idleCount struct{ kernel.IdleCount[Event] }

func trigger(e Event) { e.Trigger() }

// done counts down by k.
func (c *idleCount) done(k int64) { c.Done(k, trigger) }

// event returns an event of s that completes when the count is zero. A fresh one gets the label.
func (c *idleCount) event(s *System, what func() *label) Event {
	e, _ := c.Event(func() Event {
		e := s.NewEvent()
		s.label(e, what())
		return e
	}, trigger)
	return e
}
