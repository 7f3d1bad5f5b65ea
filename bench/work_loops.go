package main

import (
	"fmt"
	"sync"
	"time"

	"github.com/heddle-go/heddle/taskgraph"
)

// A loopCase is a loop that is run serially and in parallel.
type loopCase struct {
	name, title string
	n           int
	make        func() loopTurn
}

// A loopTurn is the loop with its data.
type loopTurn struct {
	body  func(lo, hi int)
	check func(passes int) error // after so many passes
}

// loopWorkloads are loops over so many elements, of so much work each, and the loops without any
// sharing: how much sharing brings, or costs where there is too little to share.
func loopWorkloads(z sizes) []*workload {
	var all []*workload
	for _, c := range loopCases(z) {
		w := &workload{name: "loop-" + c.name, title: c.title, unit: "ns/element", n: c.n}
		for _, p := range []loopPeer{
			{runtime: heddle, open: heddleLoop},
			{runtime: heddleInsideTask, open: heddleLoopInside},
			{runtime: "serial", open: serialLoop},
			{runtime: "goroutines", free: true, open: goroutineLoop},
		} {
			w.rows = append(w.rows, c.row(p))
		}
		all = append(all, w)
	}
	return all
}

// row is the row of a runtime that has loops. Short loops run often enough for the clock.
func (c loopCase) row(p loopPeer) row {
	return row{runtime: p.runtime, lang: langGo, free: p.free,
		turn: func(s *session, workers int) (reading, error) {
			with, err := p.open(workers)
			if err != nil {
				return reading{}, err
			}
			data := c.make()
			calls := max(1, 10_000/c.n)
			done := 0
			r, err := s.clocked(c.n*calls, func() (took time.Duration, err error) {
				done += calls
				err = with.where(func(loop func(n int, body func(lo, hi int)) error) (err error) {
					took, err = clock(func() error {
						for range calls {
							if err := loop(c.n, data.body); err != nil {
								return err
							}
						}
						return nil
					})
					return err
				})
				return took, err
			})
			if err != nil {
				return reading{}, err
			}
			if err := data.check(done); err != nil {
				return reading{}, err
			}
			if with.close != nil {
				err = with.close()
			}
			return r, err
		}}
}

// where runs f where its argument may be called.
func (l looper) where(f func(loop func(n int, body func(lo, hi int)) error) error) error {
	if l.within != nil {
		return l.within(f)
	}
	return f(l.loop)
}

// heddleLoopInside has the loops run by a task.
func heddleLoopInside(workers int) (looper, error) {
	h := startHeddle(workers)
	return looper{
		within: func(f func(loop func(n int, body func(lo, hi int)) error) error) error {
			return h.inside(func(c *taskgraph.Context) error {
				return f(func(n int, body func(lo, hi int)) error {
					return c.ParallelFor(n, 0, body)
				})
			})
		},
		close: h.close,
	}, nil
}

// loopCases are the loops. A pass of any of them takes less than a fifth of a second.
func loopCases(z sizes) []loopCase {
	var all []loopCase
	add := func(c loopCase) { all = append(all, c) }
	for _, n := range []int{100, 1000, 10_000, 100_000, 1_000_000, 10_000_000} {
		add(saxpyCase(n, z.of(n)))
	}
	add(spinCase(100_000_000, z.of(100_000_000), 0))
	for _, rounds := range []int{8, 80, 800, 8000} {
		for _, n := range []int{100, 1000, 10_000, 100_000, 1_000_000} {
			if n*rounds <= 80_000_000 {
				add(spinCase(n, z.of(n), rounds))
			}
		}
	}
	for _, n := range []int{1000, 10_000, 100_000} {
		add(skewCase(n, z.of(n)))
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

// saxpyCase adds one array to another.
func saxpyCase(full, n int) loopCase {
	return loopCase{power(full) + "-saxpy", "y += a*x for 32-bit floats", n, func() loopTurn {
		x, y := make([]float32, n), make([]float32, n)
		for i := range x {
			x[i] = 0.5
		}
		return loopTurn{
			body: func(lo, hi int) { axpy(y[lo:hi], x[lo:hi]) },
			check: func(passes int) error {
				want := float32(min(passes, 1<<24)) // up to here 32-bit floats count
				for i, v := range y {
					if v != want {
						return fmt.Errorf("element %d is %v after %d passes", i, v, passes)
					}
				}
				return nil
			},
		}
	}}
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

// spinCase has elements of equal work.
func spinCase(full, n, rounds int) loopCase {
	return weightedCase(power(full)+fmt.Sprintf("-x%d", rounds),
		fmt.Sprintf("elements of %d dependent steps", rounds), n,
		func(int) int { return rounds })
}

// skewCase has most of the work in its last tenth.
func skewCase(full, n int) loopCase {
	return weightedCase(power(full)+"-skewed",
		"the last tenth of the elements of 1000 dependent steps, the others of 5", n,
		func(i int) int {
			if i >= n-n/10 {
				return 1000
			}
			return 5
		})
}

// weightedCase adds up what the elements come to.
func weightedCase(name, title string, n int, rounds func(i int) int) loopCase {
	part := func(lo, hi int) (sum uint64) {
		for i := lo; i < hi; i++ {
			sum += spin(uint64(i)+1, rounds(i))
		}
		return sum
	}
	once := sync.OnceValue(func() uint64 { return part(0, n) })
	return loopCase{name, title, n, func() loopTurn {
		var mu sync.Mutex
		var sum uint64
		return loopTurn{
			body: func(lo, hi int) {
				s := part(lo, hi)
				mu.Lock()
				sum += s
				mu.Unlock()
			},
			check: func(passes int) error {
				if want := once() * uint64(passes); sum != want {
					return fmt.Errorf("the sum is %d after %d passes, want %d", sum, passes, want)
				}
				return nil
			},
		}
	}}
}
