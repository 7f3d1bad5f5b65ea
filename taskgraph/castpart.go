package taskgraph

import (
	"context"

	"github.com/heddle-go/heddle/internal/park"
	"github.com/heddle-go/heddle/namedthread"
	"github.com/heddle-go/heddle/taskgraph/internal/cast"
	"github.com/heddle-go/heddle/taskgraph/internal/kernel"
)

// A broadcast is a broadcast that is under way. broadcast.md has the protocol.
type broadcast struct {
	cast.Cast
	sys   *System
	parts []*castPart
	over  Event // completes when each part has ended: then the next may begin
	end   context.CancelCauseFunc
}

// A castPart is the part of one worker or thread.
type castPart struct {
	cast.Part
	slot   *kernel.Slot        // or nil
	thread *namedthread.Thread // or nil
	call   kernel.Call
	self   bool // the caller's own
}

var (
	_ namedthread.Runnable = (*castPart)(nil)
	_ namedthread.Canceler = (*castPart)(nil)
)

// begin makes the parts, of which self may be the caller's own.
func (b *broadcast) begin(f func(int, *namedthread.Thread), own *kernel.Slot,
	th *namedthread.Thread) (self *castPart) {
	s := b.sys
	b.Thrown, b.Over = thrown, b.close
	b.Parker = func() *park.Parker { return s.newParker(s.mode) }
	for _, slot := range s.kern.Slots() {
		p := &castPart{slot: slot, self: slot == own}
		p.call.What = p
		p.Name, p.Call = slot.String(), func() { f(slot.Index(), nil) }
		p.Recall = func() { s.kern.Withdraw(slot, &p.call) }
		b.parts = append(b.parts, p)
	}
	if s.opts.Threads != nil {
		for _, t := range s.opts.Threads.Threads() {
			b.parts = append(b.parts, b.partOf(t, f))
		}
	}
	all := make([]*cast.Part, len(b.parts))
	for i, p := range b.parts {
		all[i] = &p.Part
		if p.self = p.self || p.thread != nil && p.thread == th; p.self {
			self = p
		}
	}
	b.Begin(all)
	return self
}

func (b *broadcast) partOf(t *namedthread.Thread, f func(int, *namedthread.Thread)) *castPart {
	s, p := b.sys, &castPart{thread: t}
	p.Name, p.Call = "thread "+t.Name(), func() { f(-1, t) }
	p.Recall = func() { s.threadRunner(t).cast.CompareAndSwap(p, nil) }
	p.Enter = func() {
		p.Recall()
		s.kern.Enter()
	}
	p.Leave = s.kern.Leave
	return p
}

// invite tells all but the caller: BR3. It is called once the broadcast is in System.cast.
func (b *broadcast) invite() {
	s := b.sys
	for _, p := range b.parts {
		switch {
		case p.self:
		case p.slot != nil:
			s.kern.Call(p.slot, &p.call)
			if p.IsWithdrawn() {
				p.Recall()
			}
		default:
			s.threadRunner(p.thread).cast.Store(p)
			if p.thread.Post(namedthread.QueueMain, namedthread.PriorityHigh, p, 0) != nil {
				p.Quit()
			}
		}
	}
}

// RunOn is called by the thread, when it pumps: BR4.
func (p *castPart) RunOn(*namedthread.Thread, uint64) { p.Come() }

// CancelOn is called when the thread has quit: then it takes no part.
func (p *castPart) CancelOn(*namedthread.Thread, uint64) { p.Quit() }

// close ends the broadcast, when each part has ended and all were invited: BR5.
func (b *broadcast) close() {
	b.sys.kern.CallsOver()
	b.sys.cast.CompareAndSwap(b, nil)
	b.over.Trigger()
}

func (r *runner) answer(slot *kernel.Slot) {
	if c := r.sys.kern.TakeCall(slot); c != nil {
		c.What.(*castPart).Come()
	}
}

func (r *threadRunner) answerCast() {
	if p := r.cast.Load(); p != nil && r.cast.CompareAndSwap(p, nil) {
		p.Come()
	}
}
