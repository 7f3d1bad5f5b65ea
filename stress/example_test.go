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
