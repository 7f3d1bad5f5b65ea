package taskgraph

import (
	"time"

	"github.com/heddle-go/heddle/internal/osthread"
)

const (
	watchTick = time.Millisecond
	// stuckTicks without any sign of life, while work is queued, mean that the workers'
	// bodies block where nobody can see it; computeTicks, that they may just compute.
	stuckTicks   = 2
	computeTicks = 100
)

// watch is the monitor. It sleeps while nothing is queued, or while workers are idle.
func (s *System) watch() {
	defer s.leave()
	for !s.stopped.Load() {
		s.monitor.Park()
		s.watchOver()
	}
}

// watchOver looks every tick whether work is queued and no worker gets on, and then adds a
// runner on a spare slot.
func (s *System) watchOver() {
	still := 0
	cpu := osthread.CPUTime()
	for !s.stopped.Load() {
		s.adjust()
		s.kern.Probe()
		s.monitor.ParkTimeout(watchTick)
		p := s.kern.Observe()
		if !p.Queued {
			if s.kern.Unwatch() {
				return
			}
			continue
		}
		now := osthread.CPUTime()
		busy := now-cpu > watchTick/2
		cpu = now
		switch {
		case !p.Stuck:
			still = 0
			if p.Base && s.kern.Spares() > 0 {
				s.kern.Dismiss()
			}
		case still+1 < stuckTicks, busy && still+1 < computeTicks:
			still++
		default:
			still = 0
			s.kern.AddSpare()
		}
	}
}
