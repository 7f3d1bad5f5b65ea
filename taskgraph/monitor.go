package taskgraph

import (
	"time"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/park"
	"github.com/heddle-go/heddle/internal/yield"
	"github.com/heddle-go/heddle/taskgraph/internal/silence"
)

const watchTick = time.Millisecond

// watch is the monitor. It sleeps while nothing is queued, or while workers are idle.
func (s *System) watch() {
	defer s.leave()
	l := yield.NewLoad()
	for !s.stopped.Load() {
		s.monitor.Park()
		s.watchOver(l)
	}
}

// watchOver looks at every tick whether work is queued and no worker makes progress, or a caller
// makes none while it keeps a worker asleep. In the end it wakes that worker, or adds a spare slot.
func (s *System) watchOver(l *yield.Load) {
	var e silence.Evidence
	for !s.stopped.Load() {
		s.adjust()
		s.kern.Probe()
		// In a model it is the checker that says when time limits come, and a monitor whose tick
		// never comes must still end with the system.
		if atomics.Modeled() {
			s.monitor.ParkTimeout(watchTick)
		} else {
			time.Sleep(watchTick)
		}
		s.kern.RevealLate()
		p := s.kern.Observe()
		switch {
		case !p.Queued:
			e = 0
			if s.kern.Unwatch() {
				return
			}
		case !p.Stuck && !p.KeptOut:
			e = 0
			if p.Base && s.kern.Spares() > 0 {
				s.kern.Dismiss()
			}
		case !e.Add(p.KeptOut, s.mayCompute(l, p.Held)):
		case p.KeptOut:
			s.kern.WakeMore()
		default:
			s.kern.AddSpare()
		}
	}
}

// mayCompute reports whether the holders of held slots may all be computing. With ParkGo the clock
// may be that of a testing/synctest bubble, which advances only when all goroutines in the bubble
// block, and says nothing of those outside.
func (s *System) mayCompute(l *yield.Load, held int) bool {
	if s.mode == park.Go {
		return false
	}
	running, ready, ok := l.Read()
	return ok && running+ready-1 >= held // the monitor runs, too
}
