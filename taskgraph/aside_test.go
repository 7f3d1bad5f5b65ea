package taskgraph_test

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/dev/ways"
	"github.com/heddle-go/heddle/namedthread"
	"github.com/heddle-go/heddle/taskgraph"
)

// waitsThatRun are the ways in which a body waits for something and runs it meanwhile, that is with
// one worker; each returns the failure that the wait returns.
var waitsThatRun = map[string]func(c *taskgraph.Context, w *ways.Way) error{
	"for a task": func(c *taskgraph.Context, w *ways.Way) error {
		return c.WaitUntilTasksComplete(bg, c.Spawn(taskgraph.Try(w.Leave)))
	},
	"for the last of many": func(c *taskgraph.Context, w *ways.Way) error {
		var events []taskgraph.Event
		for range 20 {
			events = append(events, c.Go(func() {}))
		}
		events = append(events, c.Spawn(taskgraph.Try(w.Leave)))
		for range 20 {
			events = append(events, c.Go(func() {}))
		}
		return c.WaitUntilTasksComplete(bg, events...)
	},
	"for what comes after it": func(c *taskgraph.Context, w *ways.Way) error {
		return c.WaitUntilTasksComplete(bg,
			c.Task(taskgraph.Do(func() {})).After(c.Spawn(taskgraph.Try(w.Leave))).Launch())
	},
	"for what it is nested in": func(c *taskgraph.Context, w *ways.Way) error {
		return c.WaitUntilTasksComplete(bg, c.Spawn(taskgraph.Run(func(c *taskgraph.Context) error {
			c.Nest(taskgraph.Try(w.Leave))
			return nil
		})))
	},
	"for one that waits for it": func(c *taskgraph.Context, w *ways.Way) error {
		return c.WaitUntilTasksComplete(bg, c.Spawn(taskgraph.Run(func(c *taskgraph.Context) error {
			return c.WaitUntilTasksComplete(bg, c.Spawn(taskgraph.Try(w.Leave)))
		})))
	},
	"for one that has a fork": func(c *taskgraph.Context, w *ways.Way) error {
		return c.WaitUntilTasksComplete(bg, c.Spawn(taskgraph.Run(func(c *taskgraph.Context) error {
			c.Fork(func(*taskgraph.Context, *taskgraph.Args) { w.Do() }, taskgraph.Args{}).Wait()
			return nil
		})))
	},
	"for a group": func(c *taskgraph.Context, w *ways.Way) error {
		g := c.System().NewGroup()
		for i := range 100 {
			g.Go(c, func() {
				if i == 50 {
					w.Do()
				}
			})
		}
		return g.Wait(c)
	},
	"for a graph": func(c *taskgraph.Context, w *ways.Way) error {
		var b taskgraph.GraphBuilder
		first := b.Task(taskgraph.Do(func() {}))
		for i := range 100 {
			b.Task(taskgraph.Do(func() {
				if i == 50 {
					w.Do()
				}
			})).After(first)
		}
		g, err := b.Build()
		if err != nil {
			return err
		}
		return c.WaitUntilTasksComplete(bg, c.LaunchGraph(g))
	},
}

// TestWaysToLeaveUnderAWait: with IsolateWaits a body goes on whatever it has run while it waited,
// and gets the failure.
func TestWaysToLeaveUnderAWait(t *testing.T) {
	for name, waits := range waitsThatRun {
		for k, d := range []*taskgraph.Deterministic{nil, {Seed: 1}, {Seed: 2}} {
			t.Run(fmt.Sprint(name, " ", d != nil), func(t *testing.T) {
				for _, workers := range []int{1, 2} {
					s := startUnwatched(t, taskgraph.Options{Workers: workers, IsolateWaits: true,
						Deterministic: d})
					for i := range ways.All {
						w := &ways.All[i]
						// each way and each wait, but not all with all
						if testing.Short() && i%3 != (k+workers)%3 {
							continue
						}
						wentOn := 0
						run(t, s, func(c *taskgraph.Context) error {
							for range 3 {
								if err := w.Check(waits(c, w), graphevent.ErrGoexit); err != nil {
									return err
								}
								wentOn++
							}
							return nil
						})
						require.Equal(t, 3, wentOn, w.Name)
						require.NoError(t, s.Broadcast(bg, func(int, *namedthread.Thread) {}))
					}
					if workers == 1 && d == nil {
						require.Zero(t, s.Stats().Parks, "the wait runs it")
					}
				}
			})
		}
	}
}

// TestIsolatedWaits: a tree of waits, in which some bodies end their goroutine, with bodies that
// are stolen.
func TestIsolatedWaits(t *testing.T) {
	for _, workers := range []int{1, 2, 4} {
		s := start(t, taskgraph.Options{Workers: workers, IsolateWaits: true, SlowAfter: time.Hour,
			OnStuck: func(*taskgraph.StuckReport) {}})
		var ran, exited atomics.Int64
		var tree func(c *taskgraph.Context, depth int) error
		tree = func(c *taskgraph.Context, depth int) error {
			n := ran.Add(1)
			if depth == 0 {
				if n%7 == 0 {
					exited.Add(1)
					runtime.Goexit()
				}
				return nil
			}
			var children []taskgraph.Event
			for range 3 {
				children = append(children, c.Spawn(taskgraph.Run(func(c *taskgraph.Context) error {
					return tree(c, depth-1)
				})))
			}
			for _, e := range children {
				if err := c.WaitUntilTasksComplete(bg, e); err != nil &&
					(depth > 1 || !errors.Is(err, graphevent.ErrGoexit)) {
					return err
				}
			}
			return nil
		}
		run(t, s, func(c *taskgraph.Context) error { return tree(c, 7) })
		require.EqualValues(t, 3280, ran.Load())
		require.Positive(t, exited.Load())
	}
}

// TestIsolatedWaitsKnowTheirGoroutines: a report shows the stack of the body that is slow, and not
// that of the one that waits for it. If the machine is busy, that one may have been slow before it
// waited, and the other one before it came to where it stays; then it is tried again.
func TestIsolatedWaitsKnowTheirGoroutines(t *testing.T) {
	told := make(chan *taskgraph.StuckReport, 1)
	s := start(t, taskgraph.Options{Workers: 1, IsolateWaits: true, SlowAfter: time.Millisecond,
		OnStuck: func(r *taskgraph.StuckReport) {
			if len(r.Tasks) == 1 && r.Tasks[0].Name == `task "waits"` {
				return
			}
			select {
			case told <- r:
			default:
			}
		}})
	for stays := false; !stays; {
		var report *taskgraph.StuckReport
		wait(t, s, s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
			slow := taskgraph.Do(func() { report = awaitReport(told) })
			return waitHere(bg, c, c.Task(slow).Name("slow").Launch())
		})).Name("waits").Launch())
		require.Len(t, report.Tasks, 1)
		require.Equal(t, `task "slow"`, report.Tasks[0].Name)
		require.NotContains(t, report.Tasks[0].Stack, "waitHere")
		stays = strings.Contains(report.Tasks[0].Stack, "awaitReport")
	}
}

//go:noinline
func awaitReport(told chan *taskgraph.StuckReport) *taskgraph.StuckReport { return <-told }

// TestIsolatedWaitsShutDown: what ran for waits does not outlast the system, also if that gives up.
func TestIsolatedWaitsShutDown(t *testing.T) {
	s := taskgraph.Start(taskgraph.Options{Workers: 2, IsolateWaits: true,
		StuckAfter: time.Millisecond})
	gate := s.NewEvent()
	e := s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		return c.WaitUntilTasksComplete(bg, c.Spawn(taskgraph.Run(func(c *taskgraph.Context) error {
			return c.WaitUntilTasksComplete(bg, gate)
		})))
	})).Launch()
	var stuck *taskgraph.StuckError
	require.ErrorAs(t, s.Shutdown(bg), &stuck)
	require.ErrorIs(t, e.Err(), graphevent.ErrClosed)
}
