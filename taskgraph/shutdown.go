package taskgraph

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/namedthread"
)

// A StuckError is returned by [System.Shutdown] if tasks did not complete: the system was
// idle, or the context ended. They were abandoned: those that had not started have failed
// with ErrClosed.
type StuckError struct {
	Tasks []StuckTask // everything that was incomplete, untriggered events included
	Cause error       // of the context's end, or nil: nothing was left that could run
}

// A StuckTask is an event that was incomplete when Shutdown gave up.
type StuckTask struct {
	Name     string   // of the task, or what identifies its event
	State    string   // unsubmitted, untriggered, waiting, ready or executing
	WaitsFor []string // the incomplete events that it depends on, or that it waits for a place
}

// Error names the tasks.
func (e *StuckError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "taskgraph: shut down with %d incomplete", len(e.Tasks))
	if e.Cause != nil {
		fmt.Fprintf(&b, " (%v)", e.Cause)
	}
	const most = 8
	for i, t := range e.Tasks {
		if i == most {
			fmt.Fprintf(&b, "; and %d more", len(e.Tasks)-most)
			break
		}
		sep := "; "
		if i == 0 {
			sep = ": "
		}
		fmt.Fprintf(&b, "%s%s %s", sep, t.Name, t.State)
		if len(t.WaitsFor) > 0 {
			fmt.Fprintf(&b, " for %s", strings.Join(t.WaitsFor, ", "))
		}
	}
	return b.String()
}

// Unwrap returns the cause.
func (e *StuckError) Unwrap() error { return e.Cause }

// Shutdown refuses further launches from outside, waits until all tasks have completed, and
// ends the workers. It returns the failures that nobody has seen. If the system is idle for
// Options.StuckAfter although tasks are incomplete, or if ctx ends, Shutdown abandons them
// and returns a *[StuckError]. After a nil return no goroutine of the system is left; after
// a StuckError only those whose bodies have not returned.
//
// During a shutdown, bodies launch through their Context; a launch through the System is one
// from outside, and refused, whoever makes it.
//
// On a named thread of the system it runs the tasks bound to that thread. A body must not
// call Shutdown. Further calls wait for the first and return its result.
func (s *System) Shutdown(ctx context.Context) error {
	if !s.closing.CompareAndSwap(false, true) {
		<-s.over
		return s.result
	}
	s.door.Close()
	s.endPeriodic()
	if s.bound != nil {
		s.bound.close()
	}
	stuck := s.drain(ctx)
	failures := s.unseenFailures()
	s.stop(stuck == nil)
	if stuck != nil {
		s.result = errors.Join(append([]error{stuck}, failures...)...)
	} else {
		s.result = errors.Join(failures...)
	}
	close(s.over)
	return s.result
}

// drain waits until no task is incomplete. If that does not happen, it abandons them.
func (s *System) drain(ctx context.Context) error {
	if ctx.Done() != nil {
		stop := context.AfterFunc(ctx, func() { s.quiet.Unpark() })
		defer stop()
	}
	pump := s.pumper()
	var last uint64
	since := atomics.Now()
	for {
		wait := s.opts.StuckAfter
		if pump() {
			wait = min(wait, time.Millisecond)
		}
		idle, stamp := s.drained()
		if s.kern.Over(&s.door) {
			return nil
		}
		now := atomics.Now()
		if !idle || stamp != last || s.delays.Load() > 0 {
			last, since = stamp, now
		}
		switch {
		case ctx.Err() != nil:
			return s.abandon(context.Cause(ctx))
		case idle && now-since >= int64(s.opts.StuckAfter):
			return s.abandon(nil)
		}
		s.quiet.ParkTimeout(wait)
	}
}

// drained reports whether nothing runs, and a number that changes whenever that does.
func (s *System) drained() (idle bool, stamp uint64) {
	active, stamp := s.kern.Activity()
	return active == 0, stamp
}

// pumper returns what runs the tasks bound to the calling thread, if it is a named one, and
// reports whether it is.
func (s *System) pumper() func() bool {
	if s.opts.Threads != nil {
		if th, err := namedthread.Current(); err == nil && s.owns(th) {
			return func() bool {
				_, _ = th.PumpUntilIdle(namedthread.QueueMain) // ErrReentered: somebody above pumps
				return true
			}
		}
	}
	return func() bool { return false }
}

// settle waits until nothing runs, for a short while, and reports whether all is complete.
func (s *System) settle() bool {
	for range 100 {
		if idle, stamp := s.drained(); idle {
			if s.door.Live() == 0 {
				return true
			}
			s.quiet.ParkTimeout(time.Millisecond)
			if _, again := s.drained(); again == stamp {
				return s.door.Live() == 0
			}
			continue
		}
		s.quiet.ParkTimeout(time.Millisecond)
	}
	return false
}

// abandon completes what will not complete by itself. It ends what others wait for: events
// that nobody triggers, tasks that nobody launched, waits in bodies; the rest follows by
// the ordinary ways. What is then still there, with nothing running, waits in a cycle.
func (s *System) abandon(cause error) error {
	report := s.stuckReport(cause)
	s.abandoned.Store(true) // bodies that have not started do not start
	s.cancel()
	for e := range s.store.Incomplete {
		s.store.Disown(e, graphevent.ErrClosed, &s.outside) // if it waits to run again
		switch e.State() {
		case graphevent.StateUntriggered:
			e.Fail(graphevent.ErrClosed)
		case graphevent.StateHeld:
			s.store.Abandon(e, graphevent.ErrClosed, &s.outside)
		case graphevent.StateExecuting:
			for w := s.colds.At(uint32(e.Node())).waits.Load(); w != nil; w = w.next {
				w.end()
			}
		default:
		}
	}
	s.newEdge() // also those that no body waits on
	if !s.settle() {
		s.force()
		s.settle()
	}
	return report
}

// force completes what still does not. No body starts any more, so what waits will not run; and
// what is executing has returned and is held open, if no slot is active and no thread waits:
// all waits have been ended, and a runner whose wait is over counts as active.
func (s *System) force() {
	for e := range s.store.Incomplete {
		switch e.State() {
		case graphevent.StateReady:
			if s.store.TryClaim(e) { // bound to a thread that runs nothing
				s.refuse(e.Node())
			}
		case graphevent.StateExecuting:
			if idle, _ := s.drained(); !idle || s.threadWaits.Load() > 0 {
				continue
			}
			s.store.Abandon(e, graphevent.ErrClosed, &s.outside)
		default:
			s.store.Abandon(e, graphevent.ErrClosed, &s.outside)
		}
	}
}

func (s *System) stuckReport(cause error) *StuckError {
	err := &StuckError{Cause: cause}
	var buf []Event
	for e := range s.store.Incomplete {
		st := e.State()
		if st == graphevent.StateCompleted {
			continue
		}
		t := StuckTask{Name: s.nameOf(e), State: st.String()}
		buf = s.store.Alternatives(e, s.store.Prerequisites(e, buf[:0]))
		for _, p := range buf {
			t.WaitsFor = append(t.WaitsFor, s.nameOf(p))
		}
		if st == graphevent.StateReady && s.colds.At(uint32(e.Node())).isClosed() {
			t.WaitsFor = append(t.WaitsFor, "a place in a pipe, a limiter or a semaphore")
		}
		err.Tasks = append(err.Tasks, t)
	}
	return err
}

// stop ends the workers, and waits for them if they all can.
func (s *System) stop(wait bool) {
	s.stopped.Store(true)
	s.kern.Stop()
	s.endDelays()
	s.monitor.Unpark()
	if !wait {
		for e := range s.store.Incomplete { // see late
			if s.store.TryClaim(e) {
				s.refuse(e.Node())
			}
		}
	}
	for wait && s.runners.Load() > 0 {
		s.ended.Park()
	}
	s.cancel()
}

// unseenFailures returns the failures that nobody has looked at.
func (s *System) unseenFailures() []error {
	const most = 16
	var errs []error
	more := 0
	more += s.store.Failures(func(e Event, err error) bool {
		if len(errs) == most {
			more++
			return true
		}
		errs = append(errs, fmt.Errorf("taskgraph: %s failed and nobody looked: %w", s.nameOf(e), err))
		return true
	})
	if more > 0 {
		errs = append(errs, fmt.Errorf("taskgraph: %d more tasks failed and nobody looked", more))
	}
	return errs
}
