package taskgraph

import (
	"math"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/taskgraph/internal/pace"
)

// GuestWaits returns how many waits of named threads that began in another system are known to s.
func (s *System) GuestWaits() int { return int(s.guestWaits.Load()) }

// TakeBack makes g a graph whose run in s was cut off, and takes it back, while another goroutine
// waits for that. It reports whether g is then free of s.
func (s *System) TakeBack(g *Graph) (free bool) {
	g.sys, g.pace = s, pace.Pace{}
	g.running.Store(true)
	looked := make(chan bool)
	atomics.Go(func() {
		for g.running.Load() {
			atomics.Gosched()
		}
		looked <- g.sys == nil && g.ctx == nil
	})
	s.takeBack([]*Graph{g}, math.MaxInt)
	return <-looked
}
