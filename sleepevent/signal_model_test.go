//go:build modelcheck

package sleepevent_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/sleepevent"
	"github.com/heddle-go/heddle/stress/history"
	"github.com/heddle-go/heddle/stress/modelcheck"
)

// event is a Signal and what was seen of it beside the history. The waiter alone writes.
type event struct {
	sleepevent.Signal
	overslept bool // a wait lasted to its limit, though the event was set before
}

// wait is a WaitTimeout with a history's view of it.
func (e *event) wait(l *modelcheck.Log, limit time.Duration) {
	if l.Thread() < 0 {
		limit = 0 // in the set-up nobody would end it
	}
	l.Call(history.OpWait, 0, func() (int64, int32) {
		if limit <= 0 {
			return 0, status(e.WaitTimeout(limit))
		}
		begin := atomics.Now()
		ok := e.WaitTimeout(limit)
		// Under TimersOnTime a limit comes when nobody else can move: who has reached it and
		// found the event set slept through the wake.
		e.overslept = e.overslept || ok && atomics.Now()-begin >= int64(limit)
		return 0, status(ok)
	})
}

func status(ok bool) int32 {
	if ok {
		return history.OK
	}
	return history.Fail
}

func TestModelSignal(t *testing.T) {
	t.Run("on time", func(t *testing.T) { signalPrograms(t, modelcheck.TimersOnTime) })
	t.Run("early", func(t *testing.T) { signalPrograms(t, modelcheck.TimersEarly) })
	t.Run("never", signalNever)
}

// signalPrograms makes programs of a waiter and those who trigger. Each of two kinds of timers has
// half of the budget.
func signalPrograms(t *testing.T, timers modelcheck.Timers) {
	modelcheck.Programs(t, modelcheck.Structure[*event]{
		Name: "Signal",
		New:  func() *event { return new(event) },
		Ops: []modelcheck.Op[*event]{
			{Name: "Trigger", Who: modelcheck.NotFirst,
				Do: func(e *event, l *modelcheck.Log, _ int64) {
					l.Call(history.OpTrigger, 0, func() (int64, int32) {
						e.Trigger()
						return 0, history.OK
					})
				}},
			{Name: "TriggerToo", Who: modelcheck.First,
				Do: func(e *event, l *modelcheck.Log, _ int64) {
					l.Call(history.OpTrigger, 0, func() (int64, int32) {
						e.Trigger()
						return 0, history.OK
					})
				}},
			{Name: "WaitTimeout", Who: modelcheck.First, Weight: 4,
				Do: func(e *event, l *modelcheck.Log, _ int64) { e.wait(l, time.Minute) }},
			{Name: "WaitTimeoutZero", Who: modelcheck.First,
				Do: func(e *event, l *modelcheck.Log, _ int64) { e.wait(l, 0) }},
			{Name: "Reset", Who: modelcheck.First, Do: func(e *event, l *modelcheck.Log, _ int64) {
				l.Call(history.OpReset, 0, func() (int64, int32) { return 0, status(e.Reset()) })
			}},
		},
		Judge: func() modelcheck.Judge { return history.NewChecker(history.AutoResetEvent()) },
		Drain: func(e *event, l *modelcheck.Log) { e.wait(l, 0) },
		Check: func(e *event, _ []history.Call) string {
			if timers == modelcheck.TimersOnTime && e.overslept {
				return "a wait lasted to its limit, and then found the event set"
			}
			return ""
		},
	}, modelcheck.Share(2), modelcheck.Options{Timers: timers})
}

// signalNever has waits without a limit, and enough triggers.
func signalNever(t *testing.T) {
	all := modelcheck.Options{Explorers: []modelcheck.Explorer{modelcheck.DepthFirst(2, 0),
		modelcheck.DPOR(0)}}
	t.Run("hand over", func(t *testing.T) {
		tally := modelcheck.Check(t, all, func(m *modelcheck.Model) {
			const rounds = 3
			var there, back sleepevent.Signal
			passed := 0 // written by one thread, read by the other
			m.Thread(func() {
				for i := range rounds {
					there.Wait()
					m.Assert(passed == i+1, "not visible")
					back.Trigger()
				}
			})
			m.Thread(func() {
				for range rounds {
					passed++
					there.Trigger()
					back.Wait()
				}
			})
			m.After(func() { m.Assert(!there.Reset() && !back.Reset(), "an event is left") })
		})
		require.Equal(t, 1, tally.Complete)
	})
	t.Run("two triggers", func(t *testing.T) {
		tally := modelcheck.Check(t, all, func(m *modelcheck.Model) {
			var s sleepevent.Signal
			var before [2]bool // set by each before its trigger
			m.Thread(func() {
				s.Wait()
				if s.Reset() {
					m.Assert(before[0] && before[1],
						"the second event was not triggered, or is not visible")
				}
			})
			for i := range before {
				m.Thread(func() { before[i] = true; s.Trigger() })
			}
			m.After(func() {
				s.Reset()
				m.Assert(!s.Reset(), "two events")
			})
		})
		require.Equal(t, 1, tally.Complete)
	})
	t.Run("limit and wait", func(t *testing.T) {
		o := all
		o.Timers = modelcheck.TimersEarly
		tally := modelcheck.Check(t, o, func(m *modelcheck.Model) {
			var s sleepevent.Signal
			m.Thread(func() {
				found := false
				for n := 0; n < 2 && !found; n++ {
					found = s.WaitTimeout(5)
				}
				if !found {
					s.Wait()
				}
			})
			m.Thread(func() { s.Trigger() })
			m.After(func() { m.Assert(!s.Reset(), "the event is set, but a wait took it") })
		})
		require.Equal(t, 1, tally.Complete)
	})
}
