package taskgraph

import (
	"context"
	"errors"
	"slices"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/namedthread"
	"github.com/heddle-go/heddle/taskgraph/internal/kernel"
)

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
	b := &broadcast{sys: s, f: f, meet: meet, over: s.NewEvent()}
	s.label(b.over, &label{name: "broadcast", cast: true})
	ctx, b.end = context.WithCancelCause(ctx)
	defer b.end(nil)
	defer s.onEnd(s.ctx, func() { b.end(graphevent.ErrClosed) })()
	over := b.over // not a pointer into b: the last one is kept
	// BR1: broadcasts form a queue in which each waits for the one before.
	if before := s.lastCast.Swap(&over); before != nil {
		if err := s.awaitTurn(ctx, c, *before); err != nil {
			b.over.DontCompleteUntil(*before)
			b.over.Trigger()
			return err
		}
	}
	self := b.begin(s.ownPlace(c))
	// BR2: the broadcast is stored before we look whether the system ends: so either we see that,
	// or whoever ends the system sees the broadcast. The place is empty unless a shutdown has cut
	// the queue.
	if !s.cast.CompareAndSwap(nil, b) || s.isOver(c) {
		b.withdraw()
		b.leave()
		return graphevent.ErrClosed
	}
	defer s.onEnd(ctx, b.withdraw)()
	// The next one does not begin before we have invited all, even if this one is withdrawn
	// meanwhile.
	b.invite()
	b.leave()
	if self != nil {
		self.come()
	}
	err := s.awaitCast(ctx, c, b.over)
	short := func(p *castPart) bool { return p.state.Load() == castWithdrawn }
	// A shutdown may have failed over.
	if b.left.Load() != 0 || slices.ContainsFunc(b.parts, short) {
		b.withdraw()
		if b.meet && b.gate.Load()&castFailed != 0 {
			// Nobody runs f, so all parts end soon; then it is known who came.
			_ = s.awaitCast(context.Background(), c, b.over)
		}
		return b.failure(context.Cause(ctx), err)
	}
	return errors.Join(slices.Collect(b.errs.Drain())...)
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
	r := s.threadOf(c)
	if r == nil {
		return s.awaitCast(ctx, c, before)
	}
	r.turns++
	defer func() { r.turns-- }()
	return s.awaitCast(ctx, c, before)
}

func (r *threadRunner) answerCast() {
	if p := r.cast.Load(); p != nil && r.cast.CompareAndSwap(p, nil) {
		p.come()
	}
}

func (s *System) awaitCast(ctx context.Context, c *Context, e Event) error {
	if e.IsComplete() {
		return nil
	}
	return s.blockOn(ctx, c, []Event{e})
}

func (b *broadcast) failure(cause, err error) error {
	if cause == nil {
		cause = err
	}
	if cause == nil {
		cause = graphevent.ErrClosed
	}
	e := &BroadcastError{Cause: cause}
	for _, p := range b.parts {
		switch p.state.Load() {
		case castWithdrawn:
			e.Missing = append(e.Missing, p.String())
		case castCame:
			e.Running = append(e.Running, p.String())
		}
	}
	return errors.Join(slices.AppendSeq([]error{e}, b.errs.Drain())...)
}

// awaited names the workers and threads that have not come, or whose call has not returned.
func (b *broadcast) awaited() (names []string) {
	for _, p := range b.parts {
		if st := p.state.Load(); st == castCalled || st == castCame {
			names = append(names, p.String())
		}
	}
	return names
}
