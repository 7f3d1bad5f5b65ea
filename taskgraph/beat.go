package taskgraph

import (
	"context"
	"time"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/park"
	"github.com/heddle-go/heddle/internal/spin"
	"github.com/heddle-go/heddle/taskgraph/internal/kernel"
	"github.com/heddle-go/heddle/taskgraph/internal/watch"
)

// afterBeat is how long, in nanoseconds, workers stay awake after the moment at which work was due,
// for a launch that is a little late.
const afterBeat = 100_000

// farthest is how far from now a moment may be: more would overflow when it is added to the time.
const farthest = time.Duration(1) << 62

// SleepUntil sleeps until t, for a loop whose steps begin at a beat: shortly before t the goroutine
// and the idle workers are woken and stay awake, so that all are there when work is launched at t.
// It returns nil at t, at once if that has passed, or the cause of ctx's end when that comes first.
// With one worker or one P, with ParkGo and in deterministic mode nobody stays awake, and the sleep
// is as late as a timer of Go's.
//
// With the Context of a body as ctx its worker goes to other work, and the sleep ends with
// ErrClosed when the system gives up on the body. Outside of bodies a shutdown does not end it.
func (s *System) SleepUntil(ctx context.Context, t time.Time) error {
	d := min(t.Sub(s.Now()), farthest)
	switch {
	case ctx.Err() != nil:
		return s.causeOf(ctx)
	case d <= 0:
		return nil
	}
	body := s.bodyIn(ctx)
	if !s.spin {
		return s.waitIn(ctx, body, s.AfterDelay(d))
	}
	at := atomics.Now() + int64(d)
	wake := at - s.beat.For(int64(d))
	outside := 1
	if body.slot() != nil {
		outside = 0
	}
	s.expect(wake, at, outside)
	if wake > atomics.Now() {
		if err := s.sleep(ctx, body, wake, at); err != nil {
			return err
		}
		s.beat.Learn(atomics.Now() - wake)
	}
	return s.awaitBeat(ctx, body, at)
}

// expect keeps idle workers awake from wake until a little after at, less as many as runners come
// from outside: BE1.
func (s *System) expect(wake, at int64, outside int) {
	if s.opts.Idle == IdleAwake {
		return
	}
	in := time.Duration(wake - atomics.Now())
	s.kern.KeepAwake(in, time.Duration(at+afterBeat-wake)+min(in, 0), outside)
}

// sleep sleeps until wake, or until ctx ends: BE2. The whole SleepUntil ends at at.
func (s *System) sleep(ctx context.Context, body *Context, wake, at int64) error {
	if body == nil {
		return s.sleepAside(ctx, wake)
	}
	r := body.r
	r.flush()
	if r.lookout != nil && r.depth <= watch.Depth {
		r.lookout.Rebegin(r.depth-1, at) // a body that sleeps is not slow
	}
	if !r.onSlot() {
		return s.sleepAside(ctx, wake)
	}
	if !s.canEnd(ctx) && s.kern.Doze(r.Slot(), time.Duration(wake-atomics.Now())) {
		return nil
	}
	var err error
	if wake > atomics.Now() {
		body.Blocking(func() { err = s.sleepAside(ctx, wake) })
	}
	return err
}

// sleepAside sleeps on a goroutine that is not a worker.
func (s *System) sleepAside(ctx context.Context, wake int64) error {
	mode := s.mode
	// A parker that cannot hand off its P keeps it at first, in case that it is woken soon. But a
	// sleep ends at its moment, and many of them would leave no P to others.
	long := !park.HandsOff() && wake-atomics.Now() > int64(park.BriefLimit)
	if s.sleepers.Add(1) > maxParked || long {
		mode = park.Go
	}
	defer s.sleepers.Add(-1)
	w := s.newWaiter(mode)
	defer w.Free()
	if ctx.Done() != nil {
		stop := s.turns.OnEnd(ctx, w.End)
		defer stop()
	}
	for {
		d := wake - atomics.Now()
		if d <= 0 {
			return nil
		}
		w.ParkTimeout(time.Duration(d)) // also woken for an earlier wait
		if ctx.Err() != nil {
			return s.causeOf(ctx)
		}
	}
}

// awaitBeat stays awake until at: BE3.
func (s *System) awaitBeat(ctx context.Context, body *Context, at int64) error {
	for spinning := (spin.Wait{}); atomics.Now() < at; {
		if !spinning.Look() {
			continue
		}
		switch {
		case ctx.Err() != nil:
			return s.causeOf(ctx)
		case body != nil && s.abandoned.Load():
			return graphevent.ErrClosed
		}
	}
	return nil
}

func (c *Context) slot() *kernel.Slot {
	if c == nil || !c.r.onSlot() {
		return nil
	}
	return c.r.Slot()
}

// ExpectWork says that work will be launched at t, such as a step that a device asks for: idle
// workers are awake then, as with [System.SleepUntil], which is for loops that wait for the beat
// themselves. t takes the place of a moment named before. It does nothing where SleepUntil keeps
// nobody awake.
func (s *System) ExpectWork(t time.Time) {
	if !s.spin || s.stopped.Load() {
		return
	}
	d := int64(min(time.Until(t), farthest))
	at := atomics.Now() + d
	s.expect(at-s.beat.For(d), at, 0)
}
