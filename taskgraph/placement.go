package taskgraph

import (
	"fmt"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/taskgraph/internal/entry"
	"github.com/heddle-go/heddle/taskgraph/internal/kernel"
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
