package taskgraph

import "github.com/heddle-go/heddle/taskgraph/internal/counts"

// An idleCount counts what is incomplete, and has an event that completes when nothing is.
type idleCount struct{ counts.IdleCount }

func (c *idleCount) done(s *System, k int64) {
	c.Done(k, func(ref uint64) { s.eventOf(ref).Trigger() })
}

// event returns an event of s that completes when the count is zero. A fresh one gets the label.
func (c *idleCount) event(s *System, what func() *label) Event {
	ref, ok := c.Event(func() uint64 {
		e := s.NewEvent()
		s.label(e, what())
		return refOf(e)
	}, func(ref uint64) { s.eventOf(ref).Trigger() })
	if !ok {
		return Event{}
	}
	return s.eventOf(ref)
}
