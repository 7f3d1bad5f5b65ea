package taskgraph

import (
	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/namedthread"
)

// OnID makes the task run where id says: like [Task.On], with the queue and the priority of id, on
// the thread of that index, and of that generation if the ID has one, which is looked up now in
// Options.Threads. If there is none, or it quits, otherwise says what happens.
//
// If id is for any thread the task runs on the workers: with PriorityHigh if the thread's priority
// is high or highest; if that is low, with PriorityBackgroundHigh for a high task and
// PriorityBackgroundNormal for another; else with PriorityNormal. Of On, OnID and OnOwnThread the
// last one counts, and OnID replaces [Task.Priority]. It panics if id is not valid.
func (t Task) OnID(id namedthread.ID, otherwise Fallback) Task {
	if !id.Valid() {
		panic("taskgraph: OnID of " + id.String())
	}
	if otherwise >= fallbacks {
		panic("taskgraph: OnID with no such Fallback")
	}
	c := t.held("OnID")
	if c == nil {
		return t
	}
	p := c.propsOf()
	p.bind(nil, false, request{id: id})
	p.setPriority(t.ev, priorityOfID(id))
	if id.Any() {
		return t
	}
	var th *namedthread.Thread
	if reg := t.sys.opts.Threads; reg != nil {
		th, _ = reg.Find(id)
	}
	if th == nil {
		p.lost = otherwise == FallbackError
		return t
	}
	p.thread.Store(th)
	p.byID, p.anywhere = true, otherwise == FallbackAnywhere
	t.sys.store.SetFlags(t.ev.Node(), graphevent.Pinned)
	return t
}

func priorityOfID(id namedthread.ID) Priority {
	switch id.ThreadPriority() {
	case namedthread.ThreadHigh, namedthread.ThreadHighest:
		return PriorityHigh
	case namedthread.ThreadLow:
		if id.Priority() == namedthread.PriorityHigh {
			return PriorityBackgroundHigh
		}
		return PriorityBackgroundNormal
	}
	return PriorityNormal
}

// queueFor returns where on its thread a task of priority prio goes.
func (p *props) queueFor(prio Priority) (namedthread.Queue, namedthread.Priority) {
	switch {
	case p.byID:
		return p.id.Queue(), p.id.Priority()
	case prio == PriorityHigh:
		return namedthread.QueueMain, namedthread.PriorityHigh
	}
	return namedthread.QueueMain, namedthread.PriorityNormal
}

// unbind leaves a ready task whose thread has quit to the workers, if OnID asked for that. The task
// stays marked as pinned, now to no thread: see claimEarly.
func (p *props) unbind() bool {
	if !p.anywhere {
		return false
	}
	p.thread.Store(nil)
	return true
}

// unbind is for a task that its thread gives back. If the task has been run early, the new entry is
// a tombstone, as the old one was.
func (s *System) unbind(n graphevent.Node) bool {
	c := s.colds.At(uint32(n))
	return c.special.Load() && c.props.Load().unbind()
}
