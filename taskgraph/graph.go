package taskgraph

import (
	"context"
	"fmt"
	rtrace "runtime/trace"
	"slices"

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

	anyThread *namedthread.Thread // a thread of a task, whose registry all are of; or nil
	threads   []*graphThread      // all of them

	ownPriorities bool // tasks have priorities of their own

	// The fields below belong to the current run: written before its first task is queued, and read
	// by whoever took a task of the run out of a queue.
	sys     *System
	event   Event
	ctx     context.Context
	first   entry.Entry // of the run's, see placeGraph
	prio    Priority
	careful bool             // tasks have props, or the run a context or a list
	listed  bool             // ready tasks are in list
	odd     atomics.Uint32   // bits: oddFailed, oddRecorded
	given   atomics.Bool     // the run was given up
	skipped []atomics.Uint32 // a bit for each task to be skipped

	errs    lockfree.Stack[error]
	running atomics.Bool
	shown   atomics.Uint64 // the event of the run, for reports; 0: no run

	launched atomics.Uint64 // the event of the last run that was launched

	recorded uint32        // the number that a recorder has given the run, or 0
	known    *flight.Graph // what one knows of the graph, or nil

	goRun *goRun // the run in Go's execution trace, or nil

	pace pace.Pace
	list readylist.List

	_     cacheline.Pad
	tally counts.Tally
}

// What may be odd about a run.
const (
	oddFailed   = 1 << iota // a task failed: look at skipped
	oddRecorded             // its tasks are recorded
)

func (g *Graph) anyFailed() bool { return g.odd.Load()&oddFailed != 0 }

type graphProps struct {
	name   string
	thread *namedthread.Thread
	on     *graphThread // if thread is not nil
	prio   Priority
}

// A GraphBuilder collects the tasks of a [Graph]. The zero value is ready; it must not be copied
// after first use, and one goroutine at a time may use it.
type GraphBuilder struct {
	bodies []func()
	others []any // by task; shorter if the last ones have none
	orders plan.Builder
	props  []graphProps
	propAt []uint32 // by task; shorter if the last ones have none
	spare  *Graph   // whose memory Build uses

	accesses plan.Accesses // what was declared with Reads and Writes

	anyThread *namedthread.Thread // that a task is for: all are of its registry

	built bool
}

// A GraphTask is a task of a graph that is being built.
type GraphTask struct {
	b *GraphBuilder
	n uint32
}

// maxGraph bounds the tasks of a graph, and the tasks of all graphs that run at a time in a system.
const maxGraph = min(plan.Limit, entry.Limit)

// Task adds a task.
func (b *GraphBuilder) Task(body Body) GraphTask {
	n := len(b.bodies)
	f, ok := body.f.(func())
	if !ok || n == cap(b.bodies) {
		return b.unusual(body)
	}
	b.bodies = b.bodies[:n+1]
	b.bodies[n] = f
	return GraphTask{b, uint32(n)}
}

// unusual is Task if there is no room, or if the body is not a func().
func (b *GraphBuilder) unusual(body Body) GraphTask {
	b.open()
	body.must()
	n := len(b.bodies)
	if n == maxGraph {
		panic("taskgraph: Graph of more than 2^28 tasks")
	}
	b.room(1)
	f, ok := body.f.(func())
	if !ok {
		b.others = extended(b.others, n+1)
		b.others[n] = body.f
	}
	b.bodies = append(b.bodies, f)
	return GraphTask{b, uint32(n)}
}

func (b *GraphBuilder) room(tasks int) {
	b.bodies = slices.Grow(b.bodies, tasks)
	all := min(cap(b.bodies), maxGraph)
	b.bodies = b.bodies[:len(b.bodies):all]
	b.orders.Room(all)
}

// extended returns s with zero elements appended up to length n.
func extended[T any](s []T, n int) []T {
	if have := len(s); have < n {
		s = append(s, make([]T, n-have)...)
	}
	return s
}

// Grow makes room for so many more tasks and orders.
func (b *GraphBuilder) Grow(tasks, orders int) {
	b.open()
	b.room(tasks)
	b.orders.Grow(orders)
}

// Reset makes b ready to build another graph. If old is not nil its memory is used for that, and it
// must not be run any more: a graph that is built anew all the time allocates nothing. It panics if
// old is running.
func (b *GraphBuilder) Reset(old *Graph) {
	b.orders.Reset(len(b.bodies))
	if old != nil {
		if !old.built {
			panic("taskgraph: Reset with a Graph that no GraphBuilder made")
		}
		if !old.running.CompareAndSwap(false, true) {
			panic("taskgraph: Reset with a Graph that is running")
		}
		clear(old.bodies)
		clear(old.others)
		clear(old.props)
		b.bodies, b.others, b.props, b.propAt = old.bodies[:0], nil, old.props[:0], old.propAt[:0]
		old.bodies, old.built = nil, false
		if old.others != nil {
			b.others = old.others[:0]
		}
	} else {
		b.bodies, b.others, b.props, b.propAt = nil, nil, nil, nil
	}
	b.accesses.Reset()
	b.spare, b.built, b.anyThread = old, false, nil
	b.room(0)
}

func (b *GraphBuilder) open() {
	if b.built {
		panic("taskgraph: GraphBuilder used after Build")
	}
}

// After makes t start after all of others have ended.
func (t GraphTask) After(others ...GraphTask) GraphTask {
	t.open()
	for _, o := range others {
		if o.b != t.b {
			panic("taskgraph: After of a task of another graph")
		}
		t.b.orders.Add(o.n, t.n)
	}
	return t
}

func (t GraphTask) open() {
	if t.b == nil {
		panic("taskgraph: a GraphTask that no GraphBuilder made")
	}
	t.b.open()
}

func (t GraphTask) propsOf() *graphProps {
	t.open()
	b := t.b
	b.propAt = extended(b.propAt, int(t.n)+1)
	at := &b.propAt[t.n]
	if *at == 0 {
		b.props = append(b.props, graphProps{prio: inherited})
		*at = uint32(len(b.props))
	}
	return &b.props[*at-1]
}

// inherited is the priority of a graph's task that has no priority of its own.
const inherited Priority = 0xff

// Name gives the task a name for reports and errors.
func (t GraphTask) Name(name string) GraphTask {
	t.propsOf().name = name
	return t
}

// Priority sets the task's priority; the default is that of the run.
func (t GraphTask) Priority(p Priority) GraphTask {
	p.must("Priority")
	t.propsOf().prio = p
	return t
}

// On is [Task.On]. It panics if tasks of the graph name threads of two registries.
func (t GraphTask) On(th *namedthread.Thread) GraphTask {
	if th == nil {
		panic("taskgraph: On a nil thread")
	}
	t.open()
	if of := t.b.anyThread; of != nil && of.Registry() != th.Registry() {
		panic(fmt.Sprintf("taskgraph: On %v of another registry than %v, on which another task "+
			"of the graph runs", th, of))
	}
	t.b.anyThread = th
	t.propsOf().thread = th
	return t
}

// Build returns the graph; or a *[CycleError], or the error of a task that declares a thing twice.
// Then only Reset may be called.
func (b *GraphBuilder) Build() (*Graph, error) {
	b.open()
	b.built = true
	n := len(b.bodies)
	if b.others != nil {
		b.others = extended(b.others, n)
	}
	g := &Graph{bodies: b.bodies, others: b.others, props: b.props, propAt: b.propAt,
		anyThread: b.anyThread}
	var old plan.Plan
	if b.spare != nil {
		old, g.skipped = b.spare.plan, b.spare.skipped
		clear(g.skipped)
	}
	twice := b.accesses.AddTo(&b.orders, n)
	var cycle []uint32
	g.plan, cycle = b.orders.Build(n, old)
	if words := (n + 31) / 32; words > cap(g.skipped) {
		g.skipped = make([]atomics.Uint32, words)
	} else {
		g.skipped = g.skipped[:words]
	}
	g.ownPriorities = slices.ContainsFunc(g.props, func(p graphProps) bool {
		return p.prio != inherited
	})
	g.bindThreads(b.spare)
	g.built = true
	b.bodies, b.others, b.props, b.propAt, b.spare, b.anyThread = nil, nil, nil, nil, nil, nil
	switch {
	case twice != nil:
		return nil, twice.Err(g.nameOf(twice.Task))
	case cycle != nil:
		return nil, g.cycleError(cycle)
	}
	return g, nil
}

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

func (g *Graph) nameOf(i uint32) string { return g.nameOfFirst(g.plan.First(i)) }

// nameOfFirst is nameOf for a first number.
func (g *Graph) nameOfFirst(i uint32) string {
	if p := g.propsOfFirst(i); p != nil && p.name != "" {
		return fmt.Sprintf("task %q", p.name)
	}
	return fmt.Sprintf("task %d of the graph", i)
}

func (g *Graph) cycleError(cycle []uint32) *CycleError {
	err := new(CycleError)
	for _, i := range cycle {
		err.Path = append(err.Path, g.nameOf(i))
	}
	return err
}

// A goRun is a run of a graph as a task of Go's execution tracer.
type goRun struct {
	ctx  context.Context
	task *rtrace.Task
}
