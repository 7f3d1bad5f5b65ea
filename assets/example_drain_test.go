package assets_test

import (
	"context"
	"fmt"

	"github.com/heddle-go/heddle/assets"
	"github.com/heddle-go/heddle/namedthread"
	"github.com/heddle-go/heddle/taskgraph"
)

// A game uses what is loaded on a thread of its own, and lets it change between two frames.
func ExampleManager_Drain() {
	ctx := context.Background()
	var threads namedthread.Registry
	game, _ := threads.Start("Game", namedthread.Options{})
	sys := taskgraph.Start(taskgraph.Options{Threads: &threads})
	registry, _ := assets.NewMemory(assets.Info{ID: "tree"}, assets.Info{ID: "wood"})
	color := "brown"
	paint := assets.Pipe{Name: "paint", Run: func(_ context.Context, it *assets.Item) error {
		if it.Value = color; it.ID == "tree" {
			it.Children = []assets.ID{"wood"}
		}
		return nil
	}}
	loader, _ := assets.NewPipeline(sys, assets.PipelineOptions{
		Plan: []assets.Pipe{assets.Resolve(), paint, assets.Dependencies()}})
	m := assets.New(sys, assets.Options{Registry: registry, Loader: loader})
	m.Load(ctx, "tree")
	wood, _ := m.Load(ctx, "wood")
	defer m.Subscribe(func(c assets.Change) {
		game.MustBeCurrent()
		fmt.Println(c.ID, "is", c.Kind)
	})()

	color = "green"
	m.Reload("wood") // where somebody has seen that the file is another one
	drained := 0
	frame := taskgraph.Do(func() {
		fmt.Println("a frame in", wood.Value())
		for drained == 0 { // a game goes on to its next frame instead
			drained = m.Drain()
		}
	})
	for range 2 {
		sys.WaitUntilTasksComplete(ctx, sys.Task(frame).On(game).Launch())
	}
	fmt.Println(m.Close(ctx), sys.Shutdown(ctx))
	game.Quit()
	<-game.Done()
	// Output:
	// a frame in brown
	// wood is reloaded
	// tree is affected
	// a frame in green
	// <nil> <nil>
}
