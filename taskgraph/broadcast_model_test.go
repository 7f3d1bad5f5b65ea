//go:build modelcheck

package taskgraph_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/park"
	"github.com/heddle-go/heddle/namedthread"
	"github.com/heddle-go/heddle/stress/modelcheck"
	"github.com/heddle-go/heddle/taskgraph"
)

// TestModelBroadcast: each worker takes its part once or is said to be missing, a meeting takes
// place or not for all of them, and broadcasts do not overlap, though a worker comes late and what
// is called is withdrawn meanwhile.
func TestModelBroadcast(t *testing.T) {
	for _, c := range []struct {
		workers, busy int // so many of them run a body until somebody lets them go
		meet          bool
		withdraws     bool
		callers       int
		bound         int
	}{
		{1, 1, false, false, 1, 1},
		{1, 1, false, true, 1, 0},
		{1, 1, true, true, 1, 1},
		{2, 1, true, false, 1, 0},
		{2, 1, true, true, 1, 0},
		{2, 1, false, true, 1, 0},
		{1, 1, false, false, 2, 0},
		{1, 0, true, true, 2, 0},
	} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			within(t, c.bound, func(m *modelcheck.Model) {
				gate := park.New(park.OS)
				s := started(m, taskgraph.Options{Workers: c.workers}, func(s *taskgraph.System) {
					if c.busy > 0 {
						s.Go(gate.Park)
					}
				})
				var ran [2][2]int
				var errs [2]error
				inside := false
				var step atomics.Int32
				for i := range c.callers {
					m.Thread(func() {
						cast := s.Broadcast
						if c.meet {
							cast = s.Rendezvous
						}
						errs[i] = cast(bg, func(worker int, _ *namedthread.Thread) {
							ran[i][worker]++
							if c.workers > 1 {
								return // several are inside at once
							}
							m.Assert(!inside, "%d begins during another", i)
							inside = true
							step.Add(1) // somebody else may come here
							inside = false
						})
					})
				}
				if c.busy > 0 {
					m.Thread(func() { gate.Unpark() })
				}
				if c.withdraws {
					m.Thread(func() { s.WithdrawCast() })
				}
				m.After(func() {
					for i := range c.callers {
						m.Assert(ran[i][0] <= 1 && ran[i][1] <= 1, "a worker takes part twice: %v",
							ran[i])
						missing := 0
						var e *taskgraph.BroadcastError
						if errors.As(errs[i], &e) {
							missing = len(e.Missing)
							m.Assert(c.withdraws, "%v", e)
						}
						n := ran[i][0] + ran[i][1]
						m.Assert((errs[i] == nil) == (n == c.workers),
							"%d workers took part: %v", n, errs[i])
						m.Assert(!c.meet || n == 0 || n == c.workers, "%d workers met", n)
						m.Assert(c.meet || n+missing == c.workers,
							"%d workers took part, and %d are missing", n, missing)
					}
				})
			})
		})
	}
}
