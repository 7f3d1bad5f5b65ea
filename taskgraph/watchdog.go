package taskgraph

import (
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/taskgraph/internal/entry"
	"github.com/heddle-go/heddle/taskgraph/internal/goroutine"
	"github.com/heddle-go/heddle/taskgraph/internal/stuck"
)

// A watchdog reports stuck work without being asked.
type watchdog struct {
	sys   *System
	stamp uint64
	since int64 // when the system was first seen idle with that stamp
	// What the last look saw, and what was reported last: so that only lasting states are reported,
	// and only once.
	last, told string
	slow       map[running]bool // bodies that were reported
}

func (o *Options) hasWatchdog() bool { return o.OnStuck != nil || o.Logger != nil }

func (s *System) keepWatch() {
	defer s.leave()
	w := &watchdog{sys: s, slow: map[running]bool{}}
	tick := s.opts.StuckAfter
	if d := s.opts.SlowAfter; d > 0 {
		tick = min(tick, d/2)
	}
	tick = max(tick, time.Millisecond)
	for !s.stopped.Load() {
		s.dog.ParkTimeout(tick)
		if s.stopped.Load() {
			return
		}
		w.lookForStuck()
		if s.opts.SlowAfter > 0 {
			w.lookForSlow()
		}
	}
}

// lookForStuck reports what is stuck if the system has been idle for StuckAfter and this has not
// changed since the last look.
func (w *watchdog) lookForStuck() {
	s := w.sys
	idle, stamp := s.drained()
	now := atomics.Now()
	if !idle || stamp != w.stamp {
		w.stamp, w.since, w.last = stamp, now, ""
		if idle {
			w.told = ""
		}
		return
	}
	if now-w.since < int64(s.opts.StuckAfter) {
		return
	}
	r := s.Stuck()
	if !r.Idle || !r.holdsUp() {
		w.last = ""
		return
	}
	key := r.key()
	if key == w.last && key != w.told {
		w.told = key
		s.tell(r)
	}
	w.last = key
}

// holdsUp reports whether anything waits for what is stuck: the watchdog ignores an untriggered
// event for which nobody waits.
func (r *StuckReport) holdsUp() bool {
	return slices.ContainsFunc(r.Tasks[:r.Stuck], func(t StuckTask) bool {
		return t.State != "untriggered"
	})
}

// key says what is stuck, without details that change with time.
func (r *StuckReport) key() string {
	var b strings.Builder
	for i := range r.Tasks[:r.Stuck] {
		b.WriteString(r.Tasks[i].Name)
		b.WriteByte('\n')
	}
	return b.String()
}

// lookForSlow reports bodies that have run for longer than SlowAfter and do not wait.
func (w *watchdog) lookForSlow() {
	s := w.sys
	now := atomics.Now()
	bodies := s.watchedBodies()
	seen := map[running]bool{}
	var slow []running
	ids := map[uint64]bool{}
	for _, b := range bodies {
		if !b.Top || now-b.Began < int64(s.opts.SlowAfter) || s.isWaiting(b) {
			continue
		}
		seen[b] = true
		if !w.slow[b] {
			slow = append(slow, b)
			ids[b.GID] = true
		}
	}
	w.slow = seen
	if len(slow) == 0 {
		return
	}
	stacks := goroutine.Stacks(ids)
	r := &StuckReport{slow: true}
	for _, b := range slow {
		t := StuckTask{State: "executing", Age: time.Duration(now - b.Began), Stack: stacks[b.GID]}
		switch {
		case b.call:
			t.Name = entry.Kind(b.Part).String()
		case b.Of != nil:
			t.Name = b.Of.nameOfFirst(b.Part)
		default:
			t.Name, t.Site = s.reportName(b.ev), s.siteOf(b.ev)
		}
		if len(r.Tasks) == stuck.MaxTasks {
			r.More++
			continue
		}
		r.Tasks = append(r.Tasks, t)
	}
	s.tell(r)
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
