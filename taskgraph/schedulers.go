package taskgraph

import (
	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/taskgraph/internal/entry"
	"github.com/heddle-go/heddle/taskgraph/internal/flight"
	"github.com/heddle-go/heddle/taskgraph/internal/kernel"
)

// The two ways in which a completion makes tasks ready (B3): by who holds a slot, and by others.
var (
	_ graphevent.Scheduler = (*owner)(nil)
	_ graphevent.Scheduler = (*outside)(nil)
)

// Ready queues n in the slot. A worker is woken for it if the holder is in the middle of a
// body, or if it has work of its own besides: of a chain, the holder runs the next link.
func (o *owner) Ready(n graphevent.Node) {
	s := o.sys
	if o.lane != nil {
		s.traceKey(o, flight.Ready, s.nodeKey(n))
	}
	if s.colds.At(uint32(n)).special.Load() {
		s.ready(n, o)
		return
	}
	o.push(n, kernel.Normal)
}

func (o *owner) push(n graphevent.Node, l kernel.Level) {
	s := o.sys
	if l != kernel.Normal && s.late(n) {
		return // the holder takes what is in its own deques in any case
	}
	s.kern.Push(o.slot, entry.OfTask(n), l)
	if o.running || l != kernel.Normal || !s.kern.Alone(o.slot) {
		s.kern.Wake(l)
	}
}

// Completed drops what a task held that completes without the end of its own body.
func (o *owner) Completed(n graphevent.Node) { o.sys.wasCompleted(n, o) }

// Finished counts what Completed told of.
func (o *owner) Finished(count int) { o.finished += uint64(count) }

// outside is the Scheduler of goroutines that hold no slot.
type outside struct{ sys *System }

func (o *outside) Ready(n graphevent.Node) {
	s := o.sys
	if s.log != nil {
		s.traceKey(nil, flight.Ready, s.nodeKey(n))
	}
	if !s.late(n) {
		s.ready(n, nil)
	}
}

func (o *outside) Completed(n graphevent.Node) { o.sys.wasCompleted(n, nil) }

func (o *outside) Finished(count int) { o.sys.finishOutside(count) }

func (s *System) wasCompleted(n graphevent.Node, o *owner) {
	if s.log != nil {
		s.traceDone(o, n, s.store.Fails(n))
	}
	c := s.colds.At(uint32(n))
	c.drop()
	c.completedBy(o)
}

// by returns the free nodes and the Scheduler of whoever holds the slot of o, or has none.
func (s *System) by(o *owner) (*graphevent.Cache, graphevent.Scheduler) {
	if o == nil {
		return nil, &s.outside
	}
	return &o.slot.Cache, o
}

// endBody completes n, whose body has ended or does not run, unless something holds it open (B6).
func (s *System) endBody(n graphevent.Node, err error, o *owner) (completed bool) {
	cache, by := s.by(o)
	completed = s.store.EndBody(n, err, cache, by)
	if completed {
		by.Finished(1)
	}
	return completed
}

// ready sends the ready task n to its first gate or to the queues. If o is not nil, the caller
// holds the slot of o.
func (s *System) ready(n graphevent.Node, o *owner) {
	if c := s.colds.At(uint32(n)); c.special.Load() {
		if p := c.props.Load().gated(); p != nil && p.IsClosed() { // GA2
			if !s.late(n) {
				p.Gate(0).enter(entry.OfTask(n), o)
			}
			return
		}
	}
	s.queue(n, o)
}

// queue queues the ready task n, which has passed its gates.
func (s *System) queue(n graphevent.Node, o *owner) {
	l := kernel.Normal
	if c := s.colds.At(uint32(n)); c.special.Load() {
		e := s.store.Event(n)
		if s.bind(e, c, o) {
			return
		}
		l = c.priority(e).level()
	}
	switch {
	case o != nil:
		o.push(n, l)
	case !s.late(n):
		s.kern.Inject(entry.OfTask(n), l)
	}
}

// bind handles the ready task of e if it runs on a thread of its own or on a particular thread or
// worker.
func (s *System) bind(e Event, c *cold, o *owner) bool {
	th := c.boundTo()
	if th == nil {
		if c.hasOwnThread() {
			s.startOwnThread(e.Node())
			return true
		}
		return s.place(e.Node(), c, o)
	}
	n, props := e.Node(), c.props.Load()
	q, p := props.queueFor(c.priority(e))
	if !s.post(th, q, p, entry.OfTask(n)) {
		if props.unbind() {
			return false
		}
		// The thread has quit. A worker fails the task: we may be in the middle of a completion,
		// and the stack must not grow with a chain of such tasks.
		s.kern.Inject(entry.OfTask(n), kernel.Normal)
	}
	s.turns.Yield()
	return true
}

// late fails n, which is ready, if the workers have ended: nobody would take it. The caller
// does this instead of queueing n, so it claims n as if it had popped it. If it sees the
// workers going on, stop has yet to look for what is ready, and sees n.
func (s *System) late(n graphevent.Node) bool { return s.stopped.Load() && s.ending.Late(n) }

// refuse completes the claimed task n without running it.
func (s *System) refuse(n graphevent.Node) {
	s.endUnrun(n, Body{s.colds.At(uint32(n)).body}.givenUp())
}

// endUnrun completes the claimed task n, which does not run, with err.
func (s *System) endUnrun(n graphevent.Node, err error) {
	s.colds.At(uint32(n)).drop()
	if s.log != nil {
		s.traceDone(nil, n, err != nil)
	}
	s.endBody(n, err, nil)
}
