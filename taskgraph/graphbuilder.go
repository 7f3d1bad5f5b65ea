package taskgraph

import (
	"fmt"
	"slices"

	"github.com/heddle-go/heddle/namedthread"
	"github.com/heddle-go/heddle/taskgraph/internal/plan"
)

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

	threads []*graphThread // of tasks, and those of a graph before

	built bool
}

// A GraphTask is a task of a graph that is being built.
type GraphTask struct {
	b *GraphBuilder
	n uint32
}

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
	must(n != maxGraph, "Graph of more than 2^28 tasks")
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

// Reset makes b ready to build another graph. If old is not nil its memory is used, and it must not
// be run again: a graph that is built anew all the time allocates nothing. It panics if old runs.
func (b *GraphBuilder) Reset(old *Graph) {
	b.orders.Reset(len(b.bodies))
	b.bodies, b.others, b.props, b.propAt, b.threads = nil, nil, nil, nil, nil
	if old != nil {
		must(old.built, "Reset with a Graph that no GraphBuilder made")
		must(old.running.CompareAndSwap(false, true), "Reset with a Graph that is running")
		clear(old.bodies)
		clear(old.others)
		clear(old.props)
		for _, x := range old.threads {
			x.tasks = 0
		}
		b.bodies, b.others, b.threads = old.bodies[:0], old.others[:0], old.threads
		b.props, b.propAt = old.props[:0], old.propAt[:0]
		old.bodies, old.built = nil, false
	}
	b.accesses.Reset()
	b.spare, b.built = old, false
	b.room(0)
}

func (b *GraphBuilder) open() { // little enough for GraphTask.open to be inlined
	if b.built {
		panic("taskgraph: GraphBuilder used after Build")
	}
}

// After makes t start after all of others have ended.
func (t GraphTask) After(others ...GraphTask) GraphTask {
	t.open()
	for _, o := range others {
		must(o.b == t.b, "After of a task of another graph")
		t.b.orders.Add(o.n, t.n)
	}
	return t
}

// Reads declares what the task reads, and Writes what it writes; the orders that follow are the
// graph's. A task that writes a thing runs after all tasks added earlier that read or write it, one
// that reads it after the last one before that writes it. An After that contradicts this is a
// *[CycleError].
//
// A thing is whatever == can tell apart: a pointer, a name, a reflect.Type. It is only compared: a
// struct and a field of it are two things, and pointers to values without a size may be one. A task
// declares a thing once, and what it reads and writes it writes, or Build fails. Reads panics at
// nil and at what cannot be compared.
func (t GraphTask) Reads(things ...any) GraphTask { return t.declare(things, false, "Reads") }

// Writes is described at [GraphTask.Reads].
func (t GraphTask) Writes(things ...any) GraphTask { return t.declare(things, true, "Writes") }

func (t GraphTask) declare(things []any, writes bool, how string) GraphTask {
	t.open()
	for _, thing := range things {
		if !plan.IsThing(thing) {
			panic("taskgraph: " + how + " of what cannot be compared")
		}
		t.b.accesses.Declare(t.n, thing, writes)
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
	must(th != nil, "On a nil thread")
	t.open()
	on, p := t.b.threadOf(th), t.propsOf()
	if p.on != nil {
		p.on.tasks--
	}
	p.on = on
	on.tasks++
	return t
}

// threadOf returns what is kept of a thread for the graph. It panics at one of another registry.
func (b *GraphBuilder) threadOf(th *namedthread.Thread) (on *graphThread) {
	for _, x := range b.threads {
		switch {
		case x.thread == th:
			on = x
		case x.tasks > 0 && x.thread.Registry() != th.Registry():
			panic(fmt.Sprintf("taskgraph: On %v of another registry than %v, on which another task "+
				"of the graph runs", th, x.thread))
		}
	}
	if on == nil {
		on = &graphThread{thread: th}
		b.threads = append(slices.Clip(b.threads), on)
	}
	return on
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
		threads: b.bound()}
	var old plan.Plan
	if b.spare != nil {
		old = b.spare.plan
		g.skips.Use(n, &b.spare.skips)
	} else {
		g.skips.Use(n, nil)
	}
	twice := b.accesses.AddTo(&b.orders, n)
	var cycle []uint32
	g.plan, cycle = b.orders.Build(n, old)
	g.ownPriorities = slices.ContainsFunc(g.props, func(p graphProps) bool {
		return p.prio != inherited
	})
	g.built = true
	b.bodies, b.others, b.props, b.propAt, b.spare, b.threads = nil, nil, nil, nil, nil, nil
	switch {
	case twice != nil:
		return nil, twice.Err(g.nameOf(twice.Task))
	case cycle != nil:
		return nil, g.cycleError(cycle)
	}
	return g, nil
}

// bound returns the threads of the graph, and drops those that it is not for any more.
func (b *GraphBuilder) bound() []*graphThread {
	unused := func(x *graphThread) bool { return x.tasks == 0 }
	if slices.ContainsFunc(b.threads, unused) {
		return slices.DeleteFunc(slices.Clone(b.threads), unused)
	}
	return b.threads
}
