package main

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/heddle-go/heddle/taskgraph"
)

// A loopCase is a loop that is run serially and in parallel.
type loopCase struct {
	name, title string
	n           int
	cost        int // about, in nanoseconds
	body        func(lo, hi int)
	reset       func()
	check       func(passes int) error // after so many passes
}

// loopTables compare loops over so many elements, of so much work each, with the serial loop.
func loopTables() []*table {
	var all []*table
	for _, c := range loopCases() {
		all = append(all, &table{
			name: "loops/" + c.name, title: c.title, reference: "serial loop",
			metrics: []metric{{"time", "ns/element"}},
			rows: []row{
				loopRow("serial loop", c, func(body func(lo, hi int)) error { body(0, c.n); return nil }),
				heddleLoopRow("Heddle, 1 worker, in a task", c, 1, true),
				heddleLoopRow("Heddle, 2 workers, in a task", c, 2, true),
				heddleLoopRow("Heddle, 2 workers, from outside", c, 2, false),
				loopRow("goroutine per chunk", c, func(body func(lo, hi int)) error { chunks(c.n, body); return nil }),
			},
		})
	}
	return all
}

// chunks runs the loop on a goroutine for each processor.
func chunks(n int, body func(lo, hi int)) {
	p := runtime.GOMAXPROCS(0)
	var wg sync.WaitGroup
	for i := range p {
		wg.Go(func() { body(n/p*i+min(i, n%p), n/p*(i+1)+min(i+1, n%p)) })
	}
	wg.Wait()
}

// loopRow is one way to run the loop.
func loopRow(name string, c *loopCase, run func(body func(lo, hi int)) error) row {
	return counted(name, func(n int) (time.Duration, error) {
		c.reset()
		count := 0
		took, err := passes(n, c.n, func() error { count++; return run(c.body) })
		if err == nil {
			err = c.check(count)
		}
		return took, err
	})
}

func heddleLoopRow(name string, c *loopCase, workers int, inside bool) row {
	return counted(name, func(n int) (took time.Duration, err error) {
		c.reset()
		s := taskgraph.Start(taskgraph.Options{Workers: workers})
		defer func() {
			if down := s.Shutdown(context.Background()); err == nil {
				err = down
			}
		}()
		count := 0
		body := c.body
		measure := func(loop func(n, grain int, body func(lo, hi int)) error) error {
			took, err = passes(n, c.n, func() error { count++; return loop(c.n, 0, body) })
			return err
		}
		if inside {
			err = s.Task(taskgraph.Run(func(ctx *taskgraph.Context) error { return measure(ctx.ParallelFor) })).Launch().Wait(context.Background())
		} else {
			err = measure(s.ParallelFor)
		}
		if err == nil {
			err = c.check(count)
		}
		return took, err
	})
}

// loopCases are the loops. A pass of any of them takes less than a fifth of a second.
func loopCases() []*loopCase {
	var all []*loopCase
	for _, n := range []int{100, 1000, 10_000, 100_000, 1_000_000, 10_000_000} {
		all = append(all, saxpyCase(n))
	}
	all = append(all, spinCase(100_000_000, 0))
	for _, rounds := range []int{8, 80, 800, 8000} {
		for _, n := range []int{100, 1000, 10_000, 100_000, 1_000_000} {
			if n*rounds <= 80_000_000 {
				all = append(all, spinCase(n, rounds))
			}
		}
	}
	for _, n := range []int{1000, 10_000, 100_000} {
		all = append(all, skewCase(n))
	}
	if smaller > 1 {
		all = slices.DeleteFunc(all, func(c *loopCase) bool { return c.cost > 1_000_000/smaller })
	}
	return all
}

// power writes a number of elements as 1e4.
func power(n int) string {
	e := 0
	for ; n%10 == 0 && n >= 10; n /= 10 {
		e++
	}
	return fmt.Sprintf("%de%d", n, e)
}

func saxpyCase(n int) *loopCase {
	var x, y []float32
	return &loopCase{
		name: power(n) + "-saxpy", title: "y += a*x over " + power(n) + " floats", n: n, cost: n,
		body: func(lo, hi int) {
			x, y := x[lo:hi], y[lo:hi]
			for i := range x {
				y[i] += 2 * x[i]
			}
		},
		reset: func() {
			x, y = make([]float32, n), make([]float32, n)
			for i := range x {
				x[i] = 0.5
			}
		},
		check: func(passes int) error {
			want := float32(min(passes, 1<<24)) // then it stays
			for i, v := range y {
				if v != want {
					return fmt.Errorf("element %d is %v after %d passes", i, v, passes)
				}
			}
			return nil
		},
	}
}

// spin is so many dependent steps, of about a nanosecond each.
func spin(x uint64, rounds int) uint64 {
	for range rounds {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
	}
	return x
}

func spinCase(n, rounds int) *loopCase {
	return weightedCase(power(n)+fmt.Sprintf("-x%d", rounds), fmt.Sprintf("%s elements of %d steps", power(n), rounds), n, func(int) int { return rounds })
}

// skewCase is a loop whose last tenth takes most of the time.
func skewCase(n int) *loopCase {
	return weightedCase(power(n)+"-skewed", power(n)+" elements, the last tenth of 1000 steps and the others of 5", n, func(i int) int {
		if i >= n-n/10 {
			return 1000
		}
		return 5
	})
}

func weightedCase(name, title string, n int, rounds func(i int) int) *loopCase {
	var mu sync.Mutex
	var sum, once uint64
	var begun bool
	one := func(lo, hi int) (sum uint64) {
		for i := lo; i < hi; i++ {
			sum += spin(uint64(i)+1, rounds(i))
		}
		return sum
	}
	return &loopCase{
		name: name, title: title, n: n, cost: n * (1 + rounds(n/2)),
		body: func(lo, hi int) {
			s := one(lo, hi)
			mu.Lock()
			sum += s
			mu.Unlock()
		},
		reset: func() {
			if !begun {
				once, begun = one(0, n), true
			}
			sum = 0
		},
		check: func(passes int) error {
			if want := once * uint64(passes); sum != want {
				return fmt.Errorf("the sum is %d after %d passes, want %d", sum, passes, want)
			}
			return nil
		},
	}
}
