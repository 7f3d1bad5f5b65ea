package stress_test

import (
	"context"
	"fmt"

	"github.com/heddle-go/heddle/stress"
	"github.com/heddle-go/heddle/taskgraph"
)

// A diamond, run by a system and watched.
func ExampleWitness() {
	graph := stress.DAG{{}, {0}, {0}, {1, 2}}
	w := stress.NewWitness(graph)

	ctx := context.Background()
	sys := taskgraph.Start(taskgraph.Options{})
	events := make([]taskgraph.Event, len(graph))
	for i, prerequisites := range graph {
		task := sys.Task(taskgraph.Run(func(c *taskgraph.Context) error {
			w.Begin(i, c)
			defer w.End(i)
			return nil
		}))
		for _, p := range prerequisites {
			task.After(events[p])
		}
		w.Launch(i)
		events[i] = task.Launch()
	}
	fmt.Println(sys.WaitUntilTasksComplete(ctx, events...), sys.Shutdown(ctx), w.Err())
	// Output: <nil> <nil> <nil>
}

// What a graph lets through that has lost an edge.
func ExampleWitness_Err() {
	w := stress.NewWitness([][]int{{}, {0}})
	w.Launch(0)
	w.Launch(1)
	for _, i := range []int{1, 0, 0} {
		w.Begin(i, nil)
		w.End(i)
	}
	fmt.Println(w.Err())
	// Output:
	// stress: node 1 began before node 0 had ended
	// stress: node 0 ran 2 times
	// stress: node 0 began 2 times and ended 2 times
}

// A property of whatever graph. In a test, Draw takes the place of Example: rapid.Check calls
// the test with many plans, and shows the smallest that fails.
func ExamplePlans() {
	plan := stress.Plans(6).Example(19)
	fmt.Print(plan)

	ctx := context.Background()
	sys := taskgraph.Start(taskgraph.Options{})
	length := make([]int, len(plan)) // of the longest way to each task
	w := stress.NewWitness(plan.DAG())
	events := plan.Launch(w, sys.Task, func(c *taskgraph.Context, i int) error {
		for _, p := range plan[i].After {
			length[i] = max(length[i], length[p]+1)
		}
		return nil
	})
	fmt.Println(sys.WaitUntilTasksComplete(ctx, events...), sys.Shutdown(ctx), w.Err())
	fmt.Println(length)
	// Output:
	// a (background-normal)
	// b after a (background-high)
	// c after a (background-high)
	// d after b c
	// e after c
	// f after d e (background-normal)
	// <nil> <nil> <nil>
	// [0 1 1 2 2 3]
}

// A graph of one family.
func ExampleShape() {
	graph := stress.DAG{{}, {0}, {0, 1}}
	fmt.Println(graph.Check(), graph.Edges(), graph.Widest(), stress.ShapeWavefront)
	// Output: <nil> 3 2 wavefront
}
