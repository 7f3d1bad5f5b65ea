//go:build modelcheck

package sleepevent_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/dev/race"
	"github.com/heddle-go/heddle/sleepevent"
	"github.com/heddle-go/heddle/stress/modelcheck"
)

// Nobody drowses, or one worker does, for one look.
var (
	awake = sleepevent.Options{MaxDrowsers: -1}
	dozes = sleepevent.Options{MaxDrowsers: 1, DrowseBudget: 1}
)

// TestModelGroup: no wake-up is lost. Time limits never come where the scene does not say
// otherwise, and the stop comes when all pieces have run, so that neither can stand in for a
// wake; nobody able to move is a lost one.
func TestModelGroup(t *testing.T) {
	t.Run("visible", modelVisible)
	t.Run("burst", modelBurst)
	t.Run("moment", modelMoment)
	t.Run("lockfree", modelLockFree)
	t.Run("complete", modelComplete)
	t.Run("drawn", modelDrawn)
}

// modelComplete explores all executions of some scenes with at most as many preemptions as
// these say, and others at random.
func modelComplete(t *testing.T) {
	// What has more than half a million executions with a second preemption, and says little that
	// others do not, has that one if there is more time than for a change.
	second := 1
	if modelcheck.Scaled(60_000) > 1_200_000 {
		second = 2
	}
	scenes := []struct {
		bound int
		scene
	}{
		// One worker. A waker claims a count, another one takes the worker away from it, and a
		// third one comes meanwhile.
		{2, scene{workers: 1, submitters: [][]act{{one}, {one}, {nudge}}, options: awake,
			same: true}},
		{2, scene{workers: 1, submitters: [][]act{{one}, {oneN}, {nudge}}, options: awake,
			same: true}},
		{2, scene{workers: 1, submitters: [][]act{{one}, {nudge}, {nudge}}, options: awake,
			same: true}},
		{2, scene{workers: 1, submitters: [][]act{{one}, {one}}, options: dozes, same: true}},

		// One worker sleeps until a moment of its own, or an earlier one that is named meanwhile.
		{2, scene{workers: 1, submitters: [][]act{{one}, {beat, beat}}, options: awake, timed: 1,
			limit: 90, same: true, timers: modelcheck.TimersEarly}},
		{2, scene{workers: 1, submitters: [][]act{{one}, {beat}}, options: awake, timed: 2,
			limit: 90, same: true, timers: modelcheck.TimersOnTime}},

		// Two workers. The stop is made by a submitter, to have less to explore.
		{2, scene{workers: 2, submitters: [][]act{{one}}, options: dozes, takes: true, same: true}},
		{2, scene{workers: 2, submitters: [][]act{{keep, one}}, options: awake, same: true}},
		{second, scene{workers: 2, submitters: [][]act{{keep, one}}, options: awake, same: true,
			timers: modelcheck.TimersEarly}},
		{1, scene{workers: 2, submitters: [][]act{{one}, {keep}}, options: dozes, same: true,
			timers: modelcheck.TimersEarly}},
		{1, scene{workers: 2, submitters: [][]act{{one}, {keep}}, options: dozes, same: true,
			timers: modelcheck.TimersOnTime}},
		{2, scene{workers: 2, submitters: [][]act{{one}}, options: awake, timed: 1, limit: 9,
			same: true}},
		{2, scene{workers: 2, submitters: [][]act{{one}}, options: awake, timed: 1, limit: 9,
			timers: modelcheck.TimersOnTime, same: true}},
		{2, scene{workers: 2, submitters: [][]act{{one}}, options: awake, timed: 1, limit: 9,
			timers: modelcheck.TimersEarly, same: true}},
		{2, scene{workers: 2, submitters: [][]act{{two}}, options: dozes, meet: true, same: true}},
		{2, scene{workers: 2, submitters: [][]act{{twoN}}, options: awake, meet: true, same: true}},
		{1, scene{workers: 2, submitters: [][]act{{twoN}, {nudge}}, options: awake, same: true}},
		{1, scene{workers: 2, submitters: [][]act{{all}}, options: awake, same: true}},
		{2, scene{workers: 2, submitters: [][]act{{mail}}, options: awake, same: true}},
		{2, scene{workers: 2, submitters: [][]act{{parent}}, options: awake, same: true}},
		{1, scene{workers: 2, submitters: [][]act{{one}, {mail}}, options: dozes, same: true}},
		{1, scene{workers: 2, submitters: [][]act{{twoN}, {one}}, options: awake, same: true}},
		{1, scene{workers: 2, submitters: [][]act{{two}}, options: awake, meet: true,
			apart: sleepevent.PerWord, same: true}},

		// Two workers, a submitter and a stop.
		{1, scene{workers: 2, submitters: [][]act{{two}}, options: dozes, meet: true}},
		{1, scene{workers: 2, submitters: [][]act{{one}, {one}}, options: awake, meet: true}},
		{1, scene{workers: 2, submitters: [][]act{{one}, {one}}, options: dozes, early: true}},
		{2, scene{workers: 2, submitters: [][]act{{one}}, options: dozes, early: true}},
		{2, scene{workers: 2, submitters: [][]act{{one}}, options: awake}},
		{2, scene{workers: 2, submitters: [][]act{{two}}, options: awake, meet: true}},

		// Three workers.
		{1, scene{workers: 3, submitters: [][]act{{one}}, options: awake, same: true}},
		{1, scene{workers: 3, submitters: [][]act{{two}}, options: awake, meet: true, same: true}},
		{second, scene{workers: 3, submitters: [][]act{{one}}, options: awake, early: true,
			same: true}},
	}
	n := modelcheck.Scaled(60_000) / 2 / len(scenes)
	for _, s := range scenes {
		t.Run(fmt.Sprint(s.scene), func(t *testing.T) {
			bound := s.bound
			if race.Enabled { // each execution takes several times as long
				bound = 0
			}
			explorers := modelcheck.DepthFirstUpTo(bound, 0)
			if race.Enabled {
				explorers = append(explorers, modelcheck.DepthFirst(1, 2*n+1))
			}
			tally := modelcheck.Check(t,
				modelcheck.Options{Timers: s.timers,
					Explorers: append(explorers, modelcheck.Beyond(n)...)}, s.program)
			require.GreaterOrEqual(t, tally.Bound, bound)
		})
	}
}

// modelDrawn draws scenes. MODELCHECK_PROGRAMS says how many. They have half of the budget, and
// those of modelComplete have the other half.
func modelDrawn(t *testing.T) {
	modelcheck.Drawn(func(i int, source *rand.Rand, n int) {
		n /= 2
		explorers := append([]modelcheck.Explorer{modelcheck.DepthFirst(0, n/8+1),
			modelcheck.DepthFirst(1, n/8+1)}, modelcheck.Beyond(3*n/4)...)
		s := randomScene(source)
		t.Run(fmt.Sprintf("%d: %v", i, s), func(t *testing.T) {
			modelcheck.Check(t, modelcheck.Options{Timers: s.timers, Explorers: explorers},
				s.program)
		})
	})
}

// modelVisible: what was written before a wake that wakes is visible when Idle returns. Built
// with the race detector this says more than that the value is right.
func modelVisible(t *testing.T) {
	for _, c := range []struct {
		name string
		wake func(g *sleepevent.Group) bool
	}{
		{"Wake", func(g *sleepevent.Group) bool { return g.Wake().Woke() }},
		{"WakeN", func(g *sleepevent.Group) bool { return g.WakeN(1) > 0 }},
		{"WakeWorker", func(g *sleepevent.Group) bool { return g.WakeWorker(0).Woke() }},
		{"WakeAll", func(g *sleepevent.Group) bool { return g.WakeAll() > 0 }},
		{"Close", func(g *sleepevent.Group) bool { g.Close(); return true }},
	} {
		for _, o := range []sleepevent.Options{awake, dozes} {
			t.Run(c.name+map[bool]string{true: " of a drowser"}[o.MaxDrowsers > 0],
				func(t *testing.T) {
					tally := modelcheck.Check(t,
						modelcheck.Options{Explorers: []modelcheck.Explorer{modelcheck.DepthFirst(2,
							0),
							modelcheck.DPOR(0)}}, func(m *modelcheck.Model) {
							g := sleepevent.NewGroup(1, o)
							written := 0
							g.BeginSearch()
							m.Thread(func() {
								g.Idle(0, nothing)
								m.Assert(written == 1, "not visible")
							})
							m.Thread(func() {
								written = 1
								for !c.wake(g) {
									atomics.Gosched()
								}
							})
						})
					require.Equal(t, 1, tally.Complete)
				})
		}
	}
}

// modelBurst: of a burst of wakes as many workers come as the largest of them asks for, if none
// of those leaves meanwhile.
func modelBurst(t *testing.T) {
	for _, c := range []struct {
		idle int
		asks []int // 0: Wake
		want int
	}{
		{2, []int{0, 0, 0}, 1},
		{3, []int{0, 1, 0}, 1},
		{3, []int{2, 0, 1}, 2},
		{3, []int{2, 2}, 2},
		{2, []int{9, 1}, 2},
	} {
		t.Run(fmt.Sprint(c.idle, c.asks), func(t *testing.T) {
			tally := modelcheck.Check(t,
				modelcheck.Options{Explorers: []modelcheck.Explorer{modelcheck.DepthFirst(2, 0),
					modelcheck.DPOR(0)}}, func(m *modelcheck.Model) {
					g := sleepevent.NewGroup(c.idle, awake)
					for i := range g.Workers() {
						g.Publish(i, i == 1)
					}
					for _, n := range c.asks {
						m.Thread(func() {
							if n == 0 {
								g.Wake()
							} else {
								g.WakeN(n)
							}
						})
					}
					m.After(func() {
						m.Assert(g.Searching() == c.want, "%d counts", g.Searching())
						m.Assert(g.IdleCount() == c.idle-c.want, "%d are idle", g.IdleCount())
					})
				})
			require.Equal(t, 1, tally.Complete)
		})
	}
	t.Run("that leaves", func(t *testing.T) {
		tally := modelcheck.Check(t,
			modelcheck.Options{Explorers: []modelcheck.Explorer{modelcheck.DPOR(0)}},
			func(m *modelcheck.Model) {
				g := sleepevent.NewGroup(2, awake)
				g.Publish(0, false)
				g.Publish(1, false)
				m.Thread(func() {
					woken := g.WakeN(2)
					m.Assert(woken <= 2, "a WakeN of 2 woke %d", woken)
				})
				m.Thread(func() { // whoever is up finds nothing and is idle again
					if g.WakeWorker(0).Woke() {
						g.EndSearch()
						g.Publish(0, false)
					}
					if !g.Idles(1) {
						g.EndSearch()
						g.Publish(1, false)
					}
				})
			})
		require.Equal(t, 1, tally.Complete)
	})
}

// modelMoment: a worker that is about to sleep, or sleeps, when KeepAwake names a moment is woken
// to hear of it, or wakes up at it.
func modelMoment(t *testing.T) {
	tally := modelcheck.Check(t, modelcheck.Options{Timers: modelcheck.TimersOnTime,
		Explorers: []modelcheck.Explorer{modelcheck.DepthFirst(2, 0),
			modelcheck.DPOR(0)}},
		func(m *modelcheck.Model) {
			g := sleepevent.NewGroup(1, awake)
			g.BeginSearch()
			var named atomics.Bool
			m.Thread(func() {
				for !named.Load() {
					g.Idle(0, nothing)
				}
			})
			m.Thread(func() {
				named.Store(true)
				g.KeepAwake(1, 1000, 1)
			})
		})
	require.Equal(t, 1, tally.Complete)
}

// modelLockFree suspends each of some wakers for ever, wherever it stands; the others come to
// their end.
func modelLockFree(t *testing.T) {
	n := modelcheck.Scaled(60_000) / 20
	modelcheck.Check(t, modelcheck.Options{LockFree: true, Explorers: modelcheck.Beyond(n)},
		func(m *modelcheck.Model) {
			g := sleepevent.NewGroup(3, awake)
			for i := range g.Workers() {
				g.Publish(i, i == 1)
			}
			m.Thread(func() { g.Wake(); g.BeginSearch(); g.EndSearch(); g.Wake() })
			m.Thread(func() { g.WakeN(2) })
			m.Thread(func() { g.WakeWorker(1); g.WakeAll() })
		})
}
