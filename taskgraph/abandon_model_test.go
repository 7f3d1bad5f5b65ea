//go:build modelcheck

package taskgraph_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/namedthread"
	"github.com/heddle-go/heddle/stress/modelcheck"
	"github.com/heddle-go/heddle/taskgraph"
)

// TestModelGiveUp: a shutdown whose context has ended gives up what will not complete by itself:
// tasks and waits of bodies, on workers and on a named thread, behind an event that nobody triggers
// or that somebody does just then, and what is launched meanwhile. All of it completes, a body runs
// at most once, no event completes before its body is over, a wait from outside that begins
// meanwhile ends, and Shutdown returns and says that it gave up. Its looks are time limits, which
// come when nobody else can move.
func TestModelGiveUp(t *testing.T) {
	for _, c := range []struct {
		workers  int
		waits    bool // a body waits for the event; else a task comes after it
		thread   bool // on a named thread
		triggers bool // somebody triggers it meanwhile
		launches bool // somebody launches a task meanwhile
		awaits   bool // somebody waits for a new event meanwhile
	}{
		{1, false, false, false, true, false},
		{1, true, false, false, false, false},
		{1, true, false, true, false, false},
		{2, true, false, false, false, false},
		{1, false, true, true, false, false},
		{1, true, true, false, true, false},
		{1, false, false, false, false, true},
	} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			n := modelcheck.Scaled(60_000) / 40
			tally := modelcheck.Check(t, modelcheck.Options{Steps: 50_000,
				Timers: modelcheck.TimersOnTime, Explorers: append([]modelcheck.Explorer{
					modelcheck.DepthFirst(0, n/4), modelcheck.DepthFirst(1, n/2)},
					modelcheck.Beyond(n)...)},
				func(m *modelcheck.Model) {
					var ran, other int
					var inside atomics.Bool
					var e, behind, late taskgraph.Event
					var th *namedthread.Thread
					reg := namedthread.NewRegistry()
					s := started(m, taskgraph.Options{Workers: c.workers, Threads: reg},
						func(s *taskgraph.System) {
							e = s.NewEvent()
							task := s.Task(taskgraph.Run(func(b *taskgraph.Context) error {
								ran++
								inside.Store(true)
								defer inside.Store(false)
								if c.waits {
									return b.Wait(e)
								}
								return nil
							}))
							if c.thread {
								var err error
								th, err = reg.Start("named", namedthread.Options{})
								m.Assert(err == nil, "%v", err)
								task = task.On(th)
							}
							if !c.waits {
								task = task.After(e)
							}
							behind = task.Launch()
						})
					ctx := newEnding()
					m.Thread(func() {
						if c.triggers {
							atomics.Go(func() { e.Trigger() })
						}
						if c.launches {
							atomics.Go(func() { late = s.Go(func() { other++ }) })
						}
						if c.awaits {
							atomics.Go(func() {
								err := s.WaitUntilTasksComplete(bg, s.NewEvent())
								m.Assert(errors.Is(err, graphevent.ErrClosed),
									"a wait ends with %v", err)
							})
						}
						ctx.end()
						err := s.Shutdown(ctx)
						m.Assert(err == nil || errors.Is(err, context.Canceled), "Shutdown: %v",
							err)
						m.Assert(err != nil || behind.IsComplete(), "it gives up in silence")
						m.Assert(!behind.IsComplete() || !inside.Load(),
							"a task completes before its body is over")
						if c.thread {
							th.Quit()
						}
					})
					m.After(func() {
						m.Assert(e.IsComplete() && behind.IsComplete(), "something is left: %v, %v",
							e.State(), behind.State())
						m.Assert(ran <= 1 && other <= 1, "bodies ran %d and %d times", ran, other)
						m.Assert(behind.Err() == nil && ran == 1 ||
							errors.Is(behind.Err(), graphevent.ErrClosed),
							"what is given up ended with %v, ran %d", behind.Err(), ran)
						m.Assert(!c.launches || late.IsComplete() &&
							(late.Err() == nil) == (other == 1),
							"a launch meanwhile ended with %v, ran %d", late.Err(), other)
					})
				})
			require.Positive(t, tally.Executions)
		})
	}
}

// meanwhile explores what a scene does while a shutdown gives up that no clock holds up.
func meanwhile(t *testing.T, scene func(m *modelcheck.Model) (begin func(s *taskgraph.System),
	do func(s *taskgraph.System), after func(s *taskgraph.System))) {
	n := modelcheck.Scaled(60_000) / 10
	tally := modelcheck.Check(t, modelcheck.Options{Steps: 50_000, Explorers: append(
		[]modelcheck.Explorer{modelcheck.DepthFirst(0, n/4)}, modelcheck.Beyond(n)...)},
		func(m *modelcheck.Model) {
			begin, do, after := scene(m)
			s := started(m, taskgraph.Options{Workers: 1}, begin)
			m.Thread(func() { do(s) })
			m.Thread(s.EndAtOnce)
			m.After(func() { after(s) })
		})
	require.Positive(t, tally.Executions)
}

// TestModelLaunchMeanwhile: a task that is launched while a shutdown gives it up runs, or completes
// with ErrClosed, and the launch does not panic.
func TestModelLaunchMeanwhile(t *testing.T) {
	meanwhile(t, func(m *modelcheck.Model) (begin, do, after func(s *taskgraph.System)) {
		ran := 0
		var task taskgraph.Task
		return func(s *taskgraph.System) {
				task = s.Task(taskgraph.Do(func() { ran++ }))
			}, func(*taskgraph.System) {
				task.Launch()
			}, func(*taskgraph.System) {
				e := task.Event()
				m.Assert(e.IsComplete(), "it is left: %v", e.State())
				m.Assert(e.Err() == nil && ran == 1 || errors.Is(e.Err(), graphevent.ErrClosed) &&
					ran == 0, "it ended with %v, and ran %d", e.Err(), ran)
			}
	})
}

// TestModelCallMeanwhile: a call of a group that is made from outside while a shutdown gives up
// runs, or the group fails with ErrClosed; and it is counted as over.
func TestModelCallMeanwhile(t *testing.T) {
	meanwhile(t, func(m *modelcheck.Model) (begin, do, after func(s *taskgraph.System)) {
		ran := 0
		var g *taskgraph.Group
		return func(s *taskgraph.System) {
				g = s.NewGroup()
			}, func(s *taskgraph.System) {
				g.Go(s, func() { ran++ })
				err := g.Wait(bg)
				m.Assert(err == nil && ran == 1 || errors.Is(err, graphevent.ErrClosed),
					"it ended with %v, and ran %d", err, ran)
			}, func(s *taskgraph.System) {
				live := s.Stats().Live
				m.Assert(live == 0, "%d tasks are said to be left", live)
			}
	})
}
