package taskgraph

import (
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/namedthread"
	"github.com/heddle-go/heddle/taskgraph/internal/flight"
)

// A Retained is a task that is built once and launched again and again, each time with
// prerequisites and an event of its own. Make one with [Retain]. A launch allocates nothing, its
// name included. Any goroutine may launch it. A launch is ordered after the one before; until that
// is complete all methods panic.
type Retained struct {
	body   Body
	name   *string
	thread *namedthread.Thread
	prio   Priority
	ranked bool // it has a priority of its own

	log      *flight.Log // of the system of the last launch, and
	recorded flight.Name // the name, as that has it

	using atomics.Bool // by a call
	last  Event        // the last launch
}

// Retain returns a task that runs b when it is launched.
func Retain(b Body) *Retained {
	must(b.f != nil, "Retain of a zero Body")
	return &Retained{body: b}
}

// use begins a call. It panics while the task is incomplete or another call uses it.
func (r *Retained) use(what string) {
	if r.using.CompareAndSwap(false, true) {
		if r.last.IsComplete() {
			return
		}
		r.using.Store(false)
	}
	panic("taskgraph: " + what + " of a retained task that has not completed")
}

// Name gives the task a name, see [Task.Name].
func (r *Retained) Name(name string) *Retained {
	r.use("Name")
	r.name, r.recorded = &name, 0
	r.using.Store(false)
	return r
}

// Priority sets the task's priority, see [Task.Priority].
func (r *Retained) Priority(p Priority) *Retained {
	p.must("Priority")
	r.use("Priority")
	r.prio, r.ranked = p, true
	r.using.Store(false)
	return r
}

// On makes the task run on th, or on the workers if th is nil, see [Task.On]. A launch panics if th
// is not of the registry of its system.
func (r *Retained) On(th *namedthread.Thread) *Retained {
	r.use("On")
	r.thread = th
	r.using.Store(false)
	return r
}

// Launch launches the task, to run after events, on the system of l, and returns the event of this
// launch.
func (r *Retained) Launch(l Launcher, events ...Event) Event {
	t := r.begin(l, "Launch")
	if c := t.held("Launch"); c != nil {
		t.after(c, events) // nobody else has the event yet: W6
	}
	return t.Launch()
}

// Task begins a launch, as a task held until its own Launch, for what this one alone is to have.
func (r *Retained) Task(l Launcher) Task { return r.begin(l, "Task") }

func (r *Retained) begin(l Launcher, what string) Task {
	r.use(what)
	defer r.using.Store(false)
	t := l.Task(r.body)
	if r.thread != nil {
		t = t.On(r.thread) // first, because On may panic
	}
	if c := t.held(what); c != nil && (r.name != nil || r.ranked) {
		p := c.propsOf()
		p.name.Store(r.name)
		if g := t.sys.log; g != nil && r.name != nil {
			if r.log != g {
				r.log, r.recorded = g, 0
			}
			r.recorded = g.Keep(r.recorded, *r.name)
			p.recorded = r.recorded
		}
		if r.ranked {
			p.setPriority(t.ev, r.prio)
		}
	}
	r.last = t.ev
	return t
}
