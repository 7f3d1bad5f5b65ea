package namedthread_test

import (
	"context"
	"errors"
	"fmt"
	"time"

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

// The main loop of a program whose main goroutine is the game thread.
func ExampleThread_Run() {
	game, err := namedthread.NewRegistry().Attach("Game", namedthread.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer game.Detach()
	ctx, stop := context.WithCancel(context.Background())
	go func() {
		game.Post(namedthread.QueueMain, namedthread.PriorityNormal, namedthread.Func(func() {
			fmt.Println("a frame")
			stop()
		}), 0)
	}()
	fmt.Println(game.Run(ctx))
	// Output:
	// a frame
	// context canceled
}

// A thread that asks a window system for its events, whether it has other work or sleeps.
func ExampleOptions_poll() {
	asked := 0
	window, err := namedthread.NewRegistry().Start("Window", namedthread.Options{
		PollEvery: time.Millisecond,
		Poll: func(t *namedthread.Thread) {
			fmt.Println("any events?")
			if asked++; asked == 3 {
				t.Quit()
			}
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	<-window.Done()
	// Output:
	// any events?
	// any events?
	// any events?
}

// Where there is no thread for a piece of work, its poster decides.
func ExampleRegistry_Post() {
	reg := namedthread.NewRegistry()
	id, err := namedthread.ParseID("3/main/high/normal")
	if err != nil {
		fmt.Println(err)
		return
	}
	save := namedthread.Func(func() { fmt.Println("saved") })
	if err := reg.Post(id, save, 0); errors.Is(err, namedthread.ErrNoThread) {
		fmt.Println(err)
		save()
	}
	// Output:
	// namedthread: no such thread: 3/main/high/normal
	// saved
}
