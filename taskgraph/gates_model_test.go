//go:build modelcheck

package taskgraph_test

import (
	"context"
	"errors"
	"testing"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/stress/modelcheck"
	"github.com/heddle-go/heddle/taskgraph"
)

// An ending is a context that a thread of a model ends.
type ending struct {
	context.Context
	over atomics.Bool
	call atomics.Pointer[func()]
}

var never = make(chan struct{})

func newEnding() *ending { return &ending{Context: bg} }

func (c *ending) Done() <-chan struct{} { return never } // nobody receives from it

func (c *ending) Err() error {
	if c.over.Load() {
		return context.Canceled
	}
	return nil
}

// AfterFunc is what [context.AfterFunc] asks for. One call of it is pending at a time.
func (c *ending) AfterFunc(f func()) (stop func() bool) {
	c.call.Store(&f)
	stop = func() bool { return c.call.CompareAndSwap(&f, nil) }
	if c.over.Load() && stop() {
		atomics.Go(f)
	}
	return stop
}

func (c *ending) end() {
	c.over.Store(true)
	if f := c.call.Swap(nil); f != nil {
		(*f)()
	}
}

// TestModelGates: a unit that is handed to somebody who gives up at that moment is his or the next
// one's; no place is lost, and none is given twice.
func TestModelGates(t *testing.T) {
	one := taskgraph.Options{Workers: 1}
	free := func(m *modelcheck.Model, x *taskgraph.Semaphore, units int) {
		for i := range units {
			m.Assert(x.TryAcquire(), "%d of %d units are there", i, units)
		}
		m.Assert(!x.TryAcquire(), "there are more than %d units", units)
	}
	t.Run("gives up", func(t *testing.T) {
		within(t, 1, func(m *modelcheck.Model) {
			var x *taskgraph.Semaphore
			started(m, one, func(s *taskgraph.System) {
				x = s.NewSemaphore(1)
				x.TryAcquire()
			})
			ctx := newEnding()
			m.Thread(func() {
				if x.Acquire(ctx) == nil {
					m.Assert(!x.TryAcquire(), "the unit is given twice")
					x.Release()
				}
			})
			m.Thread(x.Release)
			m.Thread(ctx.end)
			m.After(func() { free(m, x, 1) })
		})
	})
	t.Run("the next one gets it", func(t *testing.T) {
		within(t, 0, func(m *modelcheck.Model) {
			var x *taskgraph.Semaphore
			started(m, one, func(s *taskgraph.System) {
				x = s.NewSemaphore(1)
				x.TryAcquire()
			})
			ctx := newEnding()
			m.Thread(func() {
				if x.Acquire(ctx) == nil {
					x.Release()
				}
			})
			m.Thread(func() {
				m.Assert(x.Acquire(bg) == nil, "it does not wait for the unit")
				x.Release()
			})
			m.Thread(func() {
				ctx.end()
				x.Release()
			})
			m.After(func() { free(m, x, 1) })
		})
	})
	t.Run("a task is next", func(t *testing.T) {
		within(t, 0, func(m *modelcheck.Model) {
			var x *taskgraph.Semaphore
			ran := false
			s := started(m, one, func(s *taskgraph.System) {
				x = s.NewSemaphore(1)
				x.TryAcquire()
			})
			ctx := newEnding()
			m.Thread(func() {
				if x.Acquire(ctx) == nil {
					x.Release()
				}
			})
			m.Thread(func() {
				s.Task(taskgraph.Do(func() {
					ran = true
					x.Release()
				})).Acquire(x).Launch()
			})
			m.Thread(func() {
				ctx.end()
				x.Release()
			})
			m.After(func() {
				m.Assert(ran, "the task has not run")
				free(m, x, 1)
			})
		})
	})
	// Tasks through a pipe and a limiter, of which one is cancelled.
	t.Run("a task is cancelled", func(t *testing.T) {
		within(t, 0, func(m *modelcheck.Model) {
			var p *taskgraph.Pipe
			var l *taskgraph.Limiter
			inside, ran := 0, 0
			var events [2]taskgraph.Event
			s := started(m, one, func(s *taskgraph.System) {
				p, l = s.NewPipe(), s.NewLimiter(1)
			})
			ctx := newEnding()
			launch := func(i int, t taskgraph.Task) {
				events[i] = t.In(p).Limit(l).Launch()
			}
			body := taskgraph.Run(func(c *taskgraph.Context) error {
				inside++
				m.Assert(inside == 1 && c.Place(l) == 0, "%d tasks are in a pipe", inside)
				ran++
				inside--
				return nil
			})
			m.Thread(func() { launch(0, s.Task(body).Context(ctx)) })
			m.Thread(func() { launch(1, s.Task(body)) })
			m.Thread(ctx.end)
			m.After(func() {
				m.Assert(events[1].Err() == nil && ran == 1+b2i(events[0].Err() == nil),
					"%d ran: %v, %v", ran, events[0].Err(), events[1].Err())
				m.Assert(p.Idle().IsComplete() && l.Idle().IsComplete(), "a task is still inside")
			})
		})
	})
}

// TestModelGatesMeanwhile: a task that is sent through gates while a shutdown gives up runs, or
// completes with ErrClosed; no gate counts it then, and its unit comes back at most once, as what
// stop has ended gives none back.
func TestModelGatesMeanwhile(t *testing.T) {
	meanwhile(t, func(m *modelcheck.Model) (begin, do, after func(s *taskgraph.System)) {
		ran := 0
		var x *taskgraph.Semaphore
		var p *taskgraph.Pipe
		var task taskgraph.Task
		return func(s *taskgraph.System) {
				x, p = s.NewSemaphore(1), s.NewPipe()
				task = s.Task(taskgraph.Do(func() {
					ran++
					x.Release()
				}))
			}, func(*taskgraph.System) {
				task.In(p).Acquire(x).Launch()
			}, func(*taskgraph.System) {
				err := task.Event().Err()
				m.Assert(task.Event().IsComplete(), "it is left: %v", task.Event().State())
				m.Assert(err == nil && ran == 1 || errors.Is(err, graphevent.ErrClosed) && ran == 0,
					"it ended with %v, and ran %d", err, ran)
				m.Assert(p.Idle() == taskgraph.Event{}, "the pipe still counts it")
				one, two := x.TryAcquire(), x.TryAcquire()
				m.Assert(!one || !two, "a unit has come back twice")
			}
	})
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}
