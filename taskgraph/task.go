package taskgraph

import (
	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/namedthread"
	"github.com/heddle-go/heddle/taskgraph/internal/flight"
)

// A Task is a task that is being built. It is held until Launch. Calls of its other methods can be
// chained. After Launch they panic, except Event. A Task is a small value and may be copied. Only
// one goroutine at a time may build it.
type Task struct {
	sys *System
	ev  Event
	in  *Context // of the body that builds it, or nil

	over bool // there is no room for it under the bound
}

// Event returns the task's event, before the launch as well as after it.
func (t Task) Event() Event { return t.ev }

// held returns the task's cold part, or nil if the system is shut down. It panics after Launch.
func (t Task) held(what string) *cold {
	if t.sys == nil {
		panic("taskgraph: " + what + " of a zero Task")
	}
	if t.ev.Store() != t.sys.store {
		return nil // refused
	}
	if !t.sys.store.Held(t.ev) {
		if t.sys.abandoned.Load() {
			return nil // it may be completing just now
		}
		panic("taskgraph: " + what + " of a task that was launched before")
	}
	return t.sys.colds.At(uint32(t.ev.Node()))
}

// After adds prerequisites: the task does not start before they have completed, and is skipped if
// one fails. An event may be given twice; the zero Event is complete. It panics at the task's own
// event, and where there would be more than 2^22-1.
func (t Task) After(events ...Event) Task {
	if c := t.held("After"); c != nil && t.after(c, events) {
		t.sys.newEdge()
	}
	return t
}

// after is After for the task of c, and reports whether it has added an edge: to what is complete
// nothing leads.
func (t Task) after(c *cold, events []Event) bool {
	must(uint64(len(events))+uint64(c.edges) <= graphevent.MaxEdges,
		"After with more than 2^22-1 prerequisites")
	n, before := t.ev.Node(), c.pending
	if t.sys.log != nil {
		t.sys.traceAfter(t.owner(), n, events)
	}
	for _, e := range events {
		must(e != t.ev, "After of a task on itself")
		if t.sys.store.After(n, c.edges, e) {
			c.pending++
		}
		c.edges++
	}
	return c.pending != before
}

// Name gives the task a name for reports and errors. It allocates.
func (t Task) Name(name string) Task {
	if c := t.held("Name"); c != nil {
		p := c.propsOf()
		p.name.Store(&name)
		if g := t.sys.log; g != nil {
			p.recorded = g.Label(name)
		}
	}
	return t
}

// Priority sets the task's priority. The default is that of the task whose Context begins it, and
// PriorityNormal for one that the System begins.
func (t Task) Priority(p Priority) Task {
	p.must("Priority")
	if c := t.held("Priority"); c != nil {
		c.propsOf().setPriority(t.ev, p)
	}
	return t
}

// On makes the task run on the named thread th, when that pumps its main queue or waits for the
// task; with PriorityHigh before the thread's other tasks. If the thread has quit, the task fails
// with ErrClosed. If On panics, because th is not of Options.Threads, the task must not be
// launched.
func (t Task) On(th *namedthread.Thread) Task {
	must(th != nil, "On a nil thread")
	c := t.held("On")
	if err := t.sys.foreign(th); err != nil {
		if c != nil { // its builder knows the failure
			_, by := t.sys.by(t.owner())
			t.sys.store.Abandon(t.ev, err, by)
		}
		panic(err.Error())
	}
	if c != nil {
		c.propsOf().bind(th, false, request{})
		t.sys.store.SetFlags(t.ev.Node(), graphevent.Pinned)
	}
	return t
}

func (t Task) owner() *owner {
	if t.in == nil {
		return nil
	}
	return t.in.r.o
}

// Always makes the task run even if prerequisites fail.
func (t Task) Always() Task {
	if t.held("Always") != nil {
		t.sys.store.SetFlags(t.ev.Node(), graphevent.RunAlways)
	}
	return t
}

// claim launches the task, which has no prerequisites, for a caller that runs it at once. It
// reports false if a shutdown was faster.
func (t Task) claim() bool {
	s := t.sys
	if s.log != nil {
		s.traceLaunch(t.owner(), t.in, t.ev, flight.LaunchNow)
	}
	cache, by := s.by(t.owner())
	return s.store.Launch(t.ev, 0, cache, by) == graphevent.LaunchReady &&
		s.store.Claim(t.ev.Node(), cache)
}

// Launch releases the task and returns its event, which may be complete by then. After a shutdown
// it has failed with ErrClosed.
func (t Task) Launch() Event {
	c := t.held("Launch")
	if c == nil {
		return t.ev
	}
	if t.over {
		return t.launchOver(c)
	}
	s := t.sys
	if s.log != nil {
		s.traceLaunch(t.owner(), t.in, t.ev, flight.Launch)
	}
	cache, by := s.by(t.owner())
	switch s.store.Launch(t.ev, c.pending, cache, by) {
	case graphevent.LaunchReady: // B2
		by.Ready(t.ev.Node())
	case graphevent.LaunchNotHeld:
		must(s.abandoned.Load(), "Launch of a task that was launched before")
	case graphevent.LaunchWaiting:
	}
	return t.ev
}
