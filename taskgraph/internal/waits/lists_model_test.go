//go:build modelcheck

package waits_test

import (
	"testing"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/dev/race"
	"github.com/heddle-go/heddle/internal/park"
	"github.com/heddle-go/heddle/stress/modelcheck"
	"github.com/heddle-go/heddle/taskgraph/internal/waits"
)

// TestModelLists: bodies of one event add waits and end them at the same time, and one of them is
// given up meanwhile. Each wait is found from its Add until its end, and not after that.
func TestModelLists(t *testing.T) {
	modelcheck.CheckUpTo(t, 2, race.Enabled, func(m *modelcheck.Model) {
		s := graphevent.NewStore(graphevent.Options{})
		var l waits.List
		var all [3]waits.Wait
		for i := range all {
			all[i].Events = []graphevent.Event{s.NewEvent()}
		}
		there := func(w *waits.Wait) bool {
			for at := l.First(); at != nil; at = at.Next() {
				if at == w {
					return len(l.AppendTo(w, s, nil)) > 0
				}
			}
			return false
		}
		givenUp := 0
		for i := range 2 {
			m.Thread(func() {
				l.Add(&all[i])
				m.Assert(there(&all[i]), "wait %d is not found", i)
				l.End(&all[i])
				m.Assert(!there(&all[i]), "wait %d is found after its end", i)
			})
		}
		m.Thread(func() {
			l.Add(&all[2])
			if all[2].GiveUp() {
				givenUp++
			}
		})
		m.Thread(func() {
			if all[2].GiveUp() {
				givenUp++
			}
		})
		m.After(func() {
			m.Assert(givenUp == 1, "a wait is given up %d times", givenUp)
			for i := range all {
				m.Assert(!there(&all[i]), "wait %d is left", i)
			}
		})
	})
}

// TestModelListsKeep: what is in a list stays there while others come and go.
func TestModelListsKeep(t *testing.T) {
	modelcheck.CheckAll(t, func(m *modelcheck.Model) {
		s := graphevent.NewStore(graphevent.Options{})
		var l waits.List
		var stays, goes waits.Wait
		stays.Events = []graphevent.Event{s.NewEvent()}
		goes.Events = []graphevent.Event{s.NewEvent()}
		m.Thread(func() { l.Add(&stays) })
		m.Thread(func() {
			l.Add(&goes)
			l.End(&goes)
		})
		m.After(func() {
			found := 0
			for w := l.First(); w != nil; w = w.Next() {
				if len(l.AppendTo(w, s, nil)) > 0 {
					m.Assert(w == &stays, "what is over is in the list")
					found++
				}
			}
			m.Assert(found == 1, "what is not over is %d times in the list", found)
		})
	})
}

// TestModelWaiters: those that are made at the same time are all listed.
func TestModelWaiters(t *testing.T) {
	modelcheck.CheckAll(t, func(m *modelcheck.Model) {
		var all waits.Waiters
		for range 2 {
			m.Thread(func() {
				p := park.New(park.OS)
				w := all.Add(park.OS, p, func() { p.Unpark() })
				atOnce := false
				all.All(func(listed *waits.Waiter) bool {
					atOnce = atOnce || listed == w
					return true
				})
				m.Assert(atOnce, "a waiter is not listed")
			})
		}
		m.After(func() {
			listed := 0
			all.All(func(*waits.Waiter) bool { listed++; return true })
			m.Assert(listed == 2, "%d waiters of 2 are listed", listed)
		})
	})
}
