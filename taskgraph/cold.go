package taskgraph

import (
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/taskgraph/internal/waits"
)

// A cold is the part of a task that is used when it is built and when it runs. The builder writes
// it before the launch; whoever runs or drops the task takes the body out. The node's next builder
// resets the rest, because whoever queues the task may still read it after the task has been run
// early.
type cold struct {
	body  any
	props atomics.Pointer[props]
	waits waits.List             // the waits of the body
	run   atomics.Pointer[Graph] // the graph of which this is the run

	special atomics.Bool // look at props
	edges   uint32       // used: by prerequisites, then by holds
	pending uint32       // prerequisites that were incomplete when they were added

	// part is, as refOf has it, of an event for which the caller of a loop waits that event, and of
	// a helper of a loop the run of the graph of which the loop is a part.
	part atomics.Uint64
}

// init resets what the node's last task left, for a new task that runs b: B1.
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
