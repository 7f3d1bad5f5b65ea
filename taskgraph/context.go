package taskgraph

import (
	"context"
	"time"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/namedthread"
	"github.com/heddle-go/heddle/taskgraph/internal/kernel"
)

// A Context is what a running body knows of its task and its place. It is valid until the
// body returns, and only on the goroutine that runs the body. As a context.Context it is
// done when the system gives up on its tasks; it has no deadline and no values.
type Context struct {
	r  *runner
	ev Event

	ctx      context.Context // of the task, or nil
	prio     Priority
	reported bool   // a failure of the body is returned elsewhere
	fork     uint32 // the forked call that this is the Context of, or 0
	forks    uint32 // calls that the body forked and did not wait for: the last of a list
	depth    int32  // forked calls of the body that run in place
}

var _ context.Context = (*Context)(nil)

// Deadline implements context.Context: there is none.
func (c *Context) Deadline() (time.Time, bool) { return time.Time{}, false }

// Done implements context.Context.
func (c *Context) Done() <-chan struct{} { return c.r.sys.ctx.Done() }

// Err implements context.Context.
func (c *Context) Err() error { return c.r.sys.ctx.Err() }

// Value implements context.Context: there is none.
func (c *Context) Value(any) any { return nil }

// System returns the system that runs the task.
func (c *Context) System() *System { return c.r.sys }

// Event returns the task's own event.
func (c *Context) Event() Event { return c.ev }

// Worker returns the number of the slot that the body runs on, and -1 on a named thread. The
// workers are numbered from 0; higher numbers are slots that stand in for blocked ones. A
// wait may change it.
func (c *Context) Worker() int {
	if c.r.thread != nil {
		return -1
	}
	return c.r.Slot().Index()
}

// Thread returns the named thread that the body runs on, or nil on a worker.
func (c *Context) Thread() *namedthread.Thread { return c.r.thread }

// Go launches f as a task and returns its event. A launch by a running body is accepted also
// during a shutdown, which waits for it.
func (c *Context) Go(f func()) Event { return c.Spawn(Do(f)) }

// Spawn launches a task that runs b and has no prerequisite, and returns its event. It is
// the cheapest launch.
func (c *Context) Spawn(b Body) Event {
	s, o := c.r.sys, c.r.owner()
	if o == nil {
		n := s.store.Acquire(nil)
		s.done.Add(-1)
		s.launches.Add(1)
		s.colds.At(uint32(n)).init(b)
		e := s.store.Start(n, 0)
		if !s.late(n) {
			s.kern.Inject(n, kernel.Normal)
		}
		return e
	}
	n := s.store.Acquire(&o.slot.Cache)
	s.colds.At(uint32(n)).init(b)
	e := s.store.Start(n, 0)
	o.launched++
	s.kern.Push(o.slot, n, kernel.Normal)
	s.kern.Wake(kernel.Normal)
	return e
}

// Task begins a task, like [System.Task]. Only this body may build and launch it.
func (c *Context) Task(b Body) Task {
	s, o := c.r.sys, c.r.owner()
	var n graphevent.Node
	if o == nil {
		n = s.store.Acquire(nil)
		s.done.Add(-1)
		s.launches.Add(1)
	} else {
		n = s.store.Acquire(&o.slot.Cache)
		o.launched++
	}
	s.colds.At(uint32(n)).init(b)
	return Task{sys: s, ev: s.store.Hold(n, 0), in: c}
}

// DontCompleteUntil delays the completion of the running task, not its body, until events
// have completed. It may be called many times. If one of them fails, the task fails, unless
// its body does. It panics if the task's own event is among them.
func (c *Context) DontCompleteUntil(events ...Event) {
	c.misused("DontCompleteUntil")
	s, n := c.r.sys, c.ev.Node()
	cold := s.colds.At(uint32(n))
	for _, e := range events {
		if e == c.ev {
			panic("taskgraph: DontCompleteUntil of a task on itself")
		}
		s.store.HoldOpen(n, cold.edges, e)
		cold.edges++
	}
	s.newEdge()
}
