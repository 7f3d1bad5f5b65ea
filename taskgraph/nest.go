package taskgraph

import "github.com/heddle-go/heddle/graphevent"

// Nest launches a task that is part of the running one, which completes when its body has returned
// and all its nested tasks have completed, and fails if one of them does, unless its body does. A
// nested task may nest further ones. Whoever waits for the whole can run those that have not
// started. It panics where more than 2^22-2 would hold the task open.
func (c *Context) Nest(b Body) Event {
	c.misused("Nest")
	b.must()
	if c.r.sys.store.Reasons(c.ev) >= graphevent.MaxEdges { // before a task exists
		panic("taskgraph: Nest of more than 2^22-2 tasks at a time")
	}
	t := c.Task(b)
	c.DontCompleteUntil(t.ev)
	return t.Launch()
}
