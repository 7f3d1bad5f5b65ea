package taskgraph

import (
	"context"
	"fmt"
	rtrace "runtime/trace"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/cacheline"
	"github.com/heddle-go/heddle/lockfree"
	"github.com/heddle-go/heddle/namedthread"
	"github.com/heddle-go/heddle/taskgraph/internal/counts"
	"github.com/heddle-go/heddle/taskgraph/internal/entry"
	"github.com/heddle-go/heddle/taskgraph/internal/flight"
	"github.com/heddle-go/heddle/taskgraph/internal/pace"
	"github.com/heddle-go/heddle/taskgraph/internal/plan"
	"github.com/heddle-go/heddle/taskgraph/internal/readylist"
)

// A Graph is a fixed set of tasks and the order between them, made by a [GraphBuilder] and run as
// often as one likes with [System.LaunchGraph] or [System.RunGraph], one run at a time. A run is
// one task with one event; the tasks in it have none, so they cost far less than launched ones, and
// a run allocates nothing. A task takes 12 to 36 bytes, an order 4. The second run of a graph of
// 8,192 tasks or more first moves them, once, into the order in which one worker runs them, if they
// were not added so.
//
// A graph of at most 4,096 tasks learns how long they take. If they take microseconds, whoever is
// free takes the ready one with the longest way from there to the end of the graph, unless tasks
// have priorities of their own; that takes 20 bytes a task, once.
type Graph struct {
	built  bool     // and not given to Reset
	bodies []func() // by task, like all that follows; nil: the body is in others
	others []any    // nil if no task has one
	plan   plan.Plan
	props  []graphProps
	propAt []uint32 // by first number: 1 + index in props, or 0; nil if no task has any

	threads []*graphThread // of its tasks, all of one registry

	ownPriorities bool // tasks have priorities of their own

	// The fields below belong to the current run: written before its first task is queued, and read
	// by whoever took a task of the run out of a queue.
	sys     *System
	event   Event
	ctx     context.Context
	first   entry.Entry // of the run's, see start
	prio    Priority
	careful bool // tasks have props, or the run a priority, a context or a list
	listed  bool // ready tasks are in list
	skips   plan.Skips
	given   atomics.Bool // the run was given up

	errs    lockfree.Stack[error]
	running atomics.Bool
	shown   atomics.Uint64 // the event of the run, for reports; 0: no run

	launched atomics.Uint64 // the event of the last run that was launched

	recorded uint32        // the number that a recorder has given the run, or 0
	known    *flight.Graph // what one knows of the graph, or nil

	goTask *rtrace.Task // the run in Go's execution trace, or nil
	goCtx  context.Context

	pace pace.Pace
	list readylist.List

	_     cacheline.Pad
	tally counts.Tally
}

type graphProps struct {
	name string
	on   *graphThread // or nil
	prio Priority
}

// A graphThread is a named thread to which tasks of a graph are bound. A wait of another goroutine
// may read it after the graph has been rebuilt: such fields are atomic or do not change.
type graphThread struct {
	thread *namedthread.Thread
	tasks  int32         // tasks of the graph; for the builder and the run
	left   atomics.Int32 // tasks of the run that have not ended
	posted atomics.Int32 // tasks of the run that are in the thread's lanes or being posted
}

// inherited is the priority of a graph's task that has no priority of its own.
const inherited Priority = 0xff

// maxGraph bounds the tasks of a graph, and the tasks of all graphs that run at a time in a system.
const maxGraph = min(plan.Limit, entry.Limit)

// Len returns the number of tasks.
func (g *Graph) Len() int { return len(g.bodies) }

func (g *Graph) bodyOf(i uint32) Body {
	if f := g.bodies[i]; f != nil {
		return Body{f}
	}
	return Body{g.others[i]}
}

func (g *Graph) propsOf(i uint32) *graphProps {
	if len(g.propAt) == 0 {
		return nil
	}
	return g.propsOfFirst(g.plan.First(i))
}

func (g *Graph) propsOfFirst(i uint32) *graphProps {
	if int(i) >= len(g.propAt) || g.propAt[i] == 0 {
		return nil
	}
	return &g.props[g.propAt[i]-1]
}

// isBound reports whether the task i is for a named thread.
func (g *Graph) isBound(i uint32) bool {
	p := g.propsOf(i)
	return p != nil && p.on != nil
}

func (g *Graph) priorityOf(i uint32) Priority {
	if p := g.propsOf(i); p != nil && p.prio != inherited {
		return p.prio
	}
	return g.prio
}

// isPlain reports whether tasks that become ready go to the slot's own deque.
func (g *Graph) isPlain() bool { return g.props == nil && g.prio == PriorityNormal }

func (g *Graph) nameOf(i uint32) string { return g.nameOfFirst(g.plan.First(i)) }

// nameOfFirst is nameOf for a first number.
func (g *Graph) nameOfFirst(i uint32) string {
	if p := g.propsOfFirst(i); p != nil && p.name != "" {
		return fmt.Sprintf("task %q", p.name)
	}
	return fmt.Sprintf("task %d of the graph", i)
}

// A run of a graph takes a stretch of indices for its entries in queues, so that an entry leads to
// its graph by the index and to its task by the distance from the stretch's beginning.
func (g *Graph) entry(i uint32) entry.Entry { return g.first.Plus(i) }

// taskOf returns the task that e is the entry of, and reports whether that is one of g.
func (g *Graph) taskOf(e entry.Entry) (i uint32, ok bool) { return e.In(g.first, uint32(g.Len())) }

// graphOf returns the graph that e is the entry of a task of; nil if the run was given up.
func (s *System) graphOf(e entry.Entry) *Graph { return s.graphs.At(e.Index()) }
