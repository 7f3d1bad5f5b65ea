package taskgraph

import (
	"context"
	"fmt"
	"strings"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/cacheline"
	"github.com/heddle-go/heddle/lockfree"
	"github.com/heddle-go/heddle/namedthread"
	"github.com/heddle-go/heddle/taskgraph/internal/kernel"
)

// A Graph is a fixed set of tasks and the order between them, made once by a [GraphBuilder] and
// run as often as one likes with [System.LaunchGraph], one run at a time. A run is one task
// with one event; the tasks in it have none, so they cost far less than launched ones, and a run
// allocates nothing.
//
// A Graph takes 32 bytes a task and 4 an order, and what its bodies keep alive.
type Graph struct {
	// nodes[i].first to nodes[i+1].first is where next holds the dependents of i: the last
	// node is a sentinel.
	nodes []graphNode
	next  []uint32
	roots []graphEntry
	props []graphProps

	// The fields below are of the run that goes on: written before its first task is queued,
	// and read by whoever took a task of it out of a queue.
	sys     *System
	event   Event
	ctx     context.Context
	base    uint32 // of the run's entries
	pages   int
	run     uint32 // number of the run, modulo 2^32
	prio    Priority
	careful bool             // tasks have props, or the run a context
	unwell  atomics.Bool     // a task failed: look at lame
	given   atomics.Bool     // the run was given up
	lame    []atomics.Uint32 // a bit for each task to be skipped

	errs    lockfree.Stack[error]
	running atomics.Bool

	_     cacheline.Pad
	tally kernel.Tally
}

// A graphNode is a task of a Graph. Arrived counts the predecessors that ended, over all runs: in
// run r, the one that brings it to r times preds, modulo 2^32, makes the task ready. So nothing has
// to be set back between two runs.
type graphNode struct {
	body    any
	first   uint32
	preds   uint32
	arrived atomics.Uint32
	props   uint32 // 1 + index in Graph.props, or 0
}

type graphProps struct {
	name   string
	thread *namedthread.Thread
	prio   Priority
}

type graphEntry = uint32

// A GraphBuilder collects the tasks of a [Graph]. The zero value is ready; it must not be copied
// after first use, and only one goroutine at a time may use it.
type GraphBuilder struct {
	nodes []graphNode
	edges []graphEdge
	props []graphProps
	built bool
	back  bool // an edge leads to an older task
}

type graphEdge struct{ from, to uint32 }

// A GraphTask is a task of a graph that is being built.
type GraphTask struct {
	b *GraphBuilder
	n uint32
}

// maxGraph bounds the tasks of a graph, and the tasks of all graphs that run in a system.
const maxGraph = 1 << 28

// Task adds a task.
func (b *GraphBuilder) Task(body Body) GraphTask {
	b.open()
	body.must()
	if len(b.nodes) == maxGraph {
		panic("taskgraph: Graph of more than 2^28 tasks")
	}
	b.nodes = append(b.nodes, graphNode{body: body.f})
	return GraphTask{b, uint32(len(b.nodes) - 1)}
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
		t.b.edges = append(t.b.edges, graphEdge{o.n, t.n})
		t.b.nodes[t.n].preds++
		if o.n >= t.n {
			t.b.back = true
		}
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
	n := &t.b.nodes[t.n]
	if n.props == 0 {
		t.b.props = append(t.b.props, graphProps{prio: inherited})
		n.props = uint32(len(t.b.props))
	}
	return &t.b.props[n.props-1]
}

// inherited is the priority of a graph's task that has none of its own.
const inherited Priority = 0xff

// Name gives the task a name for reports and errors.
func (t GraphTask) Name(name string) GraphTask {
	t.propsOf().name = name
	return t
}

// Priority sets the task's priority; the default is that of the run.
func (t GraphTask) Priority(p Priority) GraphTask {
	if int(p) >= len(priorityNames) {
		panic("taskgraph: Priority out of range")
	}
	t.propsOf().prio = p
	return t
}

// On makes the task run on the named thread th, like [Task.On].
func (t GraphTask) On(th *namedthread.Thread) GraphTask {
	if th == nil {
		panic("taskgraph: On a nil thread")
	}
	t.propsOf().thread = th
	return t
}

// A CycleError says that the tasks of a graph wait for each other.
type CycleError struct {
	Path []string // names of tasks, each waiting for the next, and the last for the first
}

// Error names the path.
func (e *CycleError) Error() string {
	return fmt.Sprintf("taskgraph: cycle: %s waits for itself", strings.Join(e.Path, ", which waits for "))
}

// Build returns the graph, or a *[CycleError]. The builder must not be used any more.
func (b *GraphBuilder) Build() (*Graph, error) {
	b.open()
	b.built = true
	n := len(b.nodes)
	g := &Graph{nodes: append(b.nodes, graphNode{}), next: make([]uint32, len(b.edges)), props: b.props}
	g.lame = make([]atomics.Uint32, (n+31)/32)
	for _, e := range b.edges {
		g.nodes[e.from].first++
	}
	var sum uint32
	for i := range g.nodes {
		sum += g.nodes[i].first
		g.nodes[i].first = sum // one past the node's own; filling takes it down to its start
	}
	for i := len(b.edges) - 1; i >= 0; i-- { // backwards, so that dependents keep their order
		e := b.edges[i]
		at := &g.nodes[e.from].first
		*at--
		g.next[*at] = e.to
	}
	for i := range n {
		if g.nodes[i].preds == 0 {
			g.roots = append(g.roots, uint32(i))
		}
	}
	if b.back {
		if err := g.findCycle(); err != nil {
			return nil, err
		}
	}
	b.nodes, b.edges, b.props = nil, nil, nil
	return g, nil
}

// Len returns the number of tasks.
func (g *Graph) Len() int { return len(g.nodes) - 1 }

func (g *Graph) dependents(i uint32) []uint32 {
	return g.next[g.nodes[i].first:g.nodes[i+1].first]
}

// nameOf returns the name of task i for reports.
func (g *Graph) nameOf(i uint32) string {
	if p := g.nodes[i].props; p != 0 && g.props[p-1].name != "" {
		return fmt.Sprintf("task %q", g.props[p-1].name)
	}
	return fmt.Sprintf("task %d of the graph", i)
}

// findCycle orders the tasks (Kahn, "Topological Sorting of Large Networks", 1962); those that
// it cannot order lie on cycles or behind them.
func (g *Graph) findCycle() error {
	n := g.Len()
	waits := make([]uint32, n)
	for i := range waits {
		waits[i] = g.nodes[i].preds
	}
	order := append(make([]uint32, 0, n), g.roots...)
	for at := 0; at < len(order); at++ {
		for _, t := range g.dependents(order[at]) {
			if waits[t]--; waits[t] == 0 {
				order = append(order, t)
			}
		}
	}
	if len(order) == n {
		return nil
	}
	// Of each task that is left, some predecessor is left: going back from one to the next must
	// come to a task for the second time.
	before := make([]uint32, n)
	var start uint32
	for i := range uint32(n) {
		if waits[i] == 0 {
			continue
		}
		start = i
		for _, t := range g.dependents(i) {
			before[t] = i
		}
	}
	seen := make([]bool, n)
	for !seen[start] {
		seen[start] = true
		start = before[start]
	}
	err := &CycleError{Path: []string{g.nameOf(start)}}
	for i := before[start]; i != start; i = before[i] {
		err.Path = append(err.Path, g.nameOf(i))
	}
	return err
}
