package main

import (
	"fmt"

	"github.com/heddle-go/heddle/taskgraph"
)

// fibonacci returns fib(n), and how many forks it takes if each call forks one of its two.
func fibonacci(n int) (fib, forks int) {
	a, b, fa, fb := 0, 1, 0, 0
	for range n {
		a, b, fa, fb = b, a+b, fb, fa+fb+1
	}
	return a, fa
}

// fibWorkloads compute a Fibonacci number, a task for each call but one of two, and none that is
// too small for one.
func fibWorkloads(z sizes) []*workload {
	of := pick(z, 30, 25, 15)
	want, forks := fibonacci(of)
	check := func(got int) error {
		if got != want {
			return fmt.Errorf("fib(%d) is %d and not %d", of, got, want)
		}
		return nil
	}
	w := &workload{name: "fib",
		title: fmt.Sprintf("fib(%d), whose every call makes one of its two calls as a task; n is the "+
			"number of tasks", of), unit: "ns/task", n: forks}
	w.rows = []row{
		goRow(heddle, func(s *session, workers int) (reading, error) {
			h := startHeddle(workers)
			r, err := s.passes(forks, func() error {
				return h.inside(func(c *taskgraph.Context) error {
					a := taskgraph.Args{A: int64(of)}
					heddleFib(c, &a)
					return check(int(a.A))
				})
			})
			if err != nil {
				return r, err
			}
			return r, h.close()
		}),
		goRow(heddleTasks, func(s *session, workers int) (reading, error) {
			h := startHeddle(workers)
			r, err := s.passes(forks, func() error {
				return h.inside(func(c *taskgraph.Context) error {
					got, err := heddleTasksFib(c, of)
					if err != nil {
						return err
					}
					return check(got)
				})
			})
			if err != nil {
				return r, err
			}
			return r, h.close()
		}),
		freeRow("goroutines", func(s *session, _ int) (reading, error) {
			return s.passes(forks, func() error { return check(goroutineFib(of)) })
		}),
		tbb.row(forks, plainJob("fib", of)),
		openmp.row(forks, plainJob("fib", of)),
	}
	return []*workload{w}
}

func heddleFib(c *taskgraph.Context, a *taskgraph.Args) {
	n := a.A
	if n < 2 {
		return
	}
	left := c.Fork(heddleFib, taskgraph.Args{A: n - 1})
	right := taskgraph.Args{A: n - 2}
	heddleFib(c, &right)
	a.A = left.Wait().A + right.A
}

// heddleTasksFib launches a task with an event, and a closure, for each call.
func heddleTasksFib(c *taskgraph.Context, n int) (int, error) {
	if n < 2 {
		return n, nil
	}
	var left int
	e := c.Spawn(taskgraph.Run(func(c *taskgraph.Context) (err error) {
		left, err = heddleTasksFib(c, n-1)
		return err
	}))
	right, err := heddleTasksFib(c, n-2)
	if err != nil {
		return 0, err
	}
	if err := c.Wait(e); err != nil {
		return 0, err
	}
	return left + right, nil
}
