package taskgraph

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/park"
	"github.com/heddle-go/heddle/namedthread"
	"github.com/heddle-go/heddle/taskgraph/internal/cast"
	"github.com/heddle-go/heddle/taskgraph/internal/kernel"
)

// Broadcast calls f once for each worker, on the goroutine that is that worker at that moment, and
// once on each named thread of the registry, and returns when all calls have returned. f gets the
// worker's number and a nil thread, or -1 and the thread. It must not broadcast, wait for tasks or
// use a Context.
//
// A worker comes at the end of its task, or when that waits through its [Context]; those that stand
// in for bodies that block are not called. A thread comes when it pumps its main queue, not in a
// wait. A caller that is a thread or a body takes its own part.
//
// If ctx ends first, those that have not come are not called any more and the error is a
// *[BroadcastError]. If calls panic or end their goroutines, the others go on, and the error joins
// those of all. After a Shutdown has begun it is ErrClosed. Broadcasts take place one after the
// other, make garbage, and wake every worker.
func (s *System) Broadcast(ctx context.Context, f func(worker int, th *namedthread.Thread)) error {
	return s.broadcast(ctx, f, false)
}

// Rendezvous is [System.Broadcast] with a meeting: f is called when all have come, and not at all
// if ctx ends before. Who has come waits for the others.
func (s *System) Rendezvous(ctx context.Context, f func(worker int, th *namedthread.Thread)) error {
	return s.broadcast(ctx, f, true)
}

// broadcast is Broadcast and Rendezvous, for the body of c or, if c is nil, for somebody else.
func (s *System) broadcast(ctx context.Context, f func(int, *namedthread.Thread), meet bool) error {
	must(f != nil, "Broadcast of a nil function")
	c := s.bodyIn(ctx)
	if s.isOver(c) {
		return graphevent.ErrClosed
	}
	if ctx.Err() != nil {
		return s.causeOf(ctx)
	}
	b := &broadcast{sys: s, over: s.NewEvent()}
	b.Meet = meet
	s.label(b.over, &label{name: "broadcast", cast: true})
	ctx, b.end = context.WithCancelCause(ctx)
	defer b.end(nil)
	defer s.turns.OnEnd(s.ctx, func() { b.end(graphevent.ErrClosed) })()
	over := b.over // not a pointer into b: the last one is kept
	// BR1: broadcasts form a queue in which each waits for the one before.
	if before := s.lastCast.Swap(&over); before != nil {
		if err := s.awaitTurn(ctx, c, *before); err != nil {
			b.over.DontCompleteUntil(*before)
			b.over.Trigger()
			return err
		}
	}
	own, th := c.slot(), (*namedthread.Thread)(nil)
	if r := s.threadOf(c); r != nil {
		own, th = nil, r.thread
	}
	self := b.begin(f, own, th)
	// BR2: it is stored before we look whether the system ends: so we see that, or whoever ends the
	// system sees it. The place is empty unless a shutdown has cut the queue.
	if !s.cast.CompareAndSwap(nil, b) || s.isOver(c) {
		b.Withdraw()
		b.Leave()
		return graphevent.ErrClosed
	}
	defer s.turns.OnEnd(ctx, b.Withdraw)() // BR6
	// The next one does not begin before all are invited, even if this is withdrawn meanwhile.
	b.invite(self)
	b.Leave()
	if self != nil {
		self.Come()
	}
	err := s.awaitCast(ctx, c, b.over)
	// A shutdown may have failed over.
	if !b.IsOver() || len(b.Missing()) > 0 {
		b.Withdraw()
		if b.IsCalledOff() {
			// Nobody runs f, so all parts end soon; then it is known who came.
			_ = s.awaitCast(context.Background(), c, b.over)
		}
		e := &BroadcastError{Missing: b.Missing(), Running: b.Running(),
			Cause: cmp.Or(context.Cause(ctx), err, graphevent.ErrClosed)}
		return errors.Join(slices.AppendSeq([]error{e}, b.Failures)...)
	}
	return errors.Join(slices.Collect(b.Failures)...)
}

// isOver reports whether a broadcast comes too late.
func (s *System) isOver(c *Context) bool {
	return s.stopped.Load() || s.abandoned.Load() || c == nil && s.door.IsClosed()
}

// awaitTurn waits for the broadcast before. Meanwhile a named thread takes its part in that
// broadcast, since its own call expects f to run there.
func (s *System) awaitTurn(ctx context.Context, c *Context, before Event) error {
	if r := s.threadOf(c); r != nil {
		r.turns++
		defer func() { r.turns-- }()
	}
	return s.awaitCast(ctx, c, before)
}

func (s *System) awaitCast(ctx context.Context, c *Context, e Event) error {
	if e.IsComplete() {
		return nil
	}
	return s.blockOn(ctx, c, []Event{e})
}

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
}

var (
	_ namedthread.Runnable = (*castPart)(nil)
	_ namedthread.Canceler = (*castPart)(nil)
)

// begin makes the parts, of which self is the caller's own, if it has the slot own or is th.
func (b *broadcast) begin(f func(int, *namedthread.Thread), own *kernel.Slot,
	th *namedthread.Thread) (self *castPart) {
	s := b.sys
	b.Thrown, b.Over = thrown, b.close
	b.Parker = func() *park.Parker { return s.newParker(s.mode) }
	for _, slot := range s.kern.Slots() {
		p := &castPart{slot: slot}
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
		if own != nil && p.slot == own || th != nil && p.thread == th {
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
func (b *broadcast) invite(self *castPart) {
	s := b.sys
	for _, p := range b.parts {
		switch {
		case p == self:
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
