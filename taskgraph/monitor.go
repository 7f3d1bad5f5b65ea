package taskgraph

import (
	"time"

	"github.com/heddle-go/heddle/internal/park"
)

const (
	watchTick = time.Millisecond
	// While work is queued and no slot that may take it gives a sign of life, the monitor
	// gathers evidence that bodies block where nobody can see it: each tick at which somebody
	// is seen to block counts a half, and each at which everybody may compute, a hundredth. A
	// goroutine that has nothing to do with the system hides a body that blocks, so even the
	// latter is enough in the end.
	blockedTicks = 2
	hiddenTicks  = 100
)

// watch is the monitor. It sleeps while nothing is queued, or while workers are idle.
func (s *System) watch() {
	defer s.leave()
	l := newLoad()
	for !s.stopped.Load() {
		s.monitor.Park()
		s.watchOver(l)
	}
}

// watchOver looks every tick whether work is queued and no worker gets on, and then adds a
// runner on a spare slot.
func (s *System) watchOver(l *load) {
	evidence := 0
	for !s.stopped.Load() {
		s.adjust()
		s.kern.Probe()
		time.Sleep(watchTick)
		s.kern.RevealLate()
		p := s.kern.Observe()
		if !p.Stuck {
			evidence = 0
		}
		switch {
		case !p.Queued:
			if s.kern.Unwatch() {
				return
			}
		case p.KeptOut:
			s.kern.WakeMore()
		case !p.Stuck:
			if p.Base && s.kern.Spares() > 0 {
				s.kern.Dismiss()
			}
		default:
			if s.mayCompute(l, p.Held) {
				evidence++
			} else {
				evidence += hiddenTicks / blockedTicks
			}
			if evidence >= hiddenTicks {
				evidence = 0
				s.kern.AddSpare()
			}
		}
	}
}

// mayCompute reports whether the holders of so many slots may all be computing. With ParkGo the
// clock may be that of a bubble of testing/synctest, which moves only when all in it block, and
// says nothing of goroutines outside of it.
func (s *System) mayCompute(l *load, held int) bool {
	if s.mode == park.Go {
		return false
	}
	n, ok := l.computing()
	return ok && n >= held
}
