package taskgraph

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/namedthread"
	"github.com/heddle-go/heddle/taskgraph/internal/abandon"
	"github.com/heddle-go/heddle/taskgraph/internal/stuck"
	"github.com/heddle-go/heddle/taskgraph/internal/waits"
)

// Shutdown refuses further launches from outside, waits until all tasks have completed and nobody
// waits for an event, a unit or a group of the system, and ends the workers. It returns the
// failures that nobody has seen. Meanwhile bodies launch through their Context; a launch through
// the System is refused, whoever makes it. On a named thread of the system it runs what is bound to
// that. A body must not call Shutdown. Further calls wait for the first and return its result.
//
// If the system is idle for Options.StuckAfter although something is incomplete, or if ctx ends,
// Shutdown abandons that and returns a *[StuckError]. Then bodies that have not returned are the
// only goroutines left of the system, and their tasks complete when they return; after any other
// result none is left.
func (s *System) Shutdown(ctx context.Context) error {
	s.turns.Check()
	defer s.endTurns()
	if !s.door.Close() { // SH1
		s.awaitOver()
		return s.result
	}
	s.endPeriodic()
	if s.bound != nil {
		s.bound.Close() // BO3
	}
	hangs := s.drain(ctx)
	if hangs != nil {
		failures := s.unseenFailures()
		s.stop(false)
		s.result = errors.Join(append([]error{hangs}, failures...)...)
	} else {
		s.stop(true)
		// also those of a callback that was the last to end
		s.result = errors.Join(s.unseenFailures()...)
	}
	close(s.over)
	return s.result
}

// drain waits until no task is incomplete (SH2). If that does not happen, it abandons them (SH3).
func (s *System) drain(ctx context.Context) error {
	if ctx.Done() != nil {
		stop := s.turns.OnEnd(ctx, func() { s.quiet.Unpark() })
		defer stop()
	}
	here := s.currentThread()
	most := s.lookAfter()
	still := stuck.Standstill[uint64]{Most: int64(most)}
	held := stuck.Standstill[*broadcast]{Most: int64(most)}
	stuckAfter := int64(s.opts.StuckAfter)
	nothing := false // in deterministic mode: nothing can go on
	for {
		wait := most
		if here != nil { // what is bound to the calling thread runs here
			wait = min(wait, time.Millisecond)
			// ErrReentered means that somebody above pumps.
			_, _ = here.thread.PumpUntilIdle(namedthread.QueueMain)
		}
		idle, stamp := s.kern.Quiet()
		idle = idle || nothing
		if s.kern.Over(&s.door) && !s.isAwaited() {
			return nil
		}
		now := s.turns.Now()
		b := s.cast.Load()
		if age, _ := held.Look(now, b != nil, b); age >= stuckAfter {
			b.end(graphevent.ErrClosed) // those who wait for the others are not idle
		}
		age, _ := still.Look(now, idle && s.delays.Len() == 0, stamp)
		switch {
		case ctx.Err() != nil:
			return s.abandon(context.Cause(ctx))
		case age >= stuckAfter && s.isStagnant(age):
			return s.abandon(nil)
		}
		nothing = !s.quiet.ParkTimeout(max(wait, shortestLook)) && s.turns != nil
	}
}

// lookAfter returns how long drain waits between two looks, and how much of StuckAfter one of these
// waits counts for at most: half. So a clock that leaps, as when the process was stopped, does not
// end by itself what would go on.
func (s *System) lookAfter() time.Duration {
	if s.turns != nil {
		return s.opts.StuckAfter
	}
	return s.opts.StuckAfter/2 + 1
}

// isStagnant reports whether nothing is about to run, on a system that has been drained for so
// long: somebody from outside who has completed an event may be on the way to queue what became
// ready, and a body whose wait has ended, to wake up. After mostPatience it is taken for stagnant
// whatever there is.
func (s *System) isStagnant(age int64) bool {
	if age > int64(s.opts.StuckAfter)+mostPatience {
		return true
	}
	w := s.walk()
	return w.Idle && !w.about
}

const (
	mostPatience = int64(10 * time.Second)
	shortestLook = 50 * time.Microsecond
)

// How often a shutdown that gives up looks, a millisecond apart, whether what it has ended goes on
// to its end. One whose context has ended is to return: bodies that still run may take any time.
const (
	settleLooks   = 100
	settleInHaste = 1
	mostForced    = 3 // ends by force: what one makes ready can run while the next would end it
)

// settle waits until nothing runs, for so many looks, and reports whether all is complete.
func (s *System) settle(looks int) bool {
	for range looks {
		still, stamp := s.kern.Still()
		if still && s.door.Live() == 0 {
			return true
		}
		s.quiet.ParkTimeout(time.Millisecond)
		if again, now := s.kern.Still(); still && again && now == stamp {
			return s.door.Live() == 0
		}
	}
	return false
}

// abandon completes what will not complete by itself: SH4. It ends what others wait for: events
// that nobody triggers, tasks that nobody launched, waits in bodies; the rest follows by
// the ordinary ways. What is then still there, with nothing running, waits in a cycle.
func (s *System) abandon(cause error) error {
	report := &StuckError{StuckReport: *s.Stuck(), Cause: cause}
	looks := settleLooks
	if cause != nil {
		looks = settleInHaste
	}
	s.checks.Or(checkAbandoned) // bodies that have not started do not start
	s.ending.Abandon()
	for s.inspecting.Load() > 0 { // a report may look at what is going to be dropped
		s.quiet.ParkTimeout(time.Millisecond)
	}
	s.cancel(graphevent.ErrClosed)
	s.kern.Rouse()           // bodies that sleep until a moment
	for s.areTicksEnding() { // DE5: their ends are not failures
		s.quiet.ParkTimeout(time.Millisecond)
	}
	s.ending.EndSources()
	s.newEdge() // also those that no body waits on
	for n := 0; !s.settle(looks) && n < mostForced; n++ {
		s.ending.Force()
	}
	s.takeBack(s.cutGraphs, looks)
	return report
}

func (s *System) newEnding() abandon.Ending {
	return abandon.Ending{
		Abandoned: &s.abandoned, Stopped: &s.stopped, Store: s.store, By: &s.outside,
		Waits: func(n graphevent.Node) *waits.List { return &s.colds.At(uint32(n)).waits },
		Spares: func(e Event) bool { // ended by its context, which is ours
			l := s.labelOf(e)
			return l != nil && l.cast
		},
		Still: func() bool {
			still, _ := s.kern.Still()
			return still
		},
		Refuse: s.refuse,
		Forces: func(e Event) (after func()) {
			for g := range s.graphs.All {
				if g.shown.Load() == refOf(e) { // e is its run
					return func() {
						s.cutOff(g, e)
						s.cutGraphs = append(s.cutGraphs, g)
					}
				}
			}
			return nil
		},
	}
}

// stop ends the workers, and waits for them if they all can: SH5.
func (s *System) stop(wait bool) {
	s.ending.Stop()
	s.kern.Stop()
	for d := range s.delays.All {
		d.end(graphevent.ErrClosed) // DE3
	}
	s.asides.End()
	s.monitor.Unpark()
	if b := s.cast.Load(); b != nil {
		b.end(graphevent.ErrClosed)
	}
	if s.dog != nil {
		s.dog.Unpark()
	}
	if !wait {
		s.ending.RefuseReady() // see late
		s.kern.Sweep()         // what is no event's: tasks of graphs, calls of groups
	}
	for wait && s.runners.Load() > 0 {
		s.ended.Park()
	}
	s.dry.Store(true) // not before: what ends by the above ends waits as it always does
	s.wakeWaiters()
	s.cancel(graphevent.ErrClosed)
}

func (s *System) unseenFailures() []error {
	const most = 16
	var errs []error
	more := 0
	forgotten := s.store.Failures(func(e Event, err error) bool {
		if len(errs) < most {
			errs = append(errs, fmt.Errorf("taskgraph: %s failed and nobody looked: %w",
				s.nameOf(e), err))
		} else {
			more++
		}
		return true
	})
	if more += forgotten; more > 0 {
		errs = append(errs, fmt.Errorf("taskgraph: %d more tasks failed and nobody looked", more))
	}
	return errs
}
