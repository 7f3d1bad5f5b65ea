//go:build modelcheck

package assets

import (
	"testing"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/stress/modelcheck"
	"github.com/heddle-go/heddle/taskgraph"
)

// TestModelCrew: flights of several priorities are pushed while servers come, take them and leave.
// A server is called by a push and comes later, on a thread of its own. No more of them than the
// limit are at work, and no flight is left.
func TestModelCrew(t *testing.T) {
	for name, c := range map[string]struct {
		limit int32
		ranks []uint32
	}{"one at a time": {1, []uint32{1, 1}}, "two of three": {2, []uint32{1, 1, 1}},
		"urgent ones": {1, []uint32{2, 0, 0}}} {
		t.Run(name, func(t *testing.T) {
			modelcheck.Check(t, modelcheck.Options{Explorers: explorers()},
				func(m *modelcheck.Model) {
					var inside atomics.Int32
					taken := make([]atomics.Int32, len(c.ranks))
					flights := make([]*flight, len(c.ranks))
					w := &crew{limit: c.limit}
					serve := func(rank uint32) {
						if !w.come(rank) {
							return
						}
						m.Assert(inside.Add(1) <= c.limit, "over the limit")
						for f := w.queue.take(); f != nil; f = w.queue.take() {
							for i := range flights {
								if flights[i] == f {
									m.Assert(taken[i].Add(1) == 1, "taken twice")
								}
							}
						}
						inside.Add(-1)
						w.leave()
					}
					// The ranks of calls that nobody serves yet, plus 1.
					var called [64]atomics.Uint32
					var n atomics.Int32
					w.launch = func(rank uint32) { called[n.Add(1)-1].Store(rank + 1) }
					work := func() {
						for i := range called {
							if r := called[i].Swap(0); r != 0 {
								serve(r - 1)
							}
						}
					}
					for i, r := range c.ranks {
						flights[i] = waiter(0)
						flights[i].it.life.urgency.Store(r)
						m.Thread(func() {
							w.push(flights[i], flights[i].number.Add(1))
							work()
						})
					}
					m.After(func() {
						work()
						work()
						for i := range taken {
							m.Assert(taken[i].Load() == 1, "flight %d is left", i)
						}
						m.Assert(w.serving.Load() == 0, "%d are at work", w.serving.Load())
					})
				})
		})
	}
}

// TestModelCrewTurnedAway: a server is at work and about to leave, and one that was called finds no
// room, while a flight is pushed. It is taken by one of them, or by another that is called for it.
func TestModelCrewTurnedAway(t *testing.T) {
	modelcheck.Check(t, modelcheck.Options{Explorers: explorers()}, func(m *modelcheck.Model) {
		w := &crew{limit: 1}
		var calls atomics.Int32
		w.launch = func(uint32) { calls.Add(1) }
		w.enter() // who is at work
		w.call(1) // nobody is called: that one looks again
		w.called[1].Add(1)
		m.Assert(calls.Load() == 0, "called beyond the limit")
		taken := 0
		serve := func() {
			for w.queue.take() != nil {
				taken++
			}
			w.leave()
		}
		f := waiter(0)
		m.Thread(w.leave)
		m.Thread(func() { // who was called
			if w.come(1) {
				serve()
			}
		})
		m.Thread(func() { w.push(f, f.number.Add(1)) })
		m.After(func() {
			for range calls.Load() {
				if w.come(1) {
					serve()
				}
			}
			m.Assert(taken == 1, "the flight was taken %d times", taken)
		})
	})
}

// TestModelSignal: something ends while others ask for the event of that. All have the same one,
// and it is complete in the end.
func TestModelSignal(t *testing.T) {
	o := modelcheck.Options{Explorers: explorers(), Steps: 50_000}
	for _, askers := range []int{1, 2} {
		modelcheck.Check(t, o,
			func(m *modelcheck.Model) {
				var sys *taskgraph.System
				m.SetUp(func() {
					sys = taskgraph.Start(taskgraph.Options{
						Workers: 1, Idle: taskgraph.IdleSleep})
				})
				s := new(signal)
				got := make([]taskgraph.Event, askers)
				m.Thread(func() { s.end(nil) })
				for i := range got {
					m.Thread(func() { got[i] = s.get(sys, "end") })
				}
				m.After(func() {
					for _, e := range got {
						m.Assert(e == got[0], "two events")
						m.Assert(e.IsComplete(), "the event waits for ever")
					}
				})
			})
	}
}
