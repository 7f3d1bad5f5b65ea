//go:build modelcheck

package kernel_test

import (
	"fmt"
	"testing"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/dev/race"
	"github.com/heddle-go/heddle/internal/park"
	"github.com/heddle-go/heddle/stress/modelcheck"
)

// A sitter is a body that runs without a slot.
type sitter struct {
	parker   *park.Parker
	came     atomics.Bool // what it waits for
	returned bool
}

// TestModelStill: who has ended all waits and finds it still finds every body returned, whoever has
// ended its wait, and whether it waits once more; and in the end it is still.
func TestModelStill(t *testing.T) {
	for _, c := range []struct {
		bodies int
		waits  int  // of each body
		chain  bool // each body ends the wait of the next one
		looks  int
		bound  int
	}{
		{1, 1, false, 1, 4},
		{1, 2, false, 1, 3},
		{1, 2, false, 2, 3},
		{2, 1, false, 1, 2},
		{2, 1, true, 2, 2},
		{2, 2, false, 2, 1},
	} {
		t.Run(fmt.Sprintf("%d bodies, %d waits, chain %v, %d looks", c.bodies, c.waits, c.chain,
			c.looks), func(t *testing.T) {
			modelcheck.CheckUpTo(t, c.bound, race.Enabled, func(m *modelcheck.Model) {
				p := newPorch()
				var givenUp atomics.Bool
				sitters := make([]sitter, c.bodies)
				for i := range sitters {
					s := &sitters[i]
					s.parker = park.New(park.OS)
					p.k.Enter()
					m.Thread(func() {
						for range c.waits {
							p.k.StandAside()
							for !s.came.Load() && !givenUp.Load() {
								s.parker.Park()
							}
							p.k.GoOn()
						}
						if c.chain && i+1 < c.bodies {
							sitters[i+1].came.Store(true)
							sitters[i+1].parker.Unpark()
						}
						s.returned = true
						p.k.Leave()
					})
				}
				m.Thread(func() {
					if c.chain {
						sitters[0].came.Store(true)
						sitters[0].parker.Unpark()
					} else {
						givenUp.Store(true)
						for i := range sitters {
							sitters[i].parker.Unpark()
						}
					}
					for range c.looks {
						if still, _ := p.k.Still(); still {
							for i := range sitters {
								m.Assert(sitters[i].returned,
									"it is still, and body %d has not returned", i)
							}
						}
					}
				})
				m.After(func() {
					still, _ := p.k.Still()
					m.Assert(still, "all have returned, and it is not still")
				})
			})
		})
	}
}
