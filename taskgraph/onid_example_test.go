package taskgraph_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/heddle-go/heddle/namedthread"
	"github.com/heddle-go/heddle/taskgraph"
)

// A server has no render thread. What is for one is left to the workers, or refused.
func ExampleTask_OnID() {
	ctx := context.Background()
	sys := taskgraph.Start(taskgraph.Options{Threads: namedthread.NewRegistry()})
	defer sys.Shutdown(ctx)
	render, err := namedthread.ParseID("1/main/high/normal")
	if err != nil {
		fmt.Println(err)
		return
	}
	bake := sys.Task(taskgraph.Do(func() { fmt.Println("baked") })).OnID(render,
		taskgraph.FallbackAnywhere).Launch()
	fmt.Println(sys.WaitUntilTasksComplete(ctx, bake))
	draw := sys.Task(taskgraph.Do(func() { fmt.Println("drawn") })).OnID(render,
		taskgraph.FallbackError).Launch()
	fmt.Println(errors.Is(sys.WaitUntilTasksComplete(ctx, draw), namedthread.ErrNoThread))
	// Output:
	// baked
	// <nil>
	// true
}
