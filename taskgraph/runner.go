package taskgraph

import (
	"context"
	"fmt"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/cacheline"
	"github.com/heddle-go/heddle/internal/park"
	"github.com/heddle-go/heddle/namedthread"
	"github.com/heddle-go/heddle/taskgraph/internal/goroutine"
	"github.com/heddle-go/heddle/taskgraph/internal/kernel"
)

func (s *System) newRunner(slot *kernel.Slot) *runner {
	mode := s.mode
	if s.runners.Load() > maxParked {
		mode = park.Go
	}
	r := cacheline.New[runner]()
	r.Runner, r.sys = s.kern.NewRunner(slot, mode), s
	r.hold()
	r.takeFirstLane(slot)
	r.initLinger()
	r.slotWait.End = r.End
	r.slotWait.GID.Store(goroutine.ID())
	r.Describe = r.describe
	s.turns.SetName(r.describe)
	return r
}

func (r *runner) main() {
	over := false
	defer r.sys.leave()
	defer r.leaveLane()
	defer r.leaveLookout()
	defer r.replace(&over)
	for r.burst() {
	}
	over = true
}

// replace starts another runner on the slot if a Goexit ends this one: R4. A recovered panic does
// not rule out a Goexit, which continues after a panic in a deferred function.
func (r *runner) replace(over *bool) {
	if !*over {
		r.sys.spawn(r.Slot())
	}
}

// burst runs tasks until one panics, all under one frame that recovers. It returns false when the
// runner has to end.
func (r *runner) burst() (more bool) {
	defer r.rescue(0, &more)
	k := r.sys.kern
	if len(r.o.inline) > 0 {
		r.runInline() // inline tasks of a task that panicked
	}
	slot := r.Slot()
	for {
		r.yieldToWoken()
		e, got := k.Next(slot)
		if got != kernel.GotTask {
			r.flush()
			if r.lane != nil {
				r.lane.Rest()
			}
			if got == kernel.GotNone {
				r.yieldToWoken() // the flush may have woken somebody
				e, got = k.Search(slot)
			}
		}
		switch got {
		case kernel.GotTask:
			if r.lane != nil {
				r.traceSteal(e, slot)
			}
			for more := true; more; {
				e, more = r.take(e, slot)
			}
			if len(r.o.inline) > 0 {
				r.runInline()
			}
			slot = r.Slot() // a wait may have changed it
		case kernel.GotResume, kernel.GotRetire:
			if got == kernel.GotResume && !r.Yield() || got == kernel.GotRetire && !r.Retire() {
				return false
			}
			r.hold()
			slot = r.Slot()
		case kernel.GotCall:
			r.answer(slot)
		case kernel.GotStop:
			r.sys.report(slot)
			return false
		case kernel.GotNone:
		}
	}
}

// rescue ends the body that a panic or a Goexit has cut off, if more than base bodies were on the
// stack: R1.
func (r *runner) rescue(base int, more *bool) {
	if r.depth == base {
		return
	}
	c := r.frames[r.depth-1]
	*more = true                  // without effect if a Goexit continues
	if v := recover(); v != nil { // R2
		r.finish(c, thrown(v))
		return
	}
	// R3, a Goexit: it cannot be stopped, and ends all bodies on this stack.
	err := graphevent.ErrGoexit
	if r.exited == "" {
		r.exited = r.sys.nameOf(c.ev)
	} else {
		err = fmt.Errorf("%w: in %s, run by a wait of this task", err, r.exited)
	}
	if c.reported {
		err = nil
	}
	r.finish(c, err)
	if r.depth == 0 {
		r.exited = ""
	}
}

// nested runs a claimed task on top of the body that waits for it.
func (r *runner) nested(n graphevent.Node) {
	var more bool
	defer r.rescue(r.depth, &more)
	r.execute(n)
}

// execute runs the body of a claimed task (B5) and completes it.
func (r *runner) execute(n graphevent.Node) {
	s := r.sys
	cold := s.colds.At(uint32(n))
	body := Body{cold.body}
	cold.body = nil
	c := r.push(s.store.Event(n))
	if r.o != nil {
		r.o.running = true
	}
	if cold.special.Load() {
		if err := r.begin(c, cold); err != nil {
			body.drop()
			if _, ok := err.(*cancelError); ok {
				r.cancel(c, err)
			} else {
				r.finish(c, err)
			}
			return
		}
	}
	if r.lane != nil {
		r.traceBegin(c, cold, body)
	}
	var err error
	switch checks := s.checks.Load(); {
	case checks == 0:
		err = body.call(c)
	case checks&checkAbandoned != 0:
		body.drop()
		r.finish(c, body.givenUp())
		return
	default:
		err = r.callWatched(c, body, body.f)
	}
	if c.again && err == nil {
		r.repeat(c, cold, body)
		return
	}
	r.finish(c, err)
}

// begin takes what the body of c needs out of the props, or returns why the body must not run.
func (r *runner) begin(c *Context, cold *cold) error {
	if th := cold.boundTo(); th != nil && th != r.namedThread() {
		return graphevent.ErrClosed // its thread has quit
	}
	p := cold.props.Load()
	if p.lost {
		return fmt.Errorf("taskgraph: %w: %v", namedthread.ErrNoThread, p.id)
	}
	if c.prio = p.prio; !p.inline {
		c.prio = cold.priority(c.ev)
	}
	c.ctx, p.ctx = p.ctx, nil
	if c.ctx != nil && c.ctx.Err() != nil {
		return &cancelError{context.Cause(c.ctx)}
	}
	if g := p.gated(); g != nil {
		c.passage = g
		g.begun = !r.sys.abandoned.Load()
	}
	return nil
}

func (s *System) spawn(slot *kernel.Slot) {
	s.runners.Add(1)
	s.turns.Go(true, slot.String, func() { s.newRunner(slot).main() })
}
