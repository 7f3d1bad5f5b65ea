package taskgraph_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/namedthread"
	"github.com/heddle-go/heddle/taskgraph"
)

func Example() {
	ctx := context.Background()
	sys := taskgraph.Start(taskgraph.Options{})
	defer sys.Shutdown(ctx)

	var pose, seen string
	animate := sys.Go(func() { pose = "pose" })
	cull := sys.Go(func() { seen = "visible set" })
	draw := sys.Task(taskgraph.Do(func() {
		fmt.Println("draw with", pose, "and", seen)
	})).After(animate, cull).Launch()

	if err := sys.WaitUntilTasksComplete(ctx, draw); err != nil {
		fmt.Println(err)
	}
	// Output: draw with pose and visible set
}

// A body launches tasks and waits for them; its worker is not lost meanwhile.
func ExampleContext_Wait() {
	ctx := context.Background()
	sys := taskgraph.Start(taskgraph.Options{Workers: 1})
	defer sys.Shutdown(ctx)

	var fib func(c *taskgraph.Context, n int) int
	fib = func(c *taskgraph.Context, n int) int {
		if n < 2 {
			return n
		}
		var a int
		e := c.Spawn(taskgraph.Run(func(c *taskgraph.Context) error {
			a = fib(c, n-1)
			return nil
		}))
		b := fib(c, n-2)
		_ = c.Wait(e)
		return a + b
	}
	e := sys.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		fmt.Println(fib(c, 15))
		return nil
	})).Launch()
	fmt.Println(sys.WaitUntilTasksComplete(ctx, e))
	// Output:
	// 610
	// <nil>
}

// A wait that another context is to end.
func ExampleContext_WaitUntilTasksComplete() {
	sys := taskgraph.Start(taskgraph.Options{})
	defer sys.Shutdown(context.Background())

	answer := sys.NewEvent()
	ask := sys.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		ctx, cancel := context.WithTimeout(c, time.Millisecond)
		defer cancel()
		return c.WaitUntilTasksComplete(ctx, answer)
	})).Launch()
	fmt.Println(sys.WaitUntilTasksComplete(context.Background(), ask))
	answer.Trigger()
	// Output: context deadline exceeded
}

// The event of a task can complete later than its body: here, with the work that the body
// started.
func ExampleContext_DontCompleteUntil() {
	ctx := context.Background()
	sys := taskgraph.Start(taskgraph.Options{})
	defer sys.Shutdown(ctx)

	var loaded [3]bool
	load := sys.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		for i := range loaded {
			c.DontCompleteUntil(c.Go(func() { loaded[i] = true }))
		}
		return nil // at once
	})).Launch()
	use := sys.Task(taskgraph.Do(func() { fmt.Println(loaded) })).After(load).Launch()
	_ = sys.WaitUntilTasksComplete(ctx, use)
	// Output: [true true true]
}

func ExampleGroup() {
	sys := taskgraph.Start(taskgraph.Options{})
	defer sys.Shutdown(context.Background())

	words := []string{"warp", "weft", "shed"}
	lengths := make([]int, len(words))
	g := sys.NewGroup()
	for i, w := range words {
		g.Go(sys, func() { lengths[i] = len(w) })
	}
	err := g.Wait(context.Background())
	fmt.Println(lengths, err)
	// Output: [4 4 4] <nil>
}

func ExampleSystem_ParallelFor() {
	sys := taskgraph.Start(taskgraph.Options{})
	defer sys.Shutdown(context.Background())

	x := make([]int, 1000)
	err := sys.ParallelFor(len(x), 0, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			x[i] = i * i
		}
	})
	fmt.Println(x[999], err)
	// Output: 998001 <nil>
}

// A failure skips what depends on it, and is returned by whoever waits.
func ExampleTask_Always() {
	ctx := context.Background()
	sys := taskgraph.Start(taskgraph.Options{})
	defer sys.Shutdown(ctx)

	read := sys.Task(taskgraph.Try(func() error { return errors.New("no such file") })).Launch()
	parse := sys.Task(taskgraph.Do(func() { fmt.Println("parse") })).After(read).Launch()
	tidy := sys.Task(taskgraph.Do(func() { fmt.Println("tidy up") })).After(parse).Always().Launch()

	fmt.Println(sys.WaitUntilTasksComplete(ctx, tidy))
	err := sys.WaitUntilTasksComplete(ctx, parse)
	fmt.Println(err, errors.Is(err, graphevent.ErrSkipped))
	// Output:
	// tidy up
	// <nil>
	// skipped: a prerequisite failed: no such file true
}

func ExampleTask_On() {
	ctx := context.Background()
	threads := namedthread.NewRegistry()
	render, err := threads.Start("Render", namedthread.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	sys := taskgraph.Start(taskgraph.Options{Threads: threads})

	draw := sys.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		fmt.Println("on", c.Thread().Name())
		return nil
	})).On(render).Launch()
	fmt.Println(sys.WaitUntilTasksComplete(ctx, draw))

	_ = sys.Shutdown(ctx)
	render.Quit()
	<-render.Done()
	// Output:
	// on Render
	// <nil>
}

// The first error ends the loop; each participant counts for itself.
func ExampleSystem_RunLoop() {
	sys := taskgraph.Start(taskgraph.Options{})
	defer sys.Shutdown(context.Background())

	words := []string{"weft", "warp", "", "reed"}
	letters := make([]int, sys.LoopLimit())
	err := sys.RunLoop(taskgraph.Loop{
		N:     len(words),
		Grain: 1,
		Body: func(p *taskgraph.Participant, lo, hi int) error {
			if words[lo] == "" {
				return fmt.Errorf("word %d is empty", lo)
			}
			letters[p.Index()] += len(words[lo])
			return nil
		},
	})
	fmt.Println(err)
	// Output: word 2 is empty
}

// A loop in a loop: the participant is where the inner one runs.
func ExampleParticipant_ParallelFor() {
	sys := taskgraph.Start(taskgraph.Options{})
	defer sys.Shutdown(context.Background())

	matrix := [][]int{{1, 2}, {3, 4}, {5, 6}}
	err := sys.RunLoop(taskgraph.Loop{N: len(matrix), Grain: 1,
		Body: func(p *taskgraph.Participant, row, _ int) error {
			x := matrix[row]
			return p.ParallelFor(len(x), 0, func(lo, hi int) {
				for i := lo; i < hi; i++ {
					x[i] *= 10
				}
			})
		}})
	fmt.Println(matrix, err)
	// Output: [[10 20] [30 40] [50 60]] <nil>
}

// One helper for two purposes, which learn apart what an element costs.
func ExampleLoopSite() {
	sys := taskgraph.Start(taskgraph.Options{})
	defer sys.Shutdown(context.Background())

	each := func(x []float64, site *taskgraph.LoopSite, f func(*float64)) {
		_ = sys.RunLoop(taskgraph.Loop{N: len(x), Site: site,
			Body: func(_ *taskgraph.Participant, lo, hi int) error {
				for i := range x[lo:hi] {
					f(&x[lo+i])
				}
				return nil
			}})
	}
	var moving, solving taskgraph.LoopSite
	x := []float64{1, 2, 3}
	each(x, &moving, func(v *float64) { *v++ })
	each(x, &solving, func(v *float64) {
		for range 1000 {
			*v -= (*v**v - 2) / (2 * *v)
		}
	})
	fmt.Printf("%.3f\n", x)
	// Output: [1.414 1.414 1.414]
}

// A program that runs the same step again and again: its own goroutine takes part.
// A loop at a beat: all workers are awake when the step begins.
func ExampleSystem_SleepUntil() {
	ctx := context.Background()
	sys := taskgraph.Start(taskgraph.Options{})
	defer func() { _ = sys.Shutdown(ctx) }()
	const beat = 2 * time.Millisecond
	steps := 0
	step := taskgraph.Do(func() { steps++ })
	for next := time.Now(); steps < 5; next = next.Add(beat) {
		if late := time.Since(next); late > beat {
			next = next.Add(late.Truncate(beat)) // beats that were missed stay missed
		}
		if err := sys.SleepUntil(ctx, next); err != nil {
			fmt.Println(err)
			return
		}
		if err := sys.Run(ctx, step); err != nil {
			fmt.Println(err)
			return
		}
	}
	fmt.Println(steps, "steps")
	// Output: 5 steps
}

func ExampleSystem_RunGraph() {
	ctx := context.Background()
	sys := taskgraph.Start(taskgraph.Options{})
	defer func() { _ = sys.Shutdown(ctx) }()
	sum := 0
	var build taskgraph.GraphBuilder
	double := build.Task(taskgraph.Do(func() { sum *= 2 }))
	build.Task(taskgraph.Do(func() { sum++ })).After(double)
	step, err := build.Build()
	if err != nil {
		fmt.Println(err)
		return
	}
	for range 10 {
		if err := sys.RunGraph(ctx, step); err != nil {
			fmt.Println(err)
			return
		}
	}
	fmt.Println(sum)
	// Output: 1023
}

func ExampleSystem_Run() {
	ctx := context.Background()
	sys := taskgraph.Start(taskgraph.Options{})
	defer func() { _ = sys.Shutdown(ctx) }()
	total := make([]int, 2)
	err := sys.Run(ctx, taskgraph.Run(func(c *taskgraph.Context) error {
		left := c.Go(func() { total[0] = 1 })
		total[1] = 2
		return c.Wait(left)
	}))
	fmt.Println(total, err)
	// Output: [1 2] <nil>
}
