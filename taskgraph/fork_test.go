package taskgraph_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/taskgraph"
)

func forkFib(c *taskgraph.Context, a *taskgraph.Args) {
	n := a.A
	if n < 2 {
		return
	}
	left := c.Fork(forkFib, taskgraph.Args{A: n - 1})
	right := taskgraph.Args{A: n - 2}
	forkFib(c, &right)
	a.A = left.Wait().A + right.A
}

func TestForkedCallsReturnTheirResults(t *testing.T) {
	for _, w := range []int{1, 2, 4, 16} {
		s := start(t, taskgraph.Options{Workers: w})
		for range 20 {
			var got int64
			wait(t, s, s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
				a := taskgraph.Args{A: 20}
				forkFib(c, &a)
				got = a.A
				return nil
			})).Launch())
			require.Equal(t, int64(6765), got)
		}
	}
}

// While a body waits for a call that another runs, it runs what that forks.
func TestWaitForAStolenForkRunsItsForks(t *testing.T) {
	needsTwoPs(t)
	leapt := false
	stolenFork(t, 1000, func(c *taskgraph.Context, here int64) (more bool) {
		leapt = forkFor(c, func() {}).Wait().A == here
		return !leapt
	})
	require.True(t, leapt, "the wait ran none of the forks")
}

// It runs nothing else that lies there: not what is forked by a task that the call waits for.
func TestWaitForAStolenForkRunsNothingElse(t *testing.T) {
	stolenFork(t, callerRounds(200), func(c *taskgraph.Context, here int64) (more bool) {
		return c.Wait(c.Spawn(taskgraph.Run(func(c *taskgraph.Context) error {
			require.NotEqual(t, here, forkFor(c, func() {}).Wait().A)
			return nil
		}))) == nil
	})
}

// What panics on top of a body that waits fails the wait for that call, and no other body.
func TestPanicOfAForkOnTopOfAWait(t *testing.T) {
	needsTwoPs(t)
	panicked := 0
	stolenFork(t, 1000, func(c *taskgraph.Context, here int64) (more bool) {
		j := forkFor(c, func() {
			if goroutineID() == here {
				panic("on top")
			}
		})
		var v any
		func() {
			defer func() { v = recover() }()
			j.Wait()
		}()
		if v != nil {
			panicked++
			var err *graphevent.PanicError
			require.ErrorAs(t, v.(error), &err)
			require.Equal(t, "on top", err.Value)
		}
		return panicked < 3
	})
	require.NotZero(t, panicked, "the wait ran none of the forks")
}

// The body of a task that has failed runs nothing while it waits for its calls: a Goexit of
// that would cut it off.
func TestFailedBodyRunsNoForksOfItsCalls(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 2})
	for range callerRounds(100) {
		e := s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
			here := goroutineID()
			var fails atomics.Bool
			forkStolen(c, here, &fails, func(c *taskgraph.Context) {
				forkFor(c, func() {
					if goroutineID() == here {
						runtime.Goexit()
					}
				}).Wait()
			})
			fails.Store(true)
			panic("fails")
		})).Launch()
		var err *graphevent.PanicError
		require.ErrorAs(t, s.WaitUntilTasksComplete(context.Background(), e), &err)
	}
}

// Two workers that go down a chain of forks by turns leap no deeper than a bound.
func TestLeapsAreBounded(t *testing.T) {
	const depth, bound = 300, 32
	s := start(t, taskgraph.Options{Workers: 2})
	leaps := 0
	var begun [depth + 1]atomics.Bool
	var chain func(c *taskgraph.Context, a *taskgraph.Args)
	chain = func(c *taskgraph.Context, a *taskgraph.Args) {
		begun[a.A].Store(true)
		if a.A == 0 {
			leaps = countLeaps()
			return
		}
		j := c.Fork(chain, taskgraph.Args{A: a.A - 1})
		inAWhile(&begun[a.A-1])
		j.Wait()
	}
	wait(t, s, s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		chain(c, &taskgraph.Args{A: depth})
		return nil
	})).Launch())
	require.LessOrEqual(t, leaps, bound)
}

// countLeaps returns how many calls that were run in leaps are on the stack.
func countLeaps() (n int) {
	pcs := make([]uintptr, 1<<14)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs)])
	for {
		f, more := frames.Next()
		if strings.HasSuffix(f.Function, "(*runner).leap") {
			n++
		}
		if !more {
			return n
		}
	}
}

// stolenFork runs f in forks that are not run by their body, which runs on the goroutine here,
// and waits for them: as often as f returns true.
func stolenFork(t *testing.T, most int, f func(c *taskgraph.Context, here int64) (more bool)) {
	s := start(t, taskgraph.Options{Workers: 2})
	for more := true; more && most > 0; most-- {
		wait(t, s, s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
			here := goroutineID()
			var waits atomics.Bool
			j := forkStolen(c, here, &waits, func(c *taskgraph.Context) { more = f(c, here) })
			waits.Store(true)
			j.Wait()
			return nil
		})).Launch())
	}
}

// forkStolen forks a call for another worker to run, for a while. There it runs f once the body
// goes on; in the body, which runs on the goroutine here, it does nothing.
func forkStolen(c *taskgraph.Context, here int64, goesOn *atomics.Bool,
	f func(c *taskgraph.Context)) taskgraph.Join {
	var begun atomics.Bool
	j := c.Fork(func(c *taskgraph.Context, _ *taskgraph.Args) {
		if goroutineID() != here {
			begun.Store(true)
			for !goesOn.Load() {
				runtime.Gosched()
			}
			f(c)
		}
	}, taskgraph.Args{})
	inAWhile(&begun)
	return j
}

// forkFor forks f, and waits a while for another to run it. The call leaves in A on which goroutine
// it ran.
func forkFor(c *taskgraph.Context, f func()) taskgraph.Join {
	var begun atomics.Bool
	j := c.Fork(func(_ *taskgraph.Context, a *taskgraph.Args) {
		a.A = goroutineID()
		begun.Store(true)
		f()
	}, taskgraph.Args{})
	inAWhile(&begun)
	return j
}

// inAWhile returns when b is true, or after a millisecond.
func inAWhile(b *atomics.Bool) {
	for end := time.Now().Add(time.Millisecond); !b.Load() && time.Now().Before(end); {
		runtime.Gosched()
	}
}

// goroutineID returns the number of the goroutine, as its stack shows it.
func goroutineID() (n int64) {
	var b [64]byte
	_, _ = fmt.Sscanf(string(b[:runtime.Stack(b[:], false)]), "goroutine %d ", &n)
	return n
}

func TestForkAllocatesNothing(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 2})
	body := taskgraph.Run(func(c *taskgraph.Context) error {
		a := taskgraph.Args{A: 12}
		forkFib(c, &a)
		return nil
	})
	run := func() { wait(t, s, s.Task(body).Launch()) }
	run()
	require.LessOrEqual(t, testing.AllocsPerRun(100, run), 2.0,
		"what the wait takes, and nothing for 232 forks")
}

// Waits in the order of the forks, not the reverse, and none at all.
func TestForksInAnyOrder(t *testing.T) {
	for _, w := range []int{1, 3} {
		s := start(t, taskgraph.Options{Workers: w})
		var ran atomics.Int64
		for range 200 {
			ran.Store(0)
			wait(t, s, s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
				var joins []taskgraph.Join
				for i := range int64(20) {
					joins = append(joins, c.Fork(func(_ *taskgraph.Context, a *taskgraph.Args) {
						ran.Add(1)
						a.B = a.A * a.A
					}, taskgraph.Args{A: i}))
				}
				for i, j := range joins[:10] {
					if got := j.Wait(); got.B != int64(i*i) {
						return fmt.Errorf("%d: %d", i, got.B)
					}
				}
				return nil
			})).Launch())
			require.Equal(t, int64(20), ran.Load())
		}
	}
}

func TestForkedCallsFailTheirBody(t *testing.T) {
	boom := errors.New("boom")
	for _, w := range []int{1, 4} {
		s := start(t, taskgraph.Options{Workers: w})
		for round := range 100 {
			e := s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
				var joins []taskgraph.Join
				for i := range int64(6) {
					joins = append(joins, c.Fork(func(c *taskgraph.Context, a *taskgraph.Args) {
						c.Fork(forkFib, taskgraph.Args{A: 5})
						if a.A == 3 {
							if round%2 == 0 {
								panic(boom)
							}
							runtime.Goexit()
						}
					}, taskgraph.Args{A: i}))
				}
				for range round % 10 {
					runtime.Gosched()
				}
				for i := range joins {
					joins[len(joins)-1-i].Wait()
				}
				return nil
			})).Launch()
			err := s.WaitUntilTasksComplete(bg, e)
			if round%2 == 0 {
				require.ErrorIs(t, err, boom)
			} else {
				require.ErrorIs(t, err, graphevent.ErrGoexit)
			}
		}
		require.NoError(t, s.WaitUntilTasksComplete(bg, s.Go(func() {})))
	}
}

// A fork whose body waits for something else meanwhile may be on another slot afterwards.
func TestForksAcrossAWait(t *testing.T) {
	for _, w := range []int{1, 2, 4} {
		s := start(t, taskgraph.Options{Workers: w})
		for range brief(200, 50) {
			gate := s.NewEvent()
			e := s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
				j := c.Fork(forkFib, taskgraph.Args{A: 8})
				if err := c.WaitUntilTasksComplete(bg, gate); err != nil {
					return err
				}
				if got := j.Wait().A; got != 21 {
					return fmt.Errorf("got %d", got)
				}
				return nil
			})).Launch()
			s.Go(func() { gate.Trigger() })
			wait(t, s, e)
		}
	}
}

// Each call waits for the others: as many run at a time as there are workers, though the body makes
// most of its forks for itself.
func TestForksAreThereForEveryWorker(t *testing.T) {
	const workers = 4
	s := start(t, taskgraph.Options{Workers: workers})
	for range brief(20, 5) {
		var arrived atomics.Int32
		meet := func(*taskgraph.Context, *taskgraph.Args) {
			for n := arrived.Add(1); arrived.Load() < (n+workers-1)/workers*workers; {
				runtime.Gosched()
			}
		}
		wait(t, s, s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
			var joins [8 * workers]taskgraph.Join
			for i := range joins {
				joins[i] = c.Fork(meet, taskgraph.Args{})
			}
			for i := range joins {
				joins[len(joins)-1-i].Wait()
			}
			return nil
		})).Launch())
	}
}

func forkDeep(c *taskgraph.Context, a *taskgraph.Args) {
	if a.A > 0 {
		a.B = 1 + c.Fork(forkDeep, taskgraph.Args{A: a.A - 1}).Wait().B
	}
}

// Of calls that run each inside the one before, none is looked at again and again.
func TestForksOneInAnother(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 2})
	depth := int64(brief(200_000, 20_000))
	var got int64
	wait(t, s, s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		a := taskgraph.Args{A: depth}
		forkDeep(c, &a)
		got = a.B
		return nil
	})).Launch())
	require.Equal(t, depth, got)
}

// Forks of the body and of what it runs, some private and some not, across waits, in any order,
// with and without waits, and with panics.
func TestForksDrawn(t *testing.T) {
	boom := errors.New("boom")
	rapid.Check(t, func(rt *rapid.T) {
		s := taskgraph.Start(taskgraph.Options{Workers: rapid.IntRange(1, 4).Draw(rt, "workers")})
		defer func() { require.NoError(rt, s.Shutdown(bg)) }()
		var ran [64]atomics.Int32
		forked := 0
		type plan struct {
			id    int
			kids  []*plan
			order []int // of the waits; those left out are settled at the end
			gate  bool  // waits for an event between forks and waits
			fails bool
		}
		var draw func(depth int) *plan
		draw = func(depth int) *plan {
			p := &plan{id: forked, gate: rapid.IntRange(0, 5).Draw(rt, "gate") == 0,
				fails: rapid.IntRange(0, 30).Draw(rt, "fails") == 0}
			forked++
			if depth == 0 {
				return p
			}
			for range rapid.IntRange(0, 5).Draw(rt, "forks") {
				if forked < len(ran) {
					p.kids = append(p.kids, draw(depth-1))
				}
			}
			for i := range p.kids {
				p.order = append(p.order, i)
			}
			p.order = rapid.Permutation(p.order).Draw(rt,
				"order")[:rapid.IntRange(0, len(p.kids)).Draw(rt, "waits")]
			return p
		}
		root := draw(3)
		fails := false
		var look func(p *plan)
		look = func(p *plan) {
			fails = fails || p.fails
			for _, k := range p.kids {
				look(k)
			}
		}
		look(root)
		var run func(c *taskgraph.Context, p *plan)
		run = func(c *taskgraph.Context, p *plan) {
			ran[p.id].Add(1)
			joins := make([]taskgraph.Join, len(p.kids))
			for i, k := range p.kids {
				joins[i] = c.Fork(func(c *taskgraph.Context, a *taskgraph.Args) {
					run(c, k)
					a.B = a.A + 1
				}, taskgraph.Args{A: int64(k.id)})
			}
			if p.gate {
				if err := c.WaitUntilTasksComplete(bg, s.Go(func() {})); err != nil {
					panic(err)
				}
			}
			if p.fails {
				panic(boom)
			}
			for _, i := range p.order {
				if got := joins[i].Wait(); got.B != int64(p.kids[i].id)+1 {
					panic(fmt.Sprintf("call %d left %d", p.kids[i].id, got.B))
				}
			}
		}
		err := s.WaitUntilTasksComplete(bg,
			s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
				run(c,
					root)
				return nil
			})).Launch())
		if fails {
			require.ErrorIs(rt, err, boom)
		} else {
			require.NoError(rt, err)
		}
		for i := range forked {
			n := ran[i].Load()
			require.True(rt, n == 1 || fails && n == 0, "call %d ran %d times", i, n)
		}
	})
}

func BenchmarkFork(b *testing.B) {
	const n, tasks = 25, 121392
	for _, w := range []int{1, 2} {
		b.Run(fmt.Sprint("workers=", w), func(b *testing.B) {
			s := start(b, taskgraph.Options{Workers: w})
			body := taskgraph.Run(func(c *taskgraph.Context) error {
				a := taskgraph.Args{A: n}
				forkFib(c, &a)
				return nil
			})
			for b.Loop() {
				must(b, s.WaitUntilTasksComplete(bg, s.Task(body).Launch()))
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/tasks, "ns/fork")
		})
	}
}

// Also if the body runs the call out of order, so that its entry stays behind.
func TestBodyRecoversFromAForkedCall(t *testing.T) {
	s := startUnwatched(t, taskgraph.Options{Workers: 1})
	for _, early := range []bool{false, true} {
		wait(t, s, s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
			bad := c.Fork(func(c *taskgraph.Context, _ *taskgraph.Args) {
				c.Fork(func(*taskgraph.Context, *taskgraph.Args) {}, taskgraph.Args{})
				panic("bad")
			}, taskgraph.Args{})
			if early {
				c.Fork(func(*taskgraph.Context, *taskgraph.Args) {}, taskgraph.Args{})
			}
			require.PanicsWithValue(t, "bad", func() { bad.Wait() })
			return nil
		})).Launch())
	}
}

func TestWaitForNoFork(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 1})
	const text = "taskgraph: Wait for no fork, or for the second time"
	wait(t, s, s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		j := c.Fork(func(*taskgraph.Context, *taskgraph.Args) {}, taskgraph.Args{})
		j.Wait()
		require.PanicsWithValue(t, text, func() { j.Wait() })
		require.PanicsWithValue(t, text, func() { taskgraph.Join{}.Wait() })
		return nil
	})).Launch())
}
