package turns

import (
	"context"
	"slices"

	"github.com/heddle-go/heddle/internal/atomics"
)

// An end is a function to be called when a context has ended.
type end struct {
	ctx  context.Context
	f    func()
	over bool
}

// OnEnd calls f, as an actor of its own, once ctx has ended; like context.AfterFunc, except that
// the end is noticed when an actor gives its turn away. Stop keeps f from being called, and reports
// whether it has. On a nil Scheduler it is context.AfterFunc.
func (s *Scheduler) OnEnd(ctx context.Context, f func()) (stop func() bool) {
	if s == nil {
		return afterEnd(ctx, f)
	}
	if ctx.Done() == nil {
		return func() bool { return true }
	}
	e := &end{ctx: ctx, f: f}
	s.ends = append(s.ends, e)
	return func() bool {
		if e.over {
			return false
		}
		e.over = true
		s.ends = slices.DeleteFunc(s.ends, func(x *end) bool { return x == e })
		return true
	}
}

func afterEnd(ctx context.Context, f func()) (stop func() bool) {
	if atomics.Modeled() { // there context.AfterFunc would start a goroutine that nobody orders
		if c, ok := ctx.(interface {
			AfterFunc(f func()) (stop func() bool)
		}); ok {
			return c.AfterFunc(f)
		}
	}
	return context.AfterFunc(ctx, f)
}
