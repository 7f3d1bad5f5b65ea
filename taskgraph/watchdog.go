package taskgraph

import (
	"log/slog"
	"time"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/taskgraph/internal/entry"
	"github.com/heddle-go/heddle/taskgraph/internal/stuck"
)

// A watchdog reports stuck work without being asked.
type watchdog struct {
	stuck.Watchdog[running]
	sys *System
}

func (o *Options) hasWatchdog() bool { return o.OnStuck != nil || o.Logger != nil }

func (s *System) keepWatch() {
	defer s.leave()
	w := &watchdog{sys: s}
	tick := s.opts.StuckAfter
	if d := s.opts.SlowAfter; d > 0 {
		tick = min(tick, d/2)
	}
	tick = max(tick, time.Millisecond)
	for s.dog.ParkTimeout(tick); !s.stopped.Load(); s.dog.ParkTimeout(tick) {
		w.lookForStuck()
		if s.opts.SlowAfter > 0 {
			w.lookForSlow()
		}
	}
}

// lookForStuck reports what is stuck if the system has been idle for StuckAfter and this has not
// changed since the last look. It returns whether it has reported anything.
func (w *watchdog) lookForStuck() (told bool) {
	s := w.sys
	idle, stamp := s.kern.Quiet()
	if !w.IsDue(atomics.Now(), idle, stamp, s.opts.StuckAfter) {
		return false
	}
	r, what := s.walk().Report(), ""
	if r.Idle {
		what = r.Key()
	}
	if told = w.IsNews(what); told {
		s.tell(newStuckReport(r))
	}
	return told
}

// lookForSlow reports bodies that have run for longer than SlowAfter and do not wait.
func (w *watchdog) lookForSlow() {
	s, now := w.sys, atomics.Now()
	var slow, others []running
	for _, b := range s.watchedBodies() {
		to := &others
		if b.Top && now-b.Began >= int64(s.opts.SlowAfter) && !s.isWaiting(b) {
			to = &slow
		}
		b.Top = true // it is the same body, whatever lies on top of it
		*to = append(*to, b)
	}
	var bodies []stuck.Body
	for _, b := range w.Fresh(slow, others) {
		body := stuck.Body{Age: time.Duration(now - b.Began), GID: b.GID}
		switch {
		case b.call:
			body.Name = entry.Kind(b.Part).String()
		case b.Of != nil:
			body.Name = b.Of.nameOfFirst(b.Part)
		default:
			body.Name, body.Site = s.reportName(b.ev), s.siteOf(b.ev)
		}
		bodies = append(bodies, body)
	}
	if len(bodies) > 0 {
		s.tell(newStuckReport(stuck.Slow(bodies)))
	}
}

func (s *System) isWaiting(b running) bool {
	if b.call {
		return false
	}
	for p := s.colds.At(uint32(b.ev.Node())).waits.First(); p != nil &&
		!b.ev.IsComplete(); p = p.Next() {
		if seen, ok := p.Look(s.store); ok && seen.GID == b.GID {
			return true
		}
	}
	return false
}

func (s *System) tell(r *StuckReport) {
	call := s.callback
	if s.turns != nil {
		call = s.guarded // nothing can proceed, not even a new goroutine
	}
	if f := s.opts.OnStuck; f != nil {
		call("OnStuck", func() { f(r) })
	}
	if l := s.opts.Logger; l != nil {
		call("Logger", func() {
			l.Warn(r.String(), slog.Int("stuck", r.Stuck),
				slog.Int("incomplete", len(r.Tasks)+r.More), slog.Bool("idle", r.Idle))
		})
	}
}
