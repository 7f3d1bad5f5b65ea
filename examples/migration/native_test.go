package migration

import (
	"context"
	"fmt"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/namedthread"
	"github.com/heddle-go/heddle/taskgraph"
	"github.com/heddle-go/heddle/taskgraph/parallel"
)

// fib is what rayon's join, and a task_group of oneTBB, divide.
func fib(c *taskgraph.Context, n int) int {
	if n < 2 {
		return n
	}
	left := taskgraph.ForkOf(c, func(c *taskgraph.Context, v *int) { *v = fib(c, *v) }, n-1)
	right := fib(c, n-2)
	return left.Wait() + right
}

func Example_heddleJoin() {
	ctx, sys := context.Background(), taskgraph.Start(taskgraph.Options{})
	var f int
	err := sys.Run(ctx, taskgraph.Run(func(c *taskgraph.Context) error {
		f = fib(c, 20)
		return nil
	}))
	fmt.Println(f, err)
	fmt.Println(sys.Shutdown(ctx))
	// Output:
	// 6765 <nil>
	// <nil>
}

func Example_heddleReduce() {
	ctx, sys := context.Background(), taskgraph.Start(taskgraph.Options{})
	v := make([]int, 1000)
	err := sys.ParallelFor(len(v), 0, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			v[i] = i * i
		}
	})
	add := func(a, b int) int { return a + b }
	sum, err2 := parallel.Reduce(sys, v, 0, add, add)
	fmt.Println(sum, err, err2)
	fmt.Println(sys.Shutdown(ctx))
	// Output:
	// 332833500 <nil> <nil>
	// <nil>
}

func Example_heddleScope() {
	ctx, sys := context.Background(), taskgraph.Start(taskgraph.Options{})
	var sum atomics.Int64
	err := sys.Run(ctx, taskgraph.Run(func(c *taskgraph.Context) error {
		for i := range 10 {
			c.Nest(taskgraph.Do(func() { sum.Add(int64(i)) }))
		}
		return nil
	}))
	fmt.Println(sum.Load(), err)
	fmt.Println(sys.Shutdown(ctx))
	// Output:
	// 45 <nil>
	// <nil>
}

func Example_heddleSemaphore() {
	ctx, sys := context.Background(), taskgraph.Start(taskgraph.Options{})
	var sum int
	looms := sys.NewLimiter(1)
	for i := range 10 {
		sys.Task(taskgraph.Do(func() { sum += i })).Limit(looms).Launch()
	}
	fmt.Println(sys.Shutdown(ctx), sum)
	// Output: <nil> 45
}

func Example_heddleThread() {
	ctx, threads := context.Background(), namedthread.NewRegistry()
	sys := taskgraph.Start(taskgraph.Options{Threads: threads})
	th, err := threads.Start("Screen", namedthread.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	draw := sys.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		fmt.Println(c.Thread() == th)
		return nil
	})).On(th).Launch()
	fmt.Println(sys.WaitUntilTasksComplete(ctx, draw))
	fmt.Println(sys.Shutdown(ctx))
	th.Quit()
	<-th.Done()
	// Output:
	// true
	// <nil>
	// <nil>
}
