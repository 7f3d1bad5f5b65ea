package taskgraph_test

import (
	"context"
	"fmt"

	"github.com/heddle-go/heddle/namedthread"
	"github.com/heddle-go/heddle/taskgraph"
)

// A task asks the game thread, which goes on answering while it waits for the task.
func ExampleSystem_PumpUntilTasksComplete() {
	ctx := context.Background()
	threads := namedthread.NewRegistry()
	game, err := threads.Attach("Game", namedthread.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer game.Detach()
	sys := taskgraph.Start(taskgraph.Options{Threads: threads})
	defer sys.Shutdown(ctx)

	detail := 1
	load := sys.Go(func() {
		answer := make(chan int)
		ask := namedthread.Func(func() { answer <- detail })
		if game.Post(namedthread.QueueMain, namedthread.PriorityNormal, ask, 0) == nil {
			fmt.Println("loads level of detail", <-answer)
		}
	})
	detail = 2
	fmt.Println(sys.PumpUntilTasksComplete(ctx, load))
	// Output:
	// loads level of detail 2
	// <nil>
}
