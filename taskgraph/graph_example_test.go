package taskgraph_test

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/heddle-go/heddle/taskgraph"
)

// A frame of a game, built once and run for each frame.
func ExampleGraph() {
	ctx := context.Background()
	sys := taskgraph.Start(taskgraph.Options{})
	defer func() { _ = sys.Shutdown(ctx) }()

	var pose, visible, frames int
	var b taskgraph.GraphBuilder
	animate := b.Task(taskgraph.Do(func() { pose++ })).Name("animate")
	cull := b.Task(taskgraph.Do(func() { visible++ })).Name("cull")
	b.Task(taskgraph.Do(func() { frames += min(pose, visible) })).Name("draw").After(animate, cull)
	frame, err := b.Build()
	if err != nil {
		fmt.Println(err)
		return
	}
	for range 3 {
		if err := sys.WaitUntilTasksComplete(ctx, sys.LaunchGraph(frame)); err != nil {
			fmt.Println(err)
		}
	}
	fmt.Println(pose, visible, frames)
	// Output: 3 3 6
}

func ExampleCycleError() {
	var b taskgraph.GraphBuilder
	hen := b.Task(taskgraph.Do(func() {})).Name("hen")
	egg := b.Task(taskgraph.Do(func() {})).Name("egg").After(hen)
	hen.After(egg)
	_, err := b.Build()
	var cycle *taskgraph.CycleError
	fmt.Println(errors.As(err, &cycle), err)
	// Output: true taskgraph: cycle: task "egg", which waits for task "hen", waits for itself
}

// The sum of a range, halved until it is small.
func ExampleContext_Fork() {
	ctx := context.Background()
	sys := taskgraph.Start(taskgraph.Options{})
	defer func() { _ = sys.Shutdown(ctx) }()

	var sum func(c *taskgraph.Context, a *taskgraph.Args)
	sum = func(c *taskgraph.Context, a *taskgraph.Args) {
		lo, hi := a.A, a.B
		if hi-lo <= 1000 {
			a.A = 0
			for i := lo; i < hi; i++ {
				a.A += i
			}
			return
		}
		mid := (lo + hi) / 2
		left := c.Fork(sum, taskgraph.Args{A: lo, B: mid})
		right := taskgraph.Args{A: mid, B: hi}
		sum(c, &right)
		a.A = left.Wait().A + right.A
	}
	done := sys.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		a := taskgraph.Args{A: 0, B: 100_000}
		sum(c, &a)
		fmt.Println(a.A)
		return nil
	})).Launch()
	_ = sys.WaitUntilTasksComplete(ctx, done)
	// Output: 4999950000
}

// A body that waits for something outside of the system lends its worker out meanwhile.
func ExampleContext_Blocking() {
	ctx := context.Background()
	sys := taskgraph.Start(taskgraph.Options{Workers: 1})
	defer func() { _ = sys.Shutdown(ctx) }()

	answers := make(chan string)
	first := sys.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		var answer string
		c.Blocking(func() { answer = <-answers })
		fmt.Println(answer)
		return nil
	})).Launch()
	second := sys.Go(func() { answers <- "from the only worker" })
	_ = sys.WaitUntilTasksComplete(ctx, first, second)
	// Output: from the only worker
}

// Loops as tasks of a graph: of the second the number of elements is found by the first, in each
// run.
func ExampleParallelFor() {
	ctx := context.Background()
	sys := taskgraph.Start(taskgraph.Options{})
	defer sys.Shutdown(ctx)

	heights := make([]int, 1000)
	var peaks []int
	shrink := taskgraph.Loop{Body: func(_ *taskgraph.Participant, lo, hi int) error {
		for _, i := range peaks[lo:hi] {
			heights[i]--
		}
		return nil
	}}
	var b taskgraph.GraphBuilder
	grow := b.Task(taskgraph.ParallelFor(len(heights), 0, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			heights[i] += i
		}
	}))
	find := b.Task(taskgraph.Do(func() {
		peaks = peaks[:0]
		for i, h := range heights {
			if h > 1900 {
				peaks = append(peaks, i)
			}
		}
		shrink.N = len(peaks)
	})).After(grow)
	b.Task(taskgraph.RunLoop(&shrink)).After(find)
	step, err := b.Build()
	for range 2 {
		err = errors.Join(err, sys.WaitUntilTasksComplete(ctx, sys.LaunchGraph(step)))
	}
	fmt.Println(len(peaks), heights[999], err)
	// Output: 49 1997 <nil>
}

// Systems of an ECS say what they read and write, and run in the order in which they were added as
// far as they have to do with each other: here the last two at the same time.
func ExampleGraphTask_Reads() {
	ctx := context.Background()
	sys := taskgraph.Start(taskgraph.Options{})
	defer sys.Shutdown(ctx)

	var world struct{ force, speed, place, heard float64 }
	var b taskgraph.GraphBuilder
	b.Task(taskgraph.Do(func() { world.force = 9.81 })).
		Writes(&world.force)
	b.Task(taskgraph.Do(func() { world.speed += world.force })).
		Reads(&world.force).Writes(&world.speed)
	b.Task(taskgraph.Do(func() { world.place += world.speed })).
		Reads(&world.speed).Writes(&world.place)
	b.Task(taskgraph.Do(func() { world.heard = world.speed / 10 })).
		Reads(&world.speed).Writes(&world.heard)
	step, err := b.Build()
	for range 2 {
		err = errors.Join(err, sys.WaitUntilTasksComplete(ctx, sys.LaunchGraph(step)))
	}
	fmt.Printf("%.2f %v\n", world, err)
	// Output: {9.81 19.62 29.43 1.96} <nil>
}

// What a task both reads and writes, it writes.
func ExampleGraphTask_Reads_twice() {
	var b taskgraph.GraphBuilder
	b.Task(taskgraph.Do(func() {})).Name("move").Reads("speed", "place").Writes("place")
	_, err := b.Build()
	fmt.Println(err)
	// Output: taskgraph: task "move" both reads and writes "place"; Writes alone says both
}

// A merge sort: what is forked is a value of a type of one's own.
func ExampleForkOf() {
	ctx := context.Background()
	sys := taskgraph.Start(taskgraph.Options{})
	defer sys.Shutdown(ctx)

	type span struct{ of, spare []int }
	var sort func(c *taskgraph.Context, s *span)
	sort = func(c *taskgraph.Context, s *span) {
		mid := len(s.of) / 2
		if mid < 16 {
			slices.Sort(s.of)
			return
		}
		left := taskgraph.ForkOf(c, sort, span{s.of[:mid], s.spare[:mid]})
		right := span{s.of[mid:], s.spare[mid:]}
		sort(c, &right)
		l, r := left.Wait().of, right.of
		for i := range s.spare {
			if len(r) == 0 || len(l) > 0 && l[0] <= r[0] {
				s.spare[i], l = l[0], l[1:]
			} else {
				s.spare[i], r = r[0], r[1:]
			}
		}
		copy(s.of, s.spare)
	}
	x := make([]int, 1000)
	for i := range x {
		x[i] = i * 7 % 1000
	}
	done := sys.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		sort(c, &span{x, make([]int, len(x))})
		return nil
	})).Launch()
	err := sys.WaitUntilTasksComplete(ctx, done)
	fmt.Println(x[:5], slices.IsSorted(x), err)
	// Output: [0 1 2 3 4] true <nil>
}

// The ways to place eight queens: a call forks one for each place in its row, and joins all at
// once.
func ExampleForks() {
	ctx := context.Background()
	sys := taskgraph.Start(taskgraph.Options{})
	defer sys.Shutdown(ctx)

	type board struct {
		row               int
		cols, left, right uint
		ways              int
	}
	var place func(c *taskgraph.Context, b *board)
	place = func(c *taskgraph.Context, b *board) {
		if b.row == 8 {
			b.ways = 1
			return
		}
		var kids taskgraph.Forks[board]
		for free := 0xff &^ (b.cols | b.left | b.right); free != 0; free &= free - 1 {
			bit := free & -free
			kids.Fork(c, place, board{row: b.row + 1, cols: b.cols | bit, left: (b.left | bit) << 1,
				right: (b.right | bit) >> 1})
		}
		for kid := range kids.Results() {
			b.ways += kid.ways
		}
	}
	done := sys.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		var b board
		place(c, &b)
		fmt.Println(b.ways)
		return nil
	})).Launch()
	_ = sys.WaitUntilTasksComplete(ctx, done)
	// Output: 92
}
