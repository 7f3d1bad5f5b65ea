//go:build modelcheck

package taskgraph_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/stress/modelcheck"
	"github.com/heddle-go/heddle/taskgraph"
)

// TestModelDelays: a delay ends once, and what waits for it goes on, whoever is the first to end
// it: the timer, the end of the task's context or Shutdown. Timers come when a thread says so.
func TestModelDelays(t *testing.T) {
	one := taskgraph.Options{Workers: 1}
	for _, c := range []struct {
		name            string
		cancels, closes bool
		timers          int
		bound           int
	}{
		{"the timer and the context", true, false, 1, 1},
		{"the timer and Shutdown", false, true, 1, 0},
		{"the context and Shutdown", true, true, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			within(t, c.bound, func(m *modelcheck.Model) {
				ran := 0
				var e taskgraph.Event
				ctx := newEnding()
				s := started(m, one, func(s *taskgraph.System) {
					e = s.Every(ctx, time.Hour, taskgraph.Do(func() { ran++ }))
				})
				if c.timers > 0 {
					m.Thread(func() {
						for range c.timers {
							s.FireDelays()
						}
					})
				}
				if c.cancels {
					m.Thread(ctx.end)
				}
				if c.closes {
					m.Thread(func() {
						err := s.Shutdown(bg)
						m.Assert(err == nil, "Shutdown: %v", err)
					})
				}
				m.After(func() {
					m.Assert(e.IsComplete(), "the task has not ended")
					err := e.Err()
					m.Assert(err == nil && c.closes ||
						errors.Is(err, graphevent.ErrCanceled) && c.cancels,
						"it has ended with %v", err)
					m.Assert(ran <= c.timers, "it ran %d times, and the timer came %d times", ran,
						c.timers)
					m.Assert(s.PendingDelays() == 0, "%d delays are pending", s.PendingDelays())
				})
			})
		})
	}
	// Its looks are time limits, which come when nobody else can move.
	for _, ticks := range []int{0, 1} { // before
		t.Run(fmt.Sprint("the timer and one that gives up, ticks ", ticks), func(t *testing.T) {
			n := modelcheck.Scaled(60_000) / 20
			modelcheck.Check(t, modelcheck.Options{Steps: 50_000, Timers: modelcheck.TimersOnTime,
				Explorers: append([]modelcheck.Explorer{modelcheck.DepthFirst(0, n/4),
					modelcheck.DepthFirst(1, n/2)}, modelcheck.Beyond(n)...)},
				func(m *modelcheck.Model) {
					ran := 0
					var e taskgraph.Event
					s := started(m, one, func(s *taskgraph.System) {
						e = s.Every(bg, time.Hour, taskgraph.Do(func() { ran++ }))
						for range ticks {
							s.FireDelays()
						}
					})
					m.Thread(func() { s.FireDelays() })
					m.Thread(func() {
						ctx := newEnding()
						ctx.end()
						_ = s.Shutdown(ctx)
					})
					m.After(func() {
						m.Assert(e.IsComplete() && e.Err() == nil, "it has ended with %v", e.Err())
						m.Assert(ran <= ticks+1, "it ran %d times", ran)
						m.Assert(s.PendingDelays() == 0, "%d delays are pending", s.PendingDelays())
					})
				})
		})
	}
	t.Run("a task waits for it", func(t *testing.T) {
		within(t, 1, func(m *modelcheck.Model) {
			ran := 0
			s := started(m, one, func(*taskgraph.System) {})
			m.Thread(func() {
				s.Task(taskgraph.Do(func() { ran++ })).After(s.AfterDelay(time.Hour)).Launch()
				s.FireDelays()
			})
			m.Thread(func() { s.FireDelays() })
			m.After(func() {
				m.Assert(ran == 1 && s.PendingDelays() == 0, "ran %d times, %d are pending", ran,
					s.PendingDelays())
			})
		})
	})
}
