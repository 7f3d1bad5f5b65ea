package namedthread_test

import (
	"fmt"

	"github.com/heddle-go/heddle/namedthread"
)

// A frame: the render thread draws while the game thread goes on with what is posted to it.
func Example() {
	reg := namedthread.NewRegistry()
	game, err := reg.Attach("Game", namedthread.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer game.Detach()
	render, err := reg.Start("Render", namedthread.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}

	frameEnd := game.NewToken()
	say := func(s string) namedthread.Func { return func() { fmt.Println(s) } }
	render.Post(namedthread.QueueMain, namedthread.PriorityNormal, namedthread.Func(func() {
		fmt.Println("draw")
		game.Post(namedthread.QueueMain, namedthread.PriorityNormal, say("swap"), 0)
		game.Post(namedthread.QueueMain, namedthread.PriorityNormal, namedthread.Func(func() {
			game.RequestReturn(frameEnd)
		}), 0)
	}), 0)
	n, err := game.PumpUntilReturn(namedthread.QueueMain, frameEnd)
	fmt.Println(n, err)

	render.Quit()
	<-render.Done()
	// Output:
	// draw
	// swap
	// 2 <nil>
}

// Work that waits on its own thread brings about what it waits for; the rest keeps its order.
func ExampleThread_Wait() {
	game, err := namedthread.NewRegistry().Attach("Game", namedthread.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer game.Detach()
	post := func(f func()) {
		game.Post(namedthread.QueueMain, namedthread.PriorityNormal, namedthread.Func(f), 0)
	}

	loaded := false
	post(func() {
		fmt.Println("waiting")
		go func() {
			game.Wake() // something happened elsewhere
		}()
		game.Wait(namedthread.QueueMain, func() bool {
			loaded = true // run here what is awaited
			return loaded
		})
		fmt.Println("waited")
	})
	post(func() { fmt.Println("next") })
	game.PumpUntilIdle(namedthread.QueueMain)
	// Output:
	// waiting
	// waited
	// next
}
