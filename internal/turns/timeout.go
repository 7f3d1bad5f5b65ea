package turns

import (
	"context"
	"time"
)

// WithTimeout is context.WithTimeout with virtual time. The context tells the deadline that it is
// given, as a Scheduler knows no date.
func (s *Scheduler) WithTimeout(parent context.Context, d time.Duration,
	deadline time.Time) (context.Context, context.CancelFunc) {
	inner, cancel := context.WithCancelCause(parent)
	t := s.AfterFunc(int64(d), func() { cancel(context.DeadlineExceeded) })
	return &timeout{Context: inner, deadline: deadline}, func() {
		t.Stop()
		cancel(nil)
	}
}

// A timeout is a context that ends by virtual time.
type timeout struct {
	context.Context
	deadline time.Time
}

// Deadline implements context.Context.
func (c *timeout) Deadline() (time.Time, bool) {
	if d, ok := c.Context.Deadline(); ok && d.Before(c.deadline) {
		return d, true
	}
	return c.deadline, true
}

// Err implements context.Context.
func (c *timeout) Err() error {
	err := c.Context.Err()
	if err != nil && context.Cause(c.Context) == context.DeadlineExceeded {
		return context.DeadlineExceeded
	}
	return err
}
