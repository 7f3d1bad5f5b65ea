package taskgraph

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/park"
	"github.com/heddle-go/heddle/internal/turns"
	"github.com/heddle-go/heddle/namedthread"
	"github.com/heddle-go/heddle/taskgraph/internal/kernel"
)

// This file has what the deterministic mode changes in this package. Elsewhere there are only
// one-line calls of these functions, which do the ordinary thing when the mode is off.
// deterministic.md has the seams: those here are D3 and D5 to D7, while D1, D2 and D4 are the
// kernel's.

func (s *System) joinThread(th *namedthread.Thread) {
	if s.turns == nil {
		return
	}
	if err := turns.JoinThread(th, s.turns); err != nil {
		panic("taskgraph: in deterministic mode: " + err.Error())
	}
}

// endTurns ends the mode, after everything that can run has run.
func (s *System) endTurns() {
	if s.turns == nil || !s.turns.Current().IsMain() {
		return
	}
	for i := range s.threads {
		if t := s.threads[i].Load(); t != nil {
			turns.LeaveThread(t.thread)
		}
	}
	s.turns.Quiesce()
}

func (s *System) awaitOver() {
	if s.turns != nil {
		s.turns.BlockUntil(func() bool {
			select {
			case <-s.over:
				return true
			default:
				return false
			}
		})
	}
	<-s.over
}

// startGoroutine starts a goroutine of the system. If prompt, the moment of its first step has no
// visible effect.
func (s *System) startGoroutine(prompt bool, name func() string, f func()) {
	if s.turns == nil {
		atomics.Go(f)
		return
	}
	s.turns.Go(prompt, name, f)
}

func (s *System) newParker(mode park.Mode) *park.Parker {
	p := park.New(mode)
	p.TakeTurns(s.turns)
	return p
}

// yield is a point where another goroutine may get the turn.
func (s *System) yield() {
	if s.turns != nil {
		s.turns.Yield()
	}
}

// mustTakePart panics if the calling goroutine must not use the system.
func (s *System) mustTakePart() {
	if s.turns != nil {
		s.turns.Check()
	}
}

// mayTakePart is mustTakePart for frequent calls: it checks only some of them.
func (s *System) mayTakePart() {
	if s.turns != nil {
		s.turns.CheckSometimes()
	}
}

// now returns the time on a monotonic clock, in nanoseconds.
func (s *System) now() int64 {
	if s.turns != nil {
		return s.turns.Now()
	}
	return atomics.Now()
}

// simulationBegin is when virtual time begins.
var simulationBegin = time.Time{}.AddDate(1999, 0, 0) // the beginning of the year 2000

// Now returns the time, which in deterministic mode is virtual.
func (s *System) Now() time.Time {
	if s.turns != nil {
		return simulationBegin.Add(time.Duration(s.turns.Now()))
	}
	return time.Now()
}

// onEnd calls f once ctx has ended, on a goroutine of its own, unless stop is called before.
func (s *System) onEnd(ctx context.Context, f func()) (stop func() bool) {
	if s.turns != nil {
		return s.turns.OnEnd(ctx, f)
	}
	if atomics.Modeled() { // there context.AfterFunc would start a goroutine that nobody orders
		if c, ok := ctx.(interface {
			AfterFunc(f func()) (stop func() bool)
		}); ok {
			return c.AfterFunc(f)
		}
	}
	return context.AfterFunc(ctx, f)
}

// WithTimeout is context.WithTimeout with the time that [System.Now] tells.
func (s *System) WithTimeout(parent context.Context,
	d time.Duration) (context.Context, context.CancelFunc) {
	if s.turns == nil {
		return context.WithTimeout(parent, d)
	}
	s.mustTakePart()
	inner, cancel := context.WithCancelCause(parent)
	ctx := &timeout{Context: inner, deadline: s.Now().Add(d)}
	t := s.turns.AfterFunc(int64(d), func() { cancel(context.DeadlineExceeded) })
	return ctx, func() {
		t.Stop()
		cancel(nil)
	}
}

// A timeout is a context that ends by virtual time.
type timeout struct {
	context.Context
	deadline time.Time
}

// Deadline implements context.Context.
func (c *timeout) Deadline() (time.Time, bool) {
	if d, ok := c.Context.Deadline(); ok && d.Before(c.deadline) {
		return d, true
	}
	return c.deadline, true
}

// Err implements context.Context.
func (c *timeout) Err() error {
	err := c.Context.Err()
	if err != nil && context.Cause(c.Context) == context.DeadlineExceeded {
		return context.DeadlineExceeded
	}
	return err
}

// Outside calls f on a new goroutine from which the system may be used in deterministic mode too.
// Shutdown does not wait for it.
func (s *System) Outside(f func()) {
	s.startGoroutine(false, func() string { return "an outside goroutine" }, f)
	s.yield()
}

// takeStuck returns why the calling goroutine must not wait any longer: in deterministic mode
// nothing can proceed, and this goroutine was chosen to report that.
func (s *System) takeStuck() error {
	if s.turns == nil {
		return nil
	}
	return s.turns.TakeStuck()
}

func (s *System) traceWait(events []Event) {
	if s.turns == nil || !s.turns.Traced() {
		return
	}
	var names []string
	for _, e := range events {
		if !e.IsComplete() {
			names = append(names, s.nameOf(e))
		}
	}
	s.turns.Note(fmt.Sprintf("%s waits for %s", s.turns.Current().Name(),
		strings.Join(names, ", ")))
}

var levelNames = [...]string{
	kernel.High:             "high",
	kernel.Normal:           "normal",
	kernel.BackgroundHigh:   "background-high",
	kernel.BackgroundNormal: "background-normal",
	kernel.BackgroundLow:    "background-low",
}
