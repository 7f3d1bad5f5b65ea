package taskgraph_test

import (
	"context"
	"fmt"
	"runtime"
	"sort"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/taskgraph"
)

// In a random graph of tasks, events and combinations, in which a random set of events is never
// triggered, the causes that the report names are exactly those events, and what is stuck is
// exactly what cannot complete without them.
func TestStuckNamesExactlyTheRoots(t *testing.T) {
	guard(t)
	s := start(t, taskgraph.Options{Workers: 2})
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 40).Draw(t, "nodes")
		ctx, cancel := context.WithCancel(bg) // can end, so a wait runs nothing
		events, stuck := make([]taskgraph.Event, n), make([]bool, n)
		want, roots := map[string]bool{}, map[string]bool{}
		var manual []taskgraph.Event
		var trigger []taskgraph.Event
		for i := range n {
			name := fmt.Sprintf("n%d", i)
			var deps []int
			if i > 0 {
				deps = rapid.SliceOfNDistinct(rapid.IntRange(max(0, i-10), i-1), 1, min(i, 6, 10),
					rapid.ID[int]).Draw(t, "dependencies")
			}
			var on []taskgraph.Event
			all, any := false, true
			for _, d := range deps {
				on = append(on, events[d])
				all, any = all || stuck[d], any && stuck[d]
			}
			kind := rapid.IntRange(0, 6).Draw(t, "kind")
			if i == 0 {
				kind = 0
			}
			switch kind {
			case 0:
				events[i] = s.Name(s.NewEvent(), name)
				manual = append(manual, events[i])
				if stuck[i] = rapid.IntRange(0, 3).Draw(t, "never") == 0; stuck[i] {
					roots[fmt.Sprintf("event %q", name)] = true
				} else {
					trigger = append(trigger, events[i])
				}
				name = fmt.Sprintf("event %q", name)
			case 1:
				events[i], stuck[i] = s.Name(s.All(on...), name), all
				name = fmt.Sprintf("event %q", name)
			case 2:
				e := s.Any(on...) // one of the others if that is complete
				if stuck[i] = any; !any {
					events[i] = e
					break
				}
				events[i] = s.Name(e, name)
				name = fmt.Sprintf("event %q", name)
			case 3:
				events[i] = s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
					c.DontCompleteUntil(on...)
					return nil
				})).Name(name).Launch()
				stuck[i] = all
				name = fmt.Sprintf("task %q", name)
			case 4:
				events[i] = s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
					return c.WaitUntilTasksComplete(ctx, on...)
				})).Name(name).Launch()
				stuck[i] = all
				name = fmt.Sprintf("task %q", name)
			default:
				events[i] = s.Task(noop()).Name(name).After(on...).Launch()
				stuck[i] = all
				name = fmt.Sprintf("task %q", name)
			}
			if stuck[i] {
				want[name] = true
			}
		}
		for _, e := range trigger {
			e.Trigger()
		}
		// Idle is a moment, and events of Any may just complete by the hand of a worker: look until
		// it says what is to be, or for good what is not.
		var r *taskgraph.StuckReport
		var got, causes map[string]bool
		for range 1000 {
			r = idleReport(s, nil)
			got, causes = map[string]bool{}, map[string]bool{}
			for _, task := range r.Tasks[:r.Stuck] {
				got[task.Name] = true
				if task.Why != "" {
					causes[task.Name] = true
				}
			}
			if len(got) == len(want) && len(r.Tasks) == r.Stuck {
				break
			}
			runtime.Gosched()
		}
		if fmt.Sprint(sorted(got)) != fmt.Sprint(sorted(want)) ||
			fmt.Sprint(sorted(causes)) != fmt.Sprint(sorted(roots)) {
			t.Errorf("stuck %v, want %v; roots %v, want %v:\n%v", sorted(got), sorted(want),
				sorted(causes), sorted(roots), r)
		}
		if len(r.Cycles) > 0 {
			t.Errorf("cycles %v", r.Cycles)
		}
		for _, e := range manual {
			e.Trigger()
		}
		for _, e := range events {
			if err := s.WaitUntilTasksComplete(bg, e); err != nil {
				t.Error(err)
			}
		}
		cancel()
	})
}

func sorted(set map[string]bool) []string {
	var names []string
	for name := range set {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

// Reports are made while everything moves: nothing is disturbed, and nothing that a report says of
// a task in a cycle is true of one that was never in any.
func TestStuckWhileWorkRuns(t *testing.T) {
	for _, sites := range []bool{false, true} {
		s := start(t, taskgraph.Options{Workers: 3, Sites: sites, MaxTasks: 1 << 20})
		pipe, lim, sem := s.NewPipe(), s.NewLimiter(2), s.NewSemaphore(2)
		var b taskgraph.GraphBuilder
		first := b.Task(noop()).Name("g")
		for range 20 {
			b.Task(noop()).After(first)
		}
		g, err := b.Build()
		require.NoError(t, err)
		var over atomics.Bool
		var reporters sync.WaitGroup
		for range 2 {
			reporters.Go(func() {
				for !over.Load() {
					r := s.Stuck()
					if len(r.Cycles) > 0 {
						t.Errorf("a cycle where there is none: %v", r)
						return
					}
					_ = r.String()
					_ = r.DOT()
				}
			})
		}
		for range brief(60, 20) {
			e, f := s.NewEvent(), s.NewEvent()
			var all []taskgraph.Event
			for i := range 10 {
				task := s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
					inner := c.Go(func() {})
					c.DontCompleteUntil(f)
					return c.WaitUntilTasksComplete(bg, inner, e)
				})).Name("t").After(e)
				switch i % 4 {
				case 0:
					task = task.In(pipe)
				case 1:
					task = task.Limit(lim)
				case 2:
					task = task.In(pipe).Limit(lim)
				}
				all = append(all, task.Launch())
			}
			all = append(all, s.LaunchGraph(g, e), s.Any(e, f), s.All(e, f), pipe.Idle())
			all = append(all, s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
				if err := c.Acquire(bg, sem); err != nil {
					return err
				}
				defer sem.Release()
				if s.Name(f, "f").IsComplete() {
					return nil
				}
				c.Again(f)
				return nil
			})).Launch())
			e.Trigger()
			s.Go(func() { f.Trigger() })
			wait(t, s, all...)
		}
		over.Store(true)
		reporters.Wait()
	}
}
