//go:build modelcheck

package patience

import (
	"testing"

	"github.com/heddle-go/heddle/internal/spin"
	"github.com/heddle-go/heddle/stress/modelcheck"
)

// TestModelAwake: whoever begins and ends at the same time, those who spin are counted, and when
// all have ended the count is zero. Else waits would sleep too early, or too late, for ever.
func TestModelAwake(t *testing.T) {
	modelcheck.Check(t, modelcheck.Options{Explorers: []modelcheck.Explorer{
		modelcheck.DPOR(modelcheck.Scaled(200_000))}}, func(m *modelcheck.Model) {
		var p Patience
		p.Init()
		for range 3 {
			m.Thread(func() {
				var w spin.Wait
				p.Begin(&w)
				n := p.awake.Load()
				m.Assert(n >= 1 && n <= 3, "one of three who spin counts %d", n)
				p.End()
			})
		}
		m.After(func() { m.Assert(p.awake.Load() == 0, "nobody spins, and some are counted") })
	})
}
