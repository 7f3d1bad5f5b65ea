package taskgraph

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/heddle-go/heddle/internal/park"
	"github.com/heddle-go/heddle/internal/turns"
	"github.com/heddle-go/heddle/namedthread"
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
	for t := range s.threadRunners {
		turns.LeaveThread(t.thread)
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

func (s *System) newParker(mode park.Mode) *park.Parker { return park.New(mode).TakeTurns(s.turns) }

// simulationBegin is when virtual time begins.
var simulationBegin = time.Time{}.AddDate(1999, 0, 0) // the beginning of the year 2000

// Now returns the time, which in deterministic mode is virtual.
func (s *System) Now() time.Time {
	if s.turns != nil {
		return simulationBegin.Add(time.Duration(s.turns.Now()))
	}
	return time.Now()
}

// WithTimeout is context.WithTimeout with the time that [System.Now] tells.
func (s *System) WithTimeout(parent context.Context,
	d time.Duration) (context.Context, context.CancelFunc) {
	if s.turns == nil {
		return context.WithTimeout(parent, d)
	}
	s.turns.Check()
	return s.turns.WithTimeout(parent, d, s.Now().Add(d))
}

// Outside calls f on a new goroutine from which the system may be used in deterministic mode too.
// Shutdown does not wait for it.
func (s *System) Outside(f func()) {
	s.turns.Go(false, func() string { return "an outside goroutine" }, f)
	s.turns.Yield()
}

func (s *System) traceWait(events []Event) {
	if !s.turns.Traced() {
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
