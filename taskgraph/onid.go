package taskgraph

import (
	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/namedthread"
)

// A request in the props of a task is what OnID asked for. The builder writes it.
type request struct {
	id       namedthread.ID
	byID     bool // id gives the queue and the priority on the thread
	anywhere bool // FallbackAnywhere
	lost     bool // there is no such thread: the task fails
}

// OnID makes the task run where id says. That is the thread of that index, and of that generation
// if the ID has one, in Options.Threads, which is looked up now: the task is posted to it with the
// queue and the priority of id, and for the rest it is as with [Task.On]. If there is none, or it
// quits, otherwise says what happens.
//
// If id is for any thread the task runs on the workers. There the priority of the thread and
// that of the task make one of the five: normal is PriorityNormal, high and highest are
// PriorityHigh, and low is PriorityBackgroundHigh or PriorityBackgroundNormal.
//
// OnID replaces [Task.On], [Task.OnOwnThread] and [Task.Priority], and is replaced by the first
// two. It panics if id is not valid or otherwise is no constant of its type.
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
	p.own.Store(false)
	p.thread.Store(nil)
	p.request = request{id: id}
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

// priorityOfID returns the priority on workers.
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
