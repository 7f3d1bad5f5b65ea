//go:build modelcheck

package park

import (
	"sync"
	"testing"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/stress/modelcheck"
)

// TestModelCrowd: of three who come and go while there is room for two more, at least two wait in
// the kernel each time, never three, and afterwards there is room for two as before.
func TestModelCrowd(t *testing.T) {
	modelcheck.Check(t, modelcheck.Options{Explorers: []modelcheck.Explorer{
		modelcheck.DPOR(modelcheck.Scaled(200_000))}}, func(m *modelcheck.Model) {
		var c crowd
		c.n.Store(MaxCrowd - 2)
		var mu sync.Mutex
		inside, turnedAway := 0, 0
		for range 3 {
			m.Thread(func() {
				mode := c.enter()
				mu.Lock() // for the race detector: it is never waited for
				if mode == OS {
					inside++
				} else {
					turnedAway++
				}
				m.Assert(inside <= 2, "too many wait in the kernel")
				mu.Unlock()
				atomics.Gosched()
				mu.Lock()
				if mode == OS {
					inside--
				}
				mu.Unlock()
				c.leave()
			})
		}
		m.After(func() {
			m.Assert(turnedAway <= 1, "two were turned away where there was room for two")
			m.Assert(c.n.Load() == MaxCrowd-2, "the room is not what it was")
		})
	})
}
