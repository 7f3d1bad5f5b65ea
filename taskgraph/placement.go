package taskgraph

import (
	"fmt"
	"runtime"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/namedthread"
	"github.com/heddle-go/heddle/taskgraph/internal/entry"
	"github.com/heddle-go/heddle/taskgraph/internal/kernel"
	"github.com/heddle-go/heddle/taskgraph/trace"
)

// Near asks that the worker of the given number runs the task, since what it needs is in that one's
// caches, say. Others take it if they have nothing else to do. It holds for PriorityNormal. It
// panics if there is no such worker.
func (t Task) Near(worker int) Task {
	c := t.held("Near")
	if n := t.sys.opts.Workers; worker < 0 || worker >= n {
		panic(fmt.Sprintf("taskgraph: Near worker %d of %d", worker, n))
	}
	if c != nil {
		c.propsOf().near = uint32(worker) + 1
	}
	return t
}

// Inline makes the worker that completes the last prerequisite run the task at once, before
// anything that is queued, when the body that is running has returned or waits: for a few
// instructions that are not worth a queue. Of several the last one begun runs first. A task that
// becomes ready otherwise, at its launch, by a trigger or on the slot of a caller, is queued with
// PriorityHigh; what its body launches has the priority that it had before.
func (t Task) Inline() Task {
	if c := t.held("Inline"); c != nil {
		p := c.propsOf()
		p.inline = true
		p.rank.Set(t.ev, PriorityHigh.level())
	}
	return t
}

// place queues the ready task n if a particular worker should run it. It does not inline on the
// slot of a caller, which may block in what it runs next and has no loop that runs inline tasks.
func (s *System) place(n graphevent.Node, c *cold, o *owner) bool {
	p := c.props.Load()
	switch {
	case p.inline && o != nil && !o.running && !o.slot.IsLent():
		o.inline = append(o.inline, n)
		return true
	case p.near != 0 && c.priority(s.store.Event(n)) == PriorityNormal:
		if !s.late(n) {
			s.kern.PushNear(int(p.near-1), entry.OfTask(n))
		}
		return true
	}
	return false
}

// runInline runs the inline tasks that the last body made ready.
func (r *runner) runInline() {
	r.sys.kern.Announce(r.o.slot) // other tasks that became ready have to wait
	for len(r.o.inline) > 0 {
		last := len(r.o.inline) - 1
		n := r.o.inline[last]
		r.o.inline = r.o.inline[:last]
		if last > 0 {
			r.o.unInline() // the body may block unseen, even until one of these has run
		}
		if r.sys.store.Claim(n, &r.o.slot.Cache) {
			r.execute(n)
		}
	}
}

// unInline queues the inline tasks, because the slot turns to something else.
func (o *owner) unInline() {
	for _, n := range o.inline {
		o.push(n, kernel.High)
	}
	o.inline = o.inline[:0]
}

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
	must(otherwise < fallbacks, "OnID with no such Fallback")
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

// OnOwnThread makes the task run on an operating system thread of its own, made for it when it is
// ready and ended with it: for a body that blocks for long in calls that the system cannot see, or
// that changes the state of its thread. It takes no worker, and its priority means nothing.
// Shutdown waits for it, and its Context does all that others do; a wait of the body runs nothing
// on the thread. Each starts a goroutine. The process's first thread, if Go picks that, stays.
func (t Task) OnOwnThread() Task {
	if c := t.held("OnOwnThread"); c != nil {
		c.propsOf().bind(nil, true, request{})
		t.sys.store.SetFlags(t.ev.Node(), graphevent.Pinned)
	}
	return t
}

func (c *cold) hasOwnThread() bool { return c.special.Load() && c.props.Load().own.Load() }

func (s *System) startOwnThread(n graphevent.Node) {
	s.runners.Add(1)
	s.kern.Enter()
	s.turns.Go(false, func() string { return "the thread of " + s.nameOf(s.store.Event(n)) },
		func() { s.ownThread(n) })
	s.turns.Yield()
}

func (s *System) ownThread(n graphevent.Node) {
	defer s.leave()
	runtime.LockOSThread() // for ever: the thread ends with the goroutine
	w := s.newWaiter(s.mode)
	defer w.Free()
	w.GID.Store(0) // see knowGoroutine
	r := &runner{sys: s, alone: w, kind: ownThreadRunner}
	r.takeLane(trace.LaneThread, "thread of a task")
	defer r.leaveLane()
	s.turns.SetName(r.describe)
	defer s.kern.Leave()
	defer r.leaveLookout()
	if s.store.Claim(n, nil) {
		r.nested(n)
	}
}
