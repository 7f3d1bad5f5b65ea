package taskgraph

import (
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/taskgraph/internal/waits"
)

// A cold is the part of a task that is looked at when it is built and when it runs. The
// builder writes it before the launch; the body is taken out by whoever runs or drops the
// task, the rest is reset by the node's next builder, because whoever queues the task may
// still read it when the task has been run early.
type cold struct {
	body  any
	props atomics.Pointer[props]
	waits waits.List             // the wait that the body is in
	run   atomics.Pointer[Graph] // of which it is the event

	special atomics.Bool // look at props
	edges   uint32       // used: prerequisites, then what holds the task open
	pending uint32       // of the prerequisites, those that were incomplete when added

	loop atomics.Uint64 // the generation of the last event for which the caller of a loop waited
}

// init resets what the node's last task left, for a new one that runs b: B1.
func (c *cold) init(b Body) {
	c.body = b.f
	c.edges, c.pending = 0, 0
	c.waits.Clear() // what unpublish left
	if c.run.Load() != nil {
		c.run.Store(nil)
	}
	if c.special.Load() {
		c.props.Load().clear()
		c.special.Store(false)
	}
}
