//go:build modelcheck

package park_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/park"
	"github.com/heddle-go/heddle/stress/history"
	"github.com/heddle-go/heddle/stress/modelcheck"
)

// permits is a Parker and what was seen of it beside the history. The owner alone writes.
type permits struct {
	park.Parker
	overslept bool // a wait lasted to its limit, though there was a permit before
	mode      park.Mode
	waits     int // with a limit that may come
}

// mostWaits bounds the waits with a limit in one execution where each may take a thread for its
// timer, on the Cond.
const mostWaits = 4

// A permit is an event: Unpark triggers it, whatever takes the permit waits for it.
func (p *permits) wait(l *modelcheck.Log, limit time.Duration) {
	if p.waits++; l.Thread() < 0 || p.mode != park.OS && p.waits > mostWaits {
		limit = 0 // in the set-up nobody would end it
	}
	l.Call(history.OpWait, 0, func() (int64, int32) {
		if limit <= 0 {
			return 0, status(p.ParkTimeout(limit))
		}
		begin := atomics.Now()
		ok := p.ParkTimeout(limit)
		// Under TimersOnTime a limit comes when nobody else can move: who has reached it and
		// found a permit slept through the wake.
		p.overslept = p.overslept || ok && atomics.Now()-begin >= int64(limit)
		return 0, status(ok)
	})
}

func (p *permits) take(l *modelcheck.Log, take func() bool) {
	l.Call(history.OpReset, 0, func() (int64, int32) { return 0, status(take()) })
}

func status(ok bool) int32 {
	if ok {
		return history.OK
	}
	return history.Fail
}

func TestModelParker(t *testing.T)   { parkerModels(t, park.OS) }
func TestModelTwoPhase(t *testing.T) { parkerModels(t, park.TwoPhase) }
func TestModelCond(t *testing.T)     { parkerModels(t, park.Go) }

func parkerModels(t *testing.T, mode park.Mode) {
	t.Run("on time", func(t *testing.T) { parkerPrograms(t, mode, modelcheck.TimersOnTime) })
	t.Run("early", func(t *testing.T) { parkerPrograms(t, mode, modelcheck.TimersEarly) })
	t.Run("never", func(t *testing.T) { parkerNever(t, mode) })
}

// parkerPrograms makes programs of an owner and those who unpark. Each of two kinds of timers has
// half of the budget.
func parkerPrograms(t *testing.T, mode park.Mode, timers modelcheck.Timers) {
	unpark := func(p *permits, l *modelcheck.Log, _ int64) {
		l.Call(history.OpTrigger, 0, func() (int64, int32) { p.Unpark(); return 0, history.OK })
	}
	modelcheck.Programs(t, modelcheck.Structure[*permits]{
		Name: "Parker",
		New: func() *permits {
			p := &permits{mode: mode}
			p.Init(mode)
			return p
		},
		Ops: []modelcheck.Op[*permits]{
			{Name: "Unpark", Who: modelcheck.NotFirst, Do: unpark},
			{Name: "OwnUnpark", Who: modelcheck.First, Do: unpark},
			{Name: "ParkTimeout", Who: modelcheck.First, Weight: 4,
				Do: func(p *permits, l *modelcheck.Log, _ int64) { p.wait(l, time.Minute) }},
			{Name: "ParkTimeoutZero", Who: modelcheck.First,
				Do: func(p *permits, l *modelcheck.Log, _ int64) { p.wait(l, 0) }},
			{Name: "TryPark", Who: modelcheck.First,
				Do: func(p *permits, l *modelcheck.Log, _ int64) { p.take(l, p.TryPark) }},
			{Name: "Reset", Who: modelcheck.First,
				Do: func(p *permits, l *modelcheck.Log, _ int64) { p.take(l, p.Reset) }},
		},
		Judge: func() modelcheck.Judge { return history.NewChecker(history.AutoResetEvent()) },
		Drain: func(p *permits, l *modelcheck.Log) { p.take(l, p.TryPark); p.take(l, p.TryPark) },
		Check: func(p *permits, _ []history.Call) string {
			if timers == modelcheck.TimersOnTime && p.overslept {
				return "a wait lasted to its limit, and then found a permit"
			}
			return ""
		},
	}, modelcheck.Share(2), modelcheck.Options{Timers: timers})
}

// parkerNever has waits without a limit, and enough permits: a lost one is a deadlock.
func parkerNever(t *testing.T, mode park.Mode) {
	all := func(timers modelcheck.Timers) modelcheck.Options {
		return modelcheck.Options{Timers: timers,
			Explorers: []modelcheck.Explorer{modelcheck.DepthFirst(2, 0), modelcheck.DPOR(0)}}
	}
	// Only where its first phase may end early has a wait without a limit a second one.
	timers := modelcheck.TimersNever
	if mode == park.TwoPhase {
		timers = modelcheck.TimersEarly
	}
	handOver := func(t *testing.T, rounds int, o modelcheck.Options) modelcheck.Tally {
		return modelcheck.Check(t, o, func(m *modelcheck.Model) {
			there, back := park.New(mode), park.New(mode)
			passed := 0 // written by one thread, read by the other
			m.Thread(func() {
				for i := range rounds {
					there.Park()
					m.Assert(passed == i+1, "not visible")
					back.Unpark()
				}
			})
			m.Thread(func() {
				for range rounds {
					passed++
					there.Unpark()
					back.Park()
				}
			})
			m.After(func() { m.Assert(!there.TryPark() && !back.TryPark(), "a permit is left") })
		})
	}
	t.Run("hand over", func(t *testing.T) {
		if mode == park.OS {
			require.Equal(t, 1, handOver(t, 3, all(timers)).Complete)
			return
		}
		// A lock makes too many orders of more than one round.
		require.Equal(t, 1, handOver(t, 1, all(timers)).Complete)
		handOver(t, 2, modelcheck.Options{Timers: timers})
	})
	t.Run("two unparkers", func(t *testing.T) {
		tally := modelcheck.Check(t, all(timers), func(m *modelcheck.Model) {
			p := park.New(mode)
			var before [2]bool // set by each before its Unpark
			woken := [2]bool{}
			m.Thread(func() {
				p.Park()
				if p.TryPark() {
					m.Assert(before[0] && before[1],
						"the second permit was not given, or is not visible")
				}
			})
			for i := range before {
				m.Thread(func() { before[i] = true; woken[i] = p.Unpark() })
			}
			m.After(func() {
				p.TryPark()
				m.Assert(!p.TryPark(), "two permits")
				m.Assert(!woken[0] || !woken[1], "one wait was woken twice")
			})
		})
		require.Equal(t, 1, tally.Complete)
	})
	t.Run("late wake", func(t *testing.T) {
		o, part := all(modelcheck.TimersNever), false
		if mode == park.Go {
			// A lock makes millions of orders: in less than that is explored each with two
			// preemptions, and what the budget has of the others.
			const most = 4_000_000
			n := modelcheck.Scaled(60_000)
			if part = n < most; part {
				o.Explorers = []modelcheck.Explorer{modelcheck.DepthFirst(2, 0),
					modelcheck.DPOR(n/8 + 1)}
			}
		}
		tally := modelcheck.Check(t, o, func(m *modelcheck.Model) {
			p, taken := park.New(mode), park.New(park.OS)
			m.Thread(func() {
				p.Park()
				taken.Unpark()
				// The wake of the first permit may come only now.
				m.Assert(p.ParkTimeout(5), "a wait failed before its limit")
			})
			m.Thread(func() {
				p.Unpark()
				taken.Park()
				p.Unpark()
			})
			m.After(func() { m.Assert(!p.TryPark(), "a permit is left") })
		})
		require.True(t, part && tally.Bound >= 2 || tally.Complete == 1)
	})
	t.Run("limit and wait", func(t *testing.T) {
		limits := 2
		if mode == park.Go {
			limits = 1 // each has a thread
		}
		for _, timers := range []modelcheck.Timers{modelcheck.TimersNever, modelcheck.TimersOnTime,
			modelcheck.TimersEarly} {
			o := all(timers)
			part := mode == park.Go && timers == modelcheck.TimersEarly
			if part {
				o.Explorers = nil // there are three million
			}
			tally := modelcheck.Check(t, o, func(m *modelcheck.Model) {
				p := park.New(mode)
				m.Thread(func() {
					taken := false
					for n := 0; n < limits && !taken; n++ {
						taken = p.ParkTimeout(5)
					}
					if !taken {
						p.Park()
					}
				})
				m.Thread(func() { p.Unpark() })
				m.After(func() { m.Assert(!p.TryPark(), "a permit is left, but a wait took it") })
			})
			require.True(t, part || tally.Complete == 1)
		}
	})
}
