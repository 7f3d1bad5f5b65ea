package taskgraph

import (
	"context"
	"time"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/turns"
	"github.com/heddle-go/heddle/taskgraph/internal/pending"
)

// AfterDelay returns an event that completes when d has passed on the monotonic clock, or at once
// if d is not positive. It makes the garbage of a timer. Shutdown waits for delayed tasks, unless
// its context ends; a delay that no incomplete task waits for then fails with ErrClosed.
func (s *System) AfterDelay(d time.Duration) Event {
	if d <= 0 {
		return Event{}
	}
	if s.stopped.Load() {
		return s.closed
	}
	return s.startDelay(d, nil).ev
}

// A delay is a pending delay.
type delay struct {
	sys    *System
	ev     Event
	due    int64 // on the clock of System.turns
	ticket pending.Ticket
	of     *periodic // or nil
	timer  atomics.Pointer[time.Timer]

	virtual *turns.Timer // instead of timer, in deterministic mode
}

// startDelay begins a delay: DE1 and DE2.
func (s *System) startDelay(d time.Duration, of *periodic) *delay {
	p := &delay{sys: s, ev: s.NewEvent(), of: of, due: s.turns.Now() + int64(d)}
	s.runners.Add(1) // the timer's goroutine is one of the system's
	if !s.delays.Add(p, &p.ticket) {
		p.ev.Trigger()
		s.leave() // else a Shutdown would wait for it
		panic("taskgraph: more than 2^28 delays")
	}
	if s.turns != nil {
		p.virtual = s.turns.AfterFunc(int64(d), func() { p.end(nil) })
	} else {
		p.timer.Store(time.AfterFunc(d, func() { p.end(nil) }))
		if p.ticket.IsOver() {
			p.timer.Load().Stop() // ended before the timer was there
		}
	}
	if s.stopped.Load() {
		p.end(graphevent.ErrClosed)
	}
	return p
}

// end completes the delay's event, unless it is complete: DE4.
func (p *delay) end(err error) {
	s := p.sys
	if !s.delays.End(&p.ticket) {
		return
	}
	if t := p.timer.Load(); t != nil {
		t.Stop()
	}
	if p.virtual != nil {
		p.virtual.Stop()
	}
	if err == nil {
		p.ev.Trigger()
	} else if p.ev.Fail(err) {
		_ = p.ev.Err() // marks the failure as seen
	}
	s.delays.Done(&p.ticket) // only now: while a delay is pending, nothing is stuck
	s.door.Tell()
	s.leave()
}

// A periodic is the body of a task of Every; each tick is a round.
type periodic struct {
	sys     *System
	body    Body
	period  time.Duration
	start   int64
	pending atomics.Pointer[delay]
}

// Every launches a task that runs b, with the context ctx, when period has passed and again and
// again at multiples of it; those that pass while b runs are left out. It returns the event of all
// that, which fails as soon as b does, or with ErrCanceled when ctx ends, and succeeds at a
// shutdown, also at one that gives up, unless that ends a wait of b. A call that comes while the
// system shuts down may yield an event that fails with ErrClosed.
func (s *System) Every(ctx context.Context, period time.Duration, b Body) Event {
	must(ctx != nil, "Every with a nil context")
	must(period > 0, "Every with a period that is not positive")
	must(b.f != nil, "Every with a zero Body")
	p := &periodic{sys: s, body: b, period: period, start: s.turns.Now()}
	t := s.Task(Body{p}).Context(ctx)
	if t.ev.Store() != s.store {
		return t.ev
	}
	e := t.After(p.next()).Launch()
	if ctx = ownContext(ctx); ctx != nil && ctx.Done() != nil {
		stop := s.turns.OnEnd(ctx, p.wake)
		if !s.store.Notify(nil, func() { stop() }, e) {
			stop()
		}
	}
	return e
}

// Run implements [Job]: one tick.
func (p *periodic) Run(c *Context) error {
	if p.sys.door.IsClosed() {
		return nil
	}
	if err := p.body.call(c); err != nil {
		return err
	}
	if p.sys.door.IsClosed() {
		return nil
	}
	next := p.next()
	if !p.sys.door.IsClosed() { // DE6: else next may have been failed
		c.Again(next)
		if c.ends() && c.ctx.Err() != nil {
			p.wake() // the task was told to end before the delay existed
		}
	}
	return nil
}

// next returns an event that completes at the next tick, or when the system begins to end.
func (p *periodic) next() Event {
	passed := time.Duration(p.sys.turns.Now() - p.start)
	ticks := passed/p.period + 1
	d := p.sys.startDelay(ticks*p.period-passed, p)
	p.pending.Store(d)
	if p.sys.door.IsClosed() {
		d.end(nil)
	}
	return d.ev
}

// wake makes the next tick come at once, because the task has to end.
func (p *periodic) wake() { p.pending.Load().end(nil) }

func (s *System) endPeriodic() {
	for p := range s.delays.All {
		if p.of != nil {
			p.end(nil)
		}
	}
}

// areTicksEnding reports whether a delay of a task of Every is being ended, after endPeriodic.
func (s *System) areTicksEnding() bool {
	for p := range s.delays.All {
		if p.of != nil {
			return true
		}
	}
	return false
}
