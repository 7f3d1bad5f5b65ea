package migration

import (
	"context"
	"fmt"

	"github.com/heddle-go/heddle/taskgraph"
	gotaskflow "github.com/noneback/go-taskflow"
)

func Example_gotaskflowGraph() {
	tf := gotaskflow.NewTaskFlow("cloth")
	warp := tf.NewTask("warp", func() { fmt.Println("warp") })
	weft := tf.NewTask("weft", func() { fmt.Println("weft") })
	warp.Precede(weft)
	executor := gotaskflow.NewExecutor(4)
	executor.Run(tf).Wait()
	// Output:
	// warp
	// weft
}

func Example_heddleGraph() {
	ctx, sys := context.Background(), taskgraph.Start(taskgraph.Options{})
	var b taskgraph.GraphBuilder
	warp := b.Task(taskgraph.Do(func() { fmt.Println("warp") })).Name("warp")
	b.Task(taskgraph.Do(func() { fmt.Println("weft") })).Name("weft").After(warp)
	g, err := b.Build()
	if err == nil {
		err = sys.RunGraph(ctx, g) // as often as one likes
	}
	fmt.Println(err, sys.Shutdown(ctx))
	// Output:
	// warp
	// weft
	// <nil> <nil>
}

func Example_gotaskflowCondition() {
	tf := gotaskflow.NewTaskFlow("choice")
	broken := tf.NewCondition("broken?", func() uint { return 1 })
	weave := tf.NewTask("weave", func() { fmt.Println("weave") })
	mend := tf.NewTask("mend", func() { fmt.Println("mend") })
	broken.Precede(weave, mend)
	gotaskflow.NewExecutor(4).Run(tf).Wait()
	// Output: mend
}

func Example_heddleCases() {
	ctx, sys := context.Background(), taskgraph.Start(taskgraph.Options{})
	broken := sys.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		c.Choose(1)
		return nil
	}))
	cases := broken.Cases(2)
	sys.Task(taskgraph.Do(func() { fmt.Println("weave") })).After(cases[0]).Launch()
	sys.Task(taskgraph.Do(func() { fmt.Println("mend") })).After(cases[1]).Launch()
	broken.Launch()
	fmt.Println(sys.Shutdown(ctx))
	// Output:
	// mend
	// <nil>
}

func Example_heddleAgain() {
	ctx, sys := context.Background(), taskgraph.Start(taskgraph.Options{})
	row := 0
	weave := sys.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		if row++; row < 3 {
			c.Again() // the task goes to the end of the queue, and its body is called once more
		}
		return nil
	})).Launch()
	fmt.Println(sys.WaitUntilTasksComplete(ctx, weave), row)
	fmt.Println(sys.Shutdown(ctx))
	// Output:
	// <nil> 3
	// <nil>
}
