//go:build modelcheck

package taskgraph_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/internal/dev/race"
	"github.com/heddle-go/heddle/internal/park"
	"github.com/heddle-go/heddle/stress/modelcheck"
	"github.com/heddle-go/heddle/taskgraph"
)

// onSystem explores what a caller does with a whole system whose workers sleep, and which it shuts
// down: play makes a scene anew, of which the caller's part gets the system, and after looks at the
// outcome. No time limit comes.
func onSystem(t *testing.T, o taskgraph.Options,
	play func(m *modelcheck.Model) (caller func(s *taskgraph.System), after func())) {
	t.Helper()
	n := modelcheck.Scaled(60_000) / 40
	tally := modelcheck.Check(t, modelcheck.Options{Steps: 50_000,
		Explorers: append([]modelcheck.Explorer{modelcheck.DepthFirst(0, n/4),
			modelcheck.DepthFirst(1, n/2)}, modelcheck.Beyond(n)...)},
		func(m *modelcheck.Model) {
			caller, after := play(m)
			s := started(m, o, func(*taskgraph.System) {})
			m.Thread(func() {
				caller(s)
				err := s.Shutdown(bg)
				m.Assert(err == nil, "Shutdown: %v", err)
			})
			m.After(after)
		})
	require.Positive(t, tally.Executions)
}

// started sets a system up, before the threads of a model, so that its workers sleep when those
// begin, and has do set up the rest.
func started(m *modelcheck.Model, o taskgraph.Options,
	do func(s *taskgraph.System)) (s *taskgraph.System) {
	o.Idle = taskgraph.IdleSleep
	m.SetUp(func() {
		s = taskgraph.Start(o)
		do(s)
	})
	return s
}

// within explores all executions of a scene with at most so many preemptions, and of those with one
// more as many as there is time for.
func within(t *testing.T, bound int, scene func(m *modelcheck.Model)) {
	t.Helper()
	if race.Enabled { // each execution takes several times as long
		bound = 0
	}
	explorers := modelcheck.DepthFirstUpTo(bound, 0)
	explorers = append(explorers, modelcheck.DepthFirst(bound+1, modelcheck.Scaled(60_000)/20+1))
	tally := modelcheck.Check(t, modelcheck.Options{Steps: 50_000, Explorers: explorers}, scene)
	require.GreaterOrEqual(t, tally.Bound, bound)
}

// TestModelLastLook: whoever ends what another is about to sleep for wakes him: a body and a
// goroutine from outside that wait, and Shutdown, which waits for launches, and for one that it
// refuses.
func TestModelLastLook(t *testing.T) {
	one := taskgraph.Options{Workers: 1}
	t.Run("a body waits", func(t *testing.T) {
		within(t, 1, func(m *modelcheck.Model) {
			var e, waits taskgraph.Event
			gate := park.New(park.OS)
			started(m, one, func(s *taskgraph.System) {
				e = s.NewEvent()
				waits = s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
					gate.Park()
					return c.Wait(e)
				})).Launch()
			})
			m.Thread(func() { gate.Unpark() })
			m.Thread(func() { e.Trigger() })
			m.After(func() {
				m.Assert(waits.IsComplete() && waits.Err() == nil, "%v", waits.Err())
			})
		})
	})
	t.Run("somebody from outside waits", func(t *testing.T) {
		within(t, 2, func(m *modelcheck.Model) {
			var e taskgraph.Event
			s := started(m, one, func(s *taskgraph.System) { e = s.NewEvent() })
			m.Thread(func() {
				m.Assert(s.WaitUntilTasksComplete(bg, e) == nil, "the wait fails")
			})
			m.Thread(func() { e.Trigger() })
		})
	})
	t.Run("two from outside wait for the first time", func(t *testing.T) {
		within(t, 1, func(m *modelcheck.Model) {
			var e taskgraph.Event
			s := started(m, one, func(s *taskgraph.System) { e = s.NewEvent() })
			for range 2 {
				m.Thread(func() {
					m.Assert(s.WaitUntilTasksComplete(bg, e) == nil, "the wait fails")
				})
			}
			m.Thread(func() { e.Trigger() })
			m.After(func() {
				n := s.UnlistedWaiters()
				m.Assert(n == 0, "%d whom no report and no shutdown would find", n)
			})
		})
	})
	for _, meanwhile := range []bool{false, true} {
		t.Run(fmt.Sprintf("a launch at the end, something runs %v", meanwhile), func(t *testing.T) {
			within(t, 0, func(m *modelcheck.Model) {
				ran, over := false, false
				gate := park.New(park.OS)
				var e taskgraph.Event
				s := started(m, one, func(s *taskgraph.System) {
					if meanwhile {
						s.Go(gate.Park)
					}
				})
				m.Thread(func() {
					err := s.Shutdown(bg)
					m.Assert(err == nil, "Shutdown: %v", err)
					over = true
				})
				m.Thread(func() {
					if meanwhile {
						gate.Unpark()
					}
					e = s.Go(func() {
						m.Assert(!over, "a task runs after the end of Shutdown")
						ran = true
					})
				})
				m.After(func() {
					m.Assert(e.IsComplete() && ran == (e.Err() == nil), "ran %v, and: %v", ran,
						e.Err())
				})
			})
		})
	}
}

// TestModelStuckSideBySide: several may ask at the same time what is stuck, each is told that
// nothing is, and a shutdown that gives up sees how many ask.
func TestModelStuckSideBySide(t *testing.T) {
	within(t, 1, func(m *modelcheck.Model) {
		s := started(m, taskgraph.Options{Workers: 1}, func(*taskgraph.System) {})
		for range 2 {
			m.Thread(func() {
				r := s.Stuck()
				m.Assert(r.Stuck == 0, "stuck: %v", r)
			})
		}
		m.After(func() { m.Assert(s.Inspecting() == 0, "%d inspect", s.Inspecting()) })
	})
}

// TestModelStuckNames: a report that is made beside a launch has nothing of the task that was in
// the new one's place before.
func TestModelStuckNames(t *testing.T) {
	within(t, 1, func(m *modelcheck.Model) {
		var e taskgraph.Event
		s := started(m, taskgraph.Options{Workers: 1}, func(s *taskgraph.System) {
			e = s.NewEvent()
			s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
				c.DontCompleteUntil(e)
				return nil
			})).Name("old").Launch()
		})
		m.SetUp(func() { e.Trigger() }) // so the next launch from outside has the place
		m.Thread(func() { s.Go(func() {}) })
		m.Thread(func() {
			report := s.Stuck().String()
			m.Assert(!strings.Contains(report, "old"), "%s", report)
		})
	})
}

// TestModelLaunchSuspended: launching is lock-free. Whoever stands still for ever, at whichever of
// its steps, a launcher, a worker or who ends what a launch comes after, the others come to their
// end.
func TestModelLaunchSuspended(t *testing.T) {
	tally := modelcheck.Check(t, modelcheck.Options{Steps: 50_000,
		LockFree:  !race.Enabled, // there each execution takes several times as long
		Explorers: []modelcheck.Explorer{modelcheck.DepthFirst(0, 100)}},
		func(m *modelcheck.Model) {
			var b taskgraph.GraphBuilder
			first := b.Task(taskgraph.Do(func() {}))
			b.Task(taskgraph.Do(func() {})).After(first)
			g, err := b.Build()
			m.Assert(err == nil, "%v", err)
			var e taskgraph.Event
			s := started(m, taskgraph.Options{Workers: 1},
				func(s *taskgraph.System) { e = s.NewEvent() })
			m.Thread(func() { s.LaunchGraph(g, e) })
			m.Thread(func() {
				e.Trigger()
				s.Go(func() {})
			})
		})
	require.Positive(t, tally.Executions)
}

// TestModelForkScenes: a forked call runs once, by whoever gets it, and its wait returns what it
// left, or why it failed; what a body has not waited for has ended when the body has.
func TestModelForkScenes(t *testing.T) {
	type scene struct {
		forks  int
		first  bool // they are waited for in the order of the forks
		waits  int  // so many are
		fails  int  // this call panics, if it is one of them
		nested bool // calls fork in turn
		again  bool // the body forks and waits once more
	}
	for _, c := range []scene{
		{2, false, 2, -1, false, false},
		{2, true, 2, -1, false, false},
		{2, true, 2, -1, false, true},
		{3, false, 3, -1, true, false},
		{2, false, 0, -1, false, false},
		{2, false, 2, 1, false, false},
	} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			onSystem(t, taskgraph.Options{Workers: 2},
				func(m *modelcheck.Model) (caller func(s *taskgraph.System), after func()) {
					var ran [8]int
					ended, calls := false, c.forks
					if c.again {
						calls *= 2
					}
					boom := errors.New("boom")
					call := func(c2 *taskgraph.Context, a *taskgraph.Args) {
						m.Assert(!ended, "call %d runs after the end of its body", a.A)
						ran[a.A]++
						if int(a.A) == c.fails {
							panic(boom)
						}
						if c.nested {
							in := c2.Fork(func(_ *taskgraph.Context, b *taskgraph.Args) {
								ran[b.A]++
								b.B = b.A
							}, taskgraph.Args{A: a.A + 4}).Wait()
							m.Assert(in.B == a.A+4, "the result of a nested call is not there")
						}
						a.B = 10 + a.A
					}
					body := func(c2 *taskgraph.Context) (err error) {
						defer func() {
							if v := recover(); v != nil {
								err = fmt.Errorf("%v", v)
							}
						}()
						for first := 0; first < calls; first += c.forks {
							var joins []taskgraph.Join
							for i := range c.forks {
								joins = append(joins,
									c2.Fork(call, taskgraph.Args{A: int64(first + i)}))
							}
							for i := range c.waits {
								k := i
								if !c.first {
									k = len(joins) - 1 - i
								}
								a := joins[k].Wait()
								m.Assert(a.B == 10+int64(first+k),
									"the result of call %d is not there", first+k)
							}
						}
						return nil
					}
					return func(s *taskgraph.System) {
							e := s.Task(taskgraph.Run(body)).Launch()
							err := s.WaitUntilTasksComplete(bg, e)
							ended = true
							m.Assert((err != nil) == (c.fails >= 0 && c.fails < c.waits),
								"the body ended with %v", err)
						}, func() {
							for i := range calls {
								m.Assert(ran[i] == 1 || c.fails >= 0 && ran[i] == 0,
									"call %d ran %d times", i, ran[i])
								m.Assert(!c.nested || ran[i+4] == 1, "call %d ran %d times", i+4,
									ran[i+4])
							}
						}
				})
		})
	}
}

// TestModelBlocking: while a body is inside Blocking others run, though nobody looks by himself how
// long it takes, and afterwards it has a worker again.
func TestModelBlocking(t *testing.T) {
	for _, c := range []struct {
		workers, bodies int
		waits           bool // by the Context, inside Blocking
	}{{1, 1, false}, {1, 1, true}, {1, 2, false}, {2, 2, false}} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			onSystem(t, taskgraph.Options{Workers: c.workers},
				func(m *modelcheck.Model) (caller func(s *taskgraph.System), after func()) {
					var ran, went int
					var open atomics.Int32
					return func(s *taskgraph.System) {
							var all []taskgraph.Event
							parkers := make([]*park.Parker, c.bodies)
							opener := s.Task(taskgraph.Do(func() {
								ran++
								for _, p := range parkers {
									p.Unpark()
								}
							}))
							for i := range parkers {
								parkers[i] = park.New(park.OS)
								all = append(all,
									s.Task(taskgraph.Run(func(b *taskgraph.Context) error {
										b.Blocking(func() {
											if c.waits {
												m.Assert(b.Wait(opener.Event()) == nil,
													"the wait fails")
												return
											}
											parkers[i].Park()
										})
										m.Assert(b.Worker() >= 0, "a body has no worker")
										m.Assert(ran == 1, "a body goes on too early")
										open.Add(1)
										return nil
									})).Launch())
							}
							all = append(all, opener.Launch())
							m.Assert(s.WaitUntilTasksComplete(bg, all...) == nil, "a task fails")
							went = int(open.Load())
						}, func() {
							m.Assert(ran == 1 && went == c.bodies, "%d and %d have run", ran, went)
						}
				})
		})
	}
}

// TestModelRounds: a task that asks for it runs again when what it waits for has completed, each
// round once and after the one before, and fails with what fails in between.
func TestModelRounds(t *testing.T) {
	for _, c := range []struct {
		rounds int
		after  bool // each round waits for a task of the one before
		fails  int  // the task of this round fails
	}{{3, false, -1}, {2, true, -1}, {3, true, -1}, {3, true, 1}} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			onSystem(t, taskgraph.Options{Workers: 2},
				func(m *modelcheck.Model) (caller func(s *taskgraph.System), after func()) {
					begun, between := 0, 0
					want := c.rounds
					if c.fails >= 0 {
						want = c.fails + 1
					}
					return func(s *taskgraph.System) {
						e := s.Task(taskgraph.Run(func(b *taskgraph.Context) error {
							round := begun
							m.Assert(!c.after || between == round, "round %d begins after %d tasks",
								round, between)
							if begun++; begun == c.rounds {
								return nil
							}
							if !c.after {
								b.Again()
								return nil
							}
							b.Again(b.Spawn(taskgraph.Try(func() error {
								between++
								if round == c.fails {
									return errPart
								}
								return nil
							})))
							return nil
						})).Launch()
						err := s.WaitUntilTasksComplete(bg, e)
						m.Assert((err != nil) == (c.fails >= 0), "the task ended with %v", err)
					}, func() { m.Assert(begun == want, "%d rounds have run", begun) }
				})
		})
	}
}

// TestModelNeverStuck: whoever asks, at any moment, what is stuck in a system in which everything
// goes on is told that nothing is, but for a task that is being built, of which nobody knows
// whether it will be launched.
func TestModelNeverStuck(t *testing.T) {
	for _, c := range []struct {
		name string
		body func(s *taskgraph.System) func(c *taskgraph.Context) error
	}{
		{"a chain", func(s *taskgraph.System) func(c *taskgraph.Context) error {
			return func(*taskgraph.Context) error { return nil }
		}},
		{"a wait", func(s *taskgraph.System) func(c *taskgraph.Context) error {
			return func(c *taskgraph.Context) error {
				return c.Wait(c.Spawn(taskgraph.Do(func() {})))
			}
		}},
		{"a task that is held open", func(s *taskgraph.System) func(c *taskgraph.Context) error {
			return func(c *taskgraph.Context) error {
				c.DontCompleteUntil(c.Spawn(taskgraph.Do(func() {})))
				return nil
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			onSystem(t, taskgraph.Options{Workers: 2},
				func(m *modelcheck.Model) (caller func(s *taskgraph.System), after func()) {
					return func(s *taskgraph.System) {
						atomics.Go(func() {
							r := s.Stuck()
							for _, x := range r.Tasks[:r.Stuck] {
								m.Assert(x.State == "unsubmitted", "said to be stuck: %v", r)
							}
						})
						first := s.Task(taskgraph.Run(c.body(s))).Launch()
						e := s.Task(taskgraph.Run(c.body(s))).After(first).Launch()
						m.Assert(s.WaitUntilTasksComplete(bg, e) == nil, "a task fails")
					}, func() {}
				})
		})
	}
}
