package taskgraph

import (
	"context"
	"time"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/namedthread"
	"github.com/heddle-go/heddle/taskgraph/internal/entry"
	"github.com/heddle-go/heddle/taskgraph/internal/flight"
)

// A Context is what a running body knows of its task and its place. It is valid until the body
// returns, and only on the goroutine that runs the body.
//
// As a context.Context it is done when the system gives up on its tasks, and has the deadline, the
// end and the values of the context of the task ([Task.Context]). A context derived from it ends
// with the body.
type Context struct {
	r  *runner
	ev Event

	ctx      context.Context // of the task, or nil
	merged   *merged         // made of ctx when it is first needed
	prio     Priority
	passage  *passage // of a task with gates
	reported bool     // a failure of the body is returned elsewhere
	again    bool     // the body runs again when it has returned
	lent     bool     // the body has a slot while it has forks, see enterFor
	fork     *fork    // the forked call that this is the Context of, or nil
	traced   bool     // the beginning of the body is recorded, and its end is not
	forks    *fork    // calls that the body has forked and not waited for: the last of a list
	depth    int32    // forked calls of the body that run in place
	node     uint32   // the task of graph that this is the Context of
	graph    *Graph
	group    *Group      // whose call this is the Context of, or nil
	lone     Participant // the body as the only participant of a short loop
	recorded flight.Key  // of a forked call, or a call of a group, that is recorded
	holds    []Event     // what DontCompleteUntil was called with by a task of a graph
}

var _ context.Context = (*Context)(nil)

// Deadline implements context.Context.
func (c *Context) Deadline() (time.Time, bool) {
	if c.ctx == nil {
		return time.Time{}, false
	}
	return c.ctx.Deadline()
}

// Done implements context.Context.
func (c *Context) Done() <-chan struct{} {
	if !c.ends() {
		return c.r.sys.ctx.Done()
	}
	return c.merge().Done()
}

// Err implements context.Context.
func (c *Context) Err() error {
	if c.merged != nil {
		return c.merged.Err()
	}
	if c.ctx != nil {
		if err := c.ctx.Err(); err != nil {
			return err
		}
	}
	return c.r.sys.ctx.Err()
}

// Value implements context.Context.
func (c *Context) Value(key any) any {
	if c.merged != nil {
		return c.merged.Value(key)
	}
	if c.ctx != nil {
		if v := c.ctx.Value(key); v != nil {
			return v
		}
	}
	return c.r.sys.ctx.Value(key) // where package context finds what it keeps
}

// System returns the system that runs the task.
func (c *Context) System() *System { return c.r.sys }

// Event returns the task's own event.
func (c *Context) Event() Event { return c.ev }

// Worker returns the number of the slot that the body runs on, or -1: on a thread that does not
// take part, and inside Blocking. Workers are numbered from 0; higher numbers stand in for blocked
// ones or belong to callers (see [System.Run]). A wait may change it.
func (c *Context) Worker() int {
	if !c.r.onSlot() {
		return -1
	}
	return c.r.Slot().Index()
}

// Thread returns the named thread that the body runs on, or nil. A task that is not bound to a
// thread runs on one if that waits for it.
func (c *Context) Thread() *namedthread.Thread { return c.r.namedThread() }

// Priority returns the priority of the running task. What the body launches, forks and loops over
// has it too, unless it is given another.
func (c *Context) Priority() Priority { return c.prio }

// Go launches f as a task and returns its event.
func (c *Context) Go(f func()) Event { return c.Spawn(Do(f)) }

// Spawn launches b without prerequisites and returns its event: the cheapest way.
func (c *Context) Spawn(b Body) Event {
	b.must()
	s, o := c.r.sys, c.r.o
	if o == nil || c.ctx != nil || c.prio != PriorityNormal || s.detour {
		return c.Task(b).Launch()
	}
	n := s.store.Acquire(&o.slot.Cache)
	s.colds.At(uint32(n)).init(b)
	e := s.store.Start(n, 0)
	o.launched++
	if s.log != nil {
		s.traceLaunch(o, c, e, flight.LaunchNow)
	}
	s.kern.Spawn(o.slot, entry.OfTask(n))
	return e
}

// Task begins a task, as [System.Task] does, with the priority of the running one. Only this body
// may build and launch it.
func (c *Context) Task(b Body) Task {
	b.must()
	if s := c.r.sys; s.detour {
		return s.takeDetour(c, b)
	}
	return c.beginTask(b)
}

func (c *Context) beginTask(b Body) Task {
	s, o := c.r.sys, c.r.o
	var n graphevent.Node
	if o == nil {
		n = s.store.Acquire(nil)
		s.door.Report(-1)
		s.launches.Add(1)
	} else {
		n = s.store.Acquire(&o.slot.Cache)
		o.launched++
	}
	cold := s.colds.At(uint32(n))
	cold.init(b)
	if c.ctx != nil {
		cold.propsOf().ctx = c.ctx
	}
	e := s.store.Hold(n, 0)
	if c.prio != PriorityNormal {
		cold.propsOf().setPriority(e, c.prio)
	}
	return Task{sys: s, ev: e, in: c}
}

// Wait is [Context.WaitUntilTasksComplete] with the Context itself.
func (c *Context) Wait(events ...Event) error { return c.WaitUntilTasksComplete(c, events...) }

// DontCompleteUntil delays the completion of the running task, not its body, until events have
// completed; it may be called many times. If one of them fails, the task fails, unless its body
// does. It panics at the task's own event, and where more than 2^22-2 would hold the task open.
func (c *Context) DontCompleteUntil(events ...Event) {
	c.misused("DontCompleteUntil")
	s, n := c.r.sys, c.ev.Node()
	cold := s.colds.At(uint32(n))
	if c.r.lane != nil {
		c.r.traceHold(c, events)
	}
	for _, e := range events {
		if e == c.ev {
			panic("taskgraph: DontCompleteUntil of a task on itself")
		}
		if c.graph != nil {
			c.holds = append(c.holds, e)
			continue
		}
		s.hold(n, cold, e)
	}
	s.newEdge()
}
