package taskgraph

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/namedthread"
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
	if f == nil {
		panic("taskgraph: Broadcast of a nil function")
	}
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
	own, th := s.ownPlace(c)
	self := b.begin(f, own, th)
	// BR2: the broadcast is stored before we look whether the system ends: so either we see that,
	// or whoever ends the system sees the broadcast. The place is empty unless a shutdown has cut
	// the queue.
	if !s.cast.CompareAndSwap(nil, b) || s.isOver(c) {
		b.Withdraw()
		b.Leave()
		return graphevent.ErrClosed
	}
	defer s.turns.OnEnd(ctx, b.Withdraw)() // BR6
	// The next one does not begin before we have invited all, even if this one is withdrawn
	// meanwhile.
	b.invite()
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
		return b.failure(context.Cause(ctx), err)
	}
	return errors.Join(slices.Collect(b.Failures)...)
}

// isOver reports whether a broadcast comes too late.
func (s *System) isOver(c *Context) bool {
	return s.stopped.Load() || s.abandoned.Load() || c == nil && s.door.IsClosed()
}

func (s *System) ownPlace(c *Context) (*kernel.Slot, *namedthread.Thread) {
	if r := s.threadOf(c); r != nil {
		return nil, r.thread
	}
	return c.slot(), nil
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

func (b *broadcast) failure(cause, err error) error {
	cause = cmp.Or(cause, err, graphevent.ErrClosed)
	e := &BroadcastError{Cause: cause, Missing: b.Missing(), Running: b.Running()}
	return errors.Join(slices.AppendSeq([]error{e}, b.Failures)...)
}
