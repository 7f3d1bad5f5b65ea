package taskgraph

import (
	"context"
	"time"

	"github.com/heddle-go/heddle/namedthread"
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

// bodyIn returns ctx if that is the Context of a body of the system, or nil.
func (s *System) bodyIn(ctx context.Context) *Context {
	if c, ok := ctx.(*Context); ok && c.r.sys == s {
		return c
	}
	return nil
}
