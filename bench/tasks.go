package main

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/taskgraph"
)

var perTask = []metric{{"time", "ns/task"}}

// taskTables compare ways to run tasks: with 1 and with 2 workers.
func taskTables() []*table {
	all := []*table{
		{
			name: "task/spawn-inside", title: "a task spawns 100,000 empty ones and waits for them",
			reference: "Heddle, 2 workers", metrics: perTask,
			rows: append(append(heddleRows(callInside), heddleTaskRows(spawnInside)...),
				goroutineRow("goroutines", spawnGoroutines)),
		},
		{
			name: "task/spawn-outside", title: "a goroutine launches 100,000 empty tasks and waits for them",
			reference: "Heddle, 2 workers", metrics: perTask,
			rows: append(append(heddleRows(callOutside), heddleTaskRows(spawnOutside)...),
				goroutineRow("goroutines", spawnGoroutines)),
		},
		{
			name: "task/fib", title: "fib(25), a task for each call but one of two",
			reference: "Heddle, 2 workers", metrics: perTask,
			rows: append(heddleRows(forkFib), goroutineRow("goroutines", goFib)),
		},
	}
	for _, shape := range graphShapes() {
		all = append(all,
			&table{
				name: "task/" + shape.name + "-rerun", title: shape.title + ", built once and run again",
				reference: "Heddle, 2 workers", metrics: perTask,
				rows: append(heddleRows(shape.rerun), goroutineRow("goroutines and counters", shape.counters)),
			},
			&table{
				name: "task/" + shape.name + "-build", title: shape.title + ", built and run",
				reference: "Heddle, 2 workers", metrics: perTask,
				rows: append(append(heddleRows(shape.build), heddleTaskRows(shape.launch)...),
					goroutineRow("goroutines and channels", shape.channels)),
			})
	}
	return append(all, memoryTable())
}

// A taskCase sets itself up in a system, and returns what one pass of it does, of how many
// tasks it consists, and what to check after the last pass.
type taskCase func(s *taskgraph.System) (pass func() error, tasks int, check func() error)

// heddleRows are a case with 1 worker and with 2.
func heddleRows(c taskCase) []row { return workerRows("Heddle", c) }

// heddleTaskRows are the same for tasks launched one by one, where a Graph would do as well.
func heddleTaskRows(c taskCase) []row { return workerRows("Heddle, single tasks", c) }

func workerRows(name string, c taskCase) []row {
	var rows []row
	for _, workers := range []int{1, 2} {
		label := fmt.Sprintf("%s, %d workers", name, workers)
		if workers == 1 {
			label = name + ", 1 worker"
		}
		rows = append(rows, counted(label, func(n int) (took time.Duration, err error) {
			s := taskgraph.Start(taskgraph.Options{Workers: workers})
			pass, tasks, check := c(s)
			took, err = passes(n, tasks, pass)
			if err == nil && check != nil {
				err = check()
			}
			if down := s.Shutdown(context.Background()); err == nil {
				err = down
			}
			return took, err
		}))
	}
	return rows
}

// goroutineRow is a case without Heddle, on two processors as well.
func goroutineRow(name string, open func() (pass func() error, tasks int, check func() error)) row {
	return counted(name, func(n int) (time.Duration, error) {
		pass, tasks, check := open()
		took, err := passes(n, tasks, pass)
		if err == nil && check != nil {
			err = check()
		}
		return took, err
	})
}

// passes warms up with one pass and times as many as make n tasks, at least one.
func passes(n, tasks int, pass func() error) (time.Duration, error) {
	if err := pass(); err != nil {
		return 0, err
	}
	times := max(1, n/tasks)
	runtime.GC()
	begin := atomics.Now()
	for range times {
		if err := pass(); err != nil {
			return 0, err
		}
	}
	took := float64(atomics.Now() - begin)
	return time.Duration(took * float64(n) / float64(times*tasks)), nil
}

// manyTasks is how many tasks are spawned at a time.
func manyTasks() int { return 100_000 / smaller }

var empty = taskgraph.Do(func() {})

func spawnInside(s *taskgraph.System) (func() error, int, func() error) {
	ctx := context.Background()
	spawned := manyTasks()
	events := make([]taskgraph.Event, spawned)
	body := taskgraph.Run(func(c *taskgraph.Context) error {
		for i := range events {
			events[i] = c.Spawn(empty)
		}
		return c.WaitUntilTasksComplete(ctx, events...)
	})
	return counting(s, spawned+1, func() error {
		return s.WaitUntilTasksComplete(ctx, s.Task(body).Launch())
	})
}

// callInside is spawnInside with a Group.
func callInside(s *taskgraph.System) (func() error, int, func() error) {
	calls, g, f := manyTasks(), s.NewGroup(), func() {}
	body := taskgraph.Run(func(c *taskgraph.Context) error {
		for range calls {
			g.Go(c, f)
		}
		return g.Wait(c)
	})
	return counting(s, calls+1, func() error {
		return s.WaitUntilTasksComplete(context.Background(), s.Task(body).Launch())
	})
}

// callOutside is spawnOutside with a Group.
func callOutside(s *taskgraph.System) (func() error, int, func() error) {
	calls, g, f := manyTasks(), s.NewGroup(), func() {}
	return counting(s, calls, func() error {
		for range calls {
			g.Go(s, f)
		}
		return g.Wait(context.Background())
	})
}

func spawnOutside(s *taskgraph.System) (func() error, int, func() error) {
	spawned := manyTasks()
	events := make([]taskgraph.Event, spawned)
	f := func() {}
	return counting(s, spawned, func() error {
		for i := range events {
			events[i] = s.Go(f)
		}
		return s.WaitUntilTasksComplete(context.Background(), events...)
	})
}

// counting checks that as many tasks completed as were launched.
func counting(s *taskgraph.System, tasks int, pass func() error) (func() error, int, func() error) {
	done := 0
	return func() error { done += tasks; return pass() }, tasks, func() error {
		if err := s.Shutdown(context.Background()); err != nil {
			return err
		}
		if got := s.Stats().Completed; got != uint64(done) {
			return fmt.Errorf("%d tasks completed of %d", got, done)
		}
		return nil
	}
}

func spawnGoroutines() (func() error, int, func() error) {
	spawned := manyTasks()
	return func() error {
		var wg sync.WaitGroup
		wg.Add(spawned)
		for range spawned {
			go func() { wg.Done() }()
		}
		wg.Wait()
		return nil
	}, spawned, nil
}

const fibOf, fibIs, fibForks = 25, 75025, 121392

func fib(c *taskgraph.Context, a *taskgraph.Args) {
	n := a.A
	if n < 2 {
		return
	}
	left := c.Fork(fib, taskgraph.Args{A: n - 1})
	right := taskgraph.Args{A: n - 2}
	fib(c, &right)
	a.A = left.Wait().A + right.A
}

func forkFib(s *taskgraph.System) (func() error, int, func() error) {
	body := taskgraph.Run(func(c *taskgraph.Context) error {
		a := taskgraph.Args{A: fibOf}
		fib(c, &a)
		if a.A != fibIs {
			return fmt.Errorf("fib is %d", a.A)
		}
		return nil
	})
	return func() error {
		return s.WaitUntilTasksComplete(context.Background(), s.Task(body).Launch())
	}, fibForks, nil
}

func goFib() (func() error, int, func() error) {
	var fib func(n int) int
	fib = func(n int) int {
		if n < 2 {
			return n
		}
		left := make(chan int, 1)
		go func() { left <- fib(n - 1) }()
		right := fib(n - 2)
		return <-left + right
	}
	return func() error {
		if got := fib(fibOf); got != fibIs {
			return fmt.Errorf("fib is %d", got)
		}
		return nil
	}, fibForks, nil
}
