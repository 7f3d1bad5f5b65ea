package taskgraph_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/taskgraph"
)

// Two mirrors are asked, and the slower one is told to stop: those that have not started are
// cancelled by their context, and those that run look at it.
func ExampleSystem_WaitAny() {
	sys := taskgraph.Start(taskgraph.Options{Workers: 2})
	defer sys.Shutdown(context.Background())
	ctx, cancel := context.WithCancel(context.Background())

	slow := sys.Task(taskgraph.Try(func() error {
		<-ctx.Done() // a slow server
		return ctx.Err()
	})).Context(ctx).Launch()
	fast := sys.Task(taskgraph.Do(func() {})).Context(ctx).Launch()
	later := sys.Task(taskgraph.Do(func() {})).Context(ctx).After(slow).Launch()

	first, err := sys.WaitAny(context.Background(), slow, fast, later)
	cancel() // the losers
	fmt.Println(first, err)
	fmt.Println(errors.Is(slow.Wait(context.Background()), context.Canceled))
	fmt.Println(later.Wait(context.Background()) != nil)
	// Output:
	// 1 <nil>
	// true
	// true
}

// A task starts after the first of two, another one after both.
func ExampleSystem_Any() {
	sys := taskgraph.Start(taskgraph.Options{})
	defer sys.Shutdown(context.Background())

	disk, network := sys.NewEvent(), sys.NewEvent()
	show := sys.Task(taskgraph.Do(func() { fmt.Println("a copy is there") })).After(sys.Any(disk,
		network)).Launch()
	compare := sys.Task(taskgraph.Do(func() { fmt.Println("both are there") })).After(show,
		sys.All(disk, network)).Launch()

	network.Trigger()
	_ = sys.WaitUntilTasksComplete(context.Background(), show)
	disk.Trigger()
	_ = sys.WaitUntilTasksComplete(context.Background(), compare)
	// Output:
	// a copy is there
	// both are there
}

// A part of the program that knows only an event is told when several tasks are done.
func ExampleSystem_TriggerEventWhenTasksComplete() {
	sys := taskgraph.Start(taskgraph.Options{})
	defer sys.Shutdown(context.Background())

	loaded := sys.NewEvent()
	loaded.OnComplete(func(err error) { fmt.Println("loaded:", err) })
	start := sys.NewEvent()
	meshes := sys.Task(taskgraph.Do(func() {})).After(start).Launch()
	sounds := sys.Task(taskgraph.Do(func() {})).After(start).Launch()
	sys.TriggerEventWhenTasksComplete(loaded, meshes, sounds)
	fmt.Println(loaded.State() == graphevent.StateCompleted)

	start.Trigger()
	_ = sys.WaitUntilTasksComplete(context.Background(), loaded)
	// Output:
	// false
	// loaded: <nil>
}
