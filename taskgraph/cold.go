package taskgraph

import (
	"context"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/namedthread"
	"github.com/heddle-go/heddle/taskgraph/internal/flight"
	"github.com/heddle-go/heddle/taskgraph/internal/promotion"
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

// A props has the properties that few tasks need. The first task on a node that needs one allocates
// it, and it stays with the node for later tasks. The builder writes it before the launch. Fields
// that others read while the task is incomplete are atomic.
//
// Every field has its zero value unless the builder of the node's task has set it: init sees
// to that. The rank is the exception: it knows for which task it was set.
type props struct {
	name    atomics.Pointer[string]
	thread  atomics.Pointer[namedthread.Thread]
	own     atomics.Bool // runs on a thread of its own
	request              // of OnID

	rank promotion.Rank // the priority

	ctx context.Context // the task does not start once it has ended

	room     [1]Event // the first memory of again
	again    []Event  // what else the next round waits for; written by the body
	repeated bool     // the task is in its second round, or a later one
	spare    uint32   // for HoldAgain

	recorded flight.Name // name, as a recorder has it
	rounds   uint64      // that have ended, if they are recorded

	choice *choice // what the body has to choose from

	near   uint32   // 1 + the worker that should run it, or 0
	inline bool     // whoever makes it ready runs it
	prio   Priority // of the body of an inline task, whose rank is where it is queued

	passage atomics.Pointer[passage] // the way through gates; stays with the props
}

// propsOf returns the props of c, which it makes if need be.
func (c *cold) propsOf() *props {
	p := c.props.Load()
	if p == nil {
		p = new(props)
		p.again = p.room[:0]
		c.props.CompareAndSwap(nil, p)
		p = c.props.Load()
	}
	c.special.Store(true)
	return p
}

func (p *props) clear() {
	p.name.Store(nil)
	p.bind(nil, false, request{})
	p.ctx, p.recorded, p.rounds = nil, 0, 0
	p.choice = nil
	p.again, p.repeated = p.again[:0], false
	p.near, p.inline, p.prio = 0, false, PriorityNormal
	if g := p.passage.Load(); g != nil {
		g.clear()
	}
}

// bind says where the task runs: on a named thread, on one of its own, or as OnID was asked.
func (p *props) bind(th *namedthread.Thread, own bool, req request) {
	p.thread.Store(th)
	p.own.Store(own)
	p.request = req
}

func (c *cold) priority(e Event) Priority {
	if !c.special.Load() {
		return PriorityNormal
	}
	return priorityOf(c.props.Load().rank.Level(e))
}

func (p *props) setPriority(e Event, prio Priority) {
	p.prio = prio
	p.rank.Set(e, prio.level())
}

func (c *cold) boundTo() *namedthread.Thread {
	if !c.special.Load() {
		return nil
	}
	return c.props.Load().thread.Load()
}

// A label is the immutable name of events in reports, and says what they were made for.
type label struct {
	name  string
	gate  *gate // the gate that the event is about, or nil
	unit  bool  // somebody has got a unit; otherwise, the gate is idle
	calls bool  // calls of a group have ended
	cast  bool  // a broadcast is over
	loop  bool  // the helpers of a loop have left
}

// A request in the props of a task is what OnID asked for. The builder writes it.
type request struct {
	id       namedthread.ID
	byID     bool // id gives the queue and the priority on the thread
	anywhere bool // FallbackAnywhere
	lost     bool // there is no such thread: the task fails
}
