package taskgraph

import (
	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/taskgraph/internal/entry"
	"github.com/heddle-go/heddle/taskgraph/internal/flight"
	"github.com/heddle-go/heddle/taskgraph/internal/kernel"
)

// NewEvent returns a new manual event: it completes when it is triggered.
func (s *System) NewEvent() Event {
	e := s.store.NewEvent()
	if s.detour {
		s.noteSite(e)
	}
	return e
}

// Go launches f as a task and returns its event.
func (s *System) Go(f func()) Event { return s.launchNow(Do(f)) }

func (s *System) launchNow(b Body) Event {
	if s.detour {
		return s.takeDetour(nil, b).Launch()
	}
	n := s.store.Acquire(nil)
	if !s.enter(uint32(n)) {
		s.store.Discard(n, nil)
		return s.closed
	}
	s.colds.At(uint32(n)).init(b)
	e := s.store.Start(n, 0)
	if s.log != nil {
		s.traceLaunch(nil, nil, e, flight.LaunchNow)
	}
	if !s.late(n) {
		s.kern.Inject(entry.OfTask(n), kernel.Normal)
	}
	return e
}

// Task begins a task: set its properties, then call [Task.Launch]. A task that is never
// launched is reported by Shutdown.
func (s *System) Task(b Body) Task {
	b.must()
	if s.detour {
		return s.takeDetour(nil, b)
	}
	return s.beginTask(b)
}

func (s *System) beginTask(b Body) Task {
	n := s.store.Acquire(nil)
	if !s.enter(uint32(n)) {
		s.store.Discard(n, nil)
		return Task{sys: s, ev: s.closed}
	}
	s.colds.At(uint32(n)).init(b)
	return Task{sys: s, ev: s.store.Hold(n, 0)}
}

// Go launches f as a task and returns its event.
func (c *Context) Go(f func()) Event { return c.Spawn(Do(f)) }

// Spawn launches b without prerequisites and returns its event: the cheapest way.
func (c *Context) Spawn(b Body) Event {
	b.must()
	s, o := c.r.sys, c.r.o
	if o == nil || c.ctx != nil || c.prio != PriorityNormal || s.detour {
		return c.Task(b).Launch()
	}
	n := s.store.Acquire(&o.slot.Cache)
	s.colds.At(uint32(n)).init(b)
	e := s.store.Start(n, 0)
	o.launched++
	if s.log != nil {
		s.traceLaunch(o, c, e, flight.LaunchNow)
	}
	s.kern.Spawn(o.slot, entry.OfTask(n))
	return e
}

// Task begins a task, as [System.Task] does, with the priority of the running one. Only this body
// may build and launch it.
func (c *Context) Task(b Body) Task {
	b.must()
	if s := c.r.sys; s.detour {
		return s.takeDetour(c, b)
	}
	return c.beginTask(b)
}

func (c *Context) beginTask(b Body) Task {
	s, o := c.r.sys, c.r.o
	var n graphevent.Node
	if o == nil {
		n = s.store.Acquire(nil)
		s.door.Report(-1)
		s.launches.Add(1)
	} else {
		n = s.store.Acquire(&o.slot.Cache)
		o.launched++
	}
	cold := s.colds.At(uint32(n))
	cold.init(b)
	if c.ctx != nil {
		cold.propsOf().ctx = c.ctx
	}
	e := s.store.Hold(n, 0)
	if c.prio != PriorityNormal {
		cold.propsOf().setPriority(e, c.prio)
	}
	return Task{sys: s, ev: e, in: c}
}

// takeDetour is the slow path of System.Task, and of Context.Task for the body of c.
func (s *System) takeDetour(c *Context, b Body) Task {
	var t Task
	switch {
	case s.isBound(b):
		t = s.boundTask(c, b)
	case c != nil:
		t = c.beginTask(b)
	default:
		t = s.beginTask(b)
	}
	s.noteSite(t.ev)
	return t
}
