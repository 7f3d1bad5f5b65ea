package taskgraph_test

import (
	"fmt"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/taskgraph"
)

// A fibCall has as many words as taskgraph.Args.
type fibCall struct{ n, fib, _, _ int64 }

func fibOf(c *taskgraph.Context, v *fibCall) {
	if v.n < 2 {
		v.fib = v.n
		return
	}
	left := taskgraph.ForkOf(c, fibOf, fibCall{n: v.n - 1})
	right := fibCall{n: v.n - 2}
	fibOf(c, &right)
	v.fib = left.Wait().fib + right.fib
}

// A strand is a type with pointers, whose forks fork calls with others.
type strand struct {
	of   []string
	text *string
}

func join(c *taskgraph.Context, v *strand) {
	if len(v.of) == 1 {
		v.text = &v.of[0]
		return
	}
	fib := taskgraph.ForkOf(c, fibOf, fibCall{n: 7})
	left := taskgraph.ForkOf(c, join, strand{of: v.of[:len(v.of)/2]})
	right := strand{of: v.of[len(v.of)/2:]}
	join(c, &right)
	text := *left.Wait().text + *right.text
	v.text = &text
	if n := fib.Wait().fib; n != 13 {
		panic(fmt.Sprint("fib(7) is ", n))
	}
}

func TestForksOfAnyTypeReturnTheirResults(t *testing.T) {
	rounds := 20
	if testing.Short() {
		rounds = 5
	}
	words := make([]string, 200)
	all := ""
	for i := range words {
		words[i] = fmt.Sprint(i, " ")
		all += words[i]
	}
	for _, o := range []taskgraph.Options{{Workers: 1}, {Workers: 2}, {Workers: 4},
		{Workers: 2, Deterministic: &taskgraph.Deterministic{Seed: 3}}} {
		s := start(t, o)
		for range rounds {
			run(t, s, func(c *taskgraph.Context) error {
				v := strand{of: words}
				join(c, &v)
				if *v.text != all {
					return fmt.Errorf("%q", *v.text)
				}
				return nil
			})
		}
	}
}

// A board counts the ways to place n queens, all forks of a call joined at once.
type board struct {
	n, row            int
	cols, left, right uint32
	found             int
}

func (q *board) place(bit uint32) board {
	return board{n: q.n, row: q.row + 1, cols: q.cols | bit, left: (q.left | bit) << 1,
		right: (q.right | bit) >> 1}
}

func countQueens(c *taskgraph.Context, q *board) {
	if q.row == q.n {
		q.found = 1
		return
	}
	var kids taskgraph.Forks[board]
	for free := (1<<q.n - 1) &^ (q.cols | q.left | q.right); free != 0; free &= free - 1 {
		kids.Fork(c, countQueens, q.place(free&-free))
	}
	for kid := range kids.Results() {
		q.found += kid.found
	}
}

func TestForksAreJoinedAtOnce(t *testing.T) {
	for _, w := range []int{1, 2, 4} {
		s := start(t, taskgraph.Options{Workers: w})
		for range 5 {
			run(t, s, func(c *taskgraph.Context) error {
				q := board{n: 8}
				countQueens(c, &q)
				require.Equal(t, 92, q.found)
				return nil
			})
		}
	}
}

// A function joins its own forks, not those of the one that calls it.
func TestForksOfTheCallerStay(t *testing.T) {
	s := startUnwatched(t, taskgraph.Options{Workers: 1})
	run(t, s, func(c *taskgraph.Context) error {
		var order []int
		note := func(_ *taskgraph.Context, v *int) { order = append(order, *v); *v = -*v }
		forkAll := func(join bool, vs ...int) *taskgraph.Forks[int] {
			kids := new(taskgraph.Forks[int])
			for _, v := range vs {
				kids.Fork(c, note, v)
			}
			if join {
				kids.Wait()
			}
			return kids
		}
		mine := forkAll(false, 1, 2)
		forkAll(true, 3, 4)
		require.Equal(t, []int{4, 3}, order)
		left := forkAll(false, 5)
		require.Equal(t, []int{-2, -1}, slices.Collect(mine.Results()), "out of order")
		require.Equal(t, []int{4, 3, 2, 1}, order)
		for range mine.Results() {
			t.Error("joined twice")
		}
		mine.Wait()

		// A loop that is left early leaves the rest.
		three := forkAll(false, 6, 7, 8)
		for v := range three.Results() {
			require.Equal(t, -8, v)
			break
		}
		require.Equal(t, []int{-7, -6}, slices.Collect(three.Results()))
		left.Wait()
		require.Equal(t, []int{4, 3, 2, 1, 8, 7, 6, 5}, order)
		return nil
	})
}

func TestForkOfAllocatesNothing(t *testing.T) {
	words := slices.Repeat([]string{"x"}, 64)
	for _, w := range []int{1, 2} {
		s := start(t, taskgraph.Options{Workers: w})
		body := taskgraph.Run(func(c *taskgraph.Context) error {
			v := fibCall{n: 12}
			fibOf(c, &v)
			q := board{n: 6}
			countQueens(c, &q)
			for i := range 8 { // never waited for, and of another type each time
				if i%2 == 0 {
					taskgraph.ForkOf(c, func(*taskgraph.Context, *strand) {}, strand{of: words})
				} else {
					taskgraph.ForkOf(c, func(*taskgraph.Context, *fibCall) {}, fibCall{})
				}
			}
			return nil
		})
		launch := func() { wait(t, s, s.Task(body).Launch()) }
		for range 100 {
			launch()
		}
		most := 2.0 // what the wait takes
		if w > 1 {
			// cells of those that others ran and nobody waited for, and slots that have fewer than
			// they need
			most += 8
		}
		require.LessOrEqual(t, testing.AllocsPerRun(100, launch), most,
			"for 232 forks and as many again")
	}
}

func TestForksOfAnyTypeFailTheirBody(t *testing.T) {
	for _, w := range []int{1, 4} {
		s := start(t, taskgraph.Options{Workers: w})
		for round := range 100 {
			e := s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
				var kids taskgraph.Forks[strand]
				for i := range 6 {
					kids.Fork(c, func(c *taskgraph.Context, v *strand) {
						taskgraph.ForkOf(c, fibOf, fibCall{n: 5})
						if i == 3 {
							if round%2 == 0 {
								panic(errBoom)
							}
							runtime.Goexit()
						}
					}, strand{})
				}
				for range round % 10 {
					runtime.Gosched()
				}
				if round%3 != 0 {
					kids.Wait()
				}
				return nil
			})).Launch()
			err := s.WaitUntilTasksComplete(bg, e)
			if round%2 == 0 {
				require.ErrorIs(t, err, errBoom)
			} else {
				require.ErrorIs(t, err, graphevent.ErrGoexit)
			}
		}
		run(t, s, func(c *taskgraph.Context) error {
			v := fibCall{n: 15}
			fibOf(c, &v)
			require.EqualValues(t, 610, v.fib)
			return nil
		})
	}
}

// A call that panicked leaves the others of its Forks to be waited for.
func TestForksAfterAPanic(t *testing.T) {
	s := startUnwatched(t, taskgraph.Options{Workers: 1})
	run(t, s, func(c *taskgraph.Context) error {
		var kids taskgraph.Forks[int]
		for i := range 3 {
			kids.Fork(c, func(_ *taskgraph.Context, v *int) {
				if *v == 1 {
					panic("bad")
				}
				*v *= 10
			}, i)
		}
		var got []int
		require.PanicsWithValue(t, "bad", func() {
			for v := range kids.Results() {
				got = append(got, v)
			}
		})
		require.Equal(t, []int{20}, got)
		require.Equal(t, []int{0}, slices.Collect(kids.Results()))
		return nil
	})
}

// Forks of three types, in groups and by themselves, across waits, waited for in any order or not
// at all.
func TestForksOfAnyTypeDrawn(t *testing.T) {
	type small struct{ a int }
	type large struct {
		text string
		a    [9]int
	}
	rapid.Check(t, func(rt *rapid.T) {
		s := taskgraph.Start(taskgraph.Options{Workers: rapid.IntRange(1, 3).Draw(rt, "workers")})
		defer func() { require.NoError(rt, s.Shutdown(bg)) }()
		steps := rapid.SliceOfN(rapid.IntRange(0, 5), 0, 30).Draw(rt, "steps")
		depth := rapid.IntRange(0, 3).Draw(rt, "depth")
		var body func(c *taskgraph.Context, depth int) int
		body = func(c *taskgraph.Context, depth int) (sum int) {
			if depth == 0 {
				return 1
			}
			one := func(c *taskgraph.Context, v *small) { v.a += body(c, depth-1) }
			many := func(c *taskgraph.Context, v *large) {
				v.text += "y"
				v.a[8] = v.a[0] + body(c, depth-1)
			}
			var ones []taskgraph.JoinOf[small]
			var group taskgraph.Forks[large]
			for i, step := range steps[:min(len(steps), 4*depth)] {
				switch step {
				case 0, 1:
					ones = append(ones, taskgraph.ForkOf(c, one, small{i}))
				case 2:
					group.Fork(c, many, large{text: "x", a: [9]int{i}})
				case 3:
					if len(ones) > 0 {
						sum += ones[0].Wait().a
						ones = ones[1:]
					}
				case 4:
					for v := range group.Results() {
						if v.text != "xy" {
							panic(v.text)
						}
						sum += v.a[8]
					}
				default:
					if depth == 2 {
						if err := c.Wait(s.Go(func() {})); err != nil {
							panic(err)
						}
					}
				}
			}
			return sum
		}
		var plain func(depth int) int
		plain = func(depth int) (sum int) {
			if depth == 0 {
				return 1
			}
			var ones, group []int
			for i, step := range steps[:min(len(steps), 4*depth)] {
				switch step {
				case 0, 1:
					ones = append(ones, i+plain(depth-1))
				case 2:
					group = append(group, i+plain(depth-1))
				case 3:
					if len(ones) > 0 {
						sum += ones[0]
						ones = ones[1:]
					}
				case 4:
					for _, v := range group {
						sum += v
					}
					group = nil
				}
			}
			return sum
		}
		var got int
		require.NoError(rt, s.WaitUntilTasksComplete(bg,
			s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
				got = body(c, depth)
				return nil
			})).Launch()))
		require.Equal(rt, plain(depth), got)
	})
}

func TestForkOfMisuse(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 1})
	const text = "taskgraph: Wait for no fork, or for the second time"
	nop := func(*taskgraph.Context, *int) {}
	run(t, s, func(c *taskgraph.Context) error {
		require.PanicsWithValue(t, "taskgraph: Fork of a nil function", func() {
			taskgraph.ForkOf[int](c, nil, 1)
		})
		j := taskgraph.ForkOf(c, nop, 1)
		j.Wait()
		require.PanicsWithValue(t, text, func() { j.Wait() })
		require.PanicsWithValue(t, text, func() { taskgraph.JoinOf[int]{}.Wait() })
		var kids taskgraph.Forks[int]
		kids.Fork(c, nop, 1)
		e := c.Spawn(taskgraph.Run(func(other *taskgraph.Context) error {
			require.PanicsWithValue(t, "taskgraph: Forks of two bodies", func() {
				kids.Fork(other, nop, 1)
			})
			return nil
		}))
		require.NoError(t, c.Wait(e))
		c.Blocking(func() {
			require.PanicsWithValue(t, "taskgraph: Fork inside Blocking", func() {
				taskgraph.ForkOf(c, nop, 1)
			})
		})
		kids.Wait()
		return nil
	})
}

// On a thread there is no slot: the wait runs the call.
func TestForkOfOnAThread(t *testing.T) {
	reg, ths := threads(t, "Fork")
	s := start(t, taskgraph.Options{Workers: 1, Threads: reg})
	wait(t, s, s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		v := fibCall{n: 10}
		fibOf(c, &v)
		require.EqualValues(t, 55, v.fib)
		return nil
	})).On(ths[0]).Launch())
}

// BenchmarkForkOf is BenchmarkFork with ForkOf, of as many words and of few, by turns.
func BenchmarkForkOf(b *testing.B) {
	const n, tasks = 25, 121392
	for _, w := range []int{1, 2} {
		b.Run(fmt.Sprint("workers=", w), func(b *testing.B) {
			s := start(b, taskgraph.Options{Workers: w})
			benchByTurns(b, s, tasks, []benchTurn{
				{"fork", func(c *taskgraph.Context) { a := taskgraph.Args{A: n}; forkFib(c, &a) }},
				{"of-4-words", func(c *taskgraph.Context) { v := fibCall{n: n}; fibOf(c, &v) }},
				{"of-1-word", func(c *taskgraph.Context) { v := n; fibOfInt(c, &v) }},
			})
		})
	}
}

func fibOfInt(c *taskgraph.Context, v *int) {
	n := *v
	if n < 2 {
		return
	}
	left := taskgraph.ForkOf(c, fibOfInt, n-1)
	right := n - 2
	fibOfInt(c, &right)
	*v = left.Wait() + right
}

type benchTurn struct {
	name string
	call func(c *taskgraph.Context)
}

// benchByTurns runs each of ways in a task, by turns, and reports the medians of the time of an
// operation.
func benchByTurns(b *testing.B, s *taskgraph.System, ops int, ways []benchTurn) {
	times := make([][]float64, len(ways))
	for b.Loop() {
		for i, w := range ways {
			begin := s.Now()
			must(b, s.WaitUntilTasksComplete(bg,
				s.Task(taskgraph.Run(func(c *taskgraph.Context) error {
					w.call(c)
					return nil
				})).Launch()))
			times[i] = append(times[i], float64(s.Now().Sub(begin).Nanoseconds()))
		}
	}
	for i, w := range ways {
		slices.Sort(times[i])
		b.ReportMetric(times[i][len(times[i])/2]/float64(ops), w.name+"-ns")
	}
	b.ReportMetric(0, "ns/op")
}
