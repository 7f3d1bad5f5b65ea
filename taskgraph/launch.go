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
func (s *System) Task(b Body) Task { return s.task(nil, b) }

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

// Task is [System.Task] with the running task's priority. Only this body may build and launch it.
func (c *Context) Task(b Body) Task { return c.r.sys.task(c, b) }

// task begins a task for the body of c or, if c is nil, for a goroutine from outside.
func (s *System) task(c *Context, b Body) Task {
	b.must()
	if s.detour {
		return s.takeDetour(c, b)
	}
	return s.beginTask(c, b)
}

func (s *System) beginTask(c *Context, b Body) Task {
	var cache *graphevent.Cache
	if c != nil && c.r.o != nil {
		cache = &c.r.o.slot.Cache
	}
	n := s.store.Acquire(cache)
	switch {
	case cache != nil:
		c.r.o.launched++
		s.colds.Prefetch(uint32(cache.Next()))
	case c != nil:
		s.enterInside()
	case !s.enter(uint32(n)):
		s.store.Discard(n, nil)
		return Task{sys: s, ev: s.closed}
	}
	cold := s.colds.At(uint32(n))
	cold.init(b)
	t := Task{sys: s, ev: s.store.Hold(n, 0), in: c}
	if c != nil && c.ctx != nil {
		cold.propsOf().ctx = c.ctx
	}
	if c != nil && c.prio != PriorityNormal {
		cold.propsOf().setPriority(t.ev, c.prio)
	}
	return t
}

// takeDetour is the slow path of task.
func (s *System) takeDetour(c *Context, b Body) (t Task) {
	if _, helper := b.f.(*Participant); s.bound != nil && !helper { // the caller of a loop counts
		t = s.boundTask(c, b)
	} else {
		t = s.beginTask(c, b)
	}
	s.noteSite(t.ev)
	return t
}

// Nest launches a task that is part of the running one, which completes when its body has returned
// and all its nested tasks have completed, and fails if one of them does, unless its body does. A
// nested task may nest further ones. Whoever waits for the whole can run those that have not
// started. It panics where more than 2^22-2 would hold the task open.
func (c *Context) Nest(b Body) Event {
	c.misused("Nest")
	b.must()
	must(c.r.sys.store.Reasons(c.ev) < graphevent.MaxEdges,
		"Nest of more than 2^22-2 tasks at a time") // before a task exists
	t := c.Task(b)
	c.DontCompleteUntil(t.ev)
	return t.Launch()
}

// noteSite keeps where e was made: the place of the call into this package.
func (s *System) noteSite(e Event) {
	if s.opts.Sites && e.Store() == s.store {
		s.sites.Note(uint32(e.Node()), refOf(e), 2)
	}
}

func (s *System) siteOf(e Event) string { return s.sites.Of(uint32(e.Node()), refOf(e)) }
