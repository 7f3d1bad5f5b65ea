package threadwait

import (
	"context"
	"sync"

	"github.com/heddle-go/heddle/namedthread"
	"github.com/heddle-go/heddle/taskgraph"
)

const (
	main   = namedthread.QueueMain
	normal = namedthread.PriorityNormal
)

func channel(sys *taskgraph.System, game *namedthread.Thread) {
	sys.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		done := make(chan struct{})
		c.Task(taskgraph.Do(func() { close(done) })).On(game).Launch()
		<-done // want `waits on thread game for done`
		return nil
	})).On(game).Launch()
}

func waitGroup(sys *taskgraph.System, game *namedthread.Thread) {
	sys.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		var wg sync.WaitGroup
		wg.Add(1)
		drawn := c.Task(taskgraph.Do(func() { defer wg.Done() })).On(game).Launch()
		c.Blocking(func() {
			wg.Wait() // want `waits on thread game for wg`
		})
		return drawn.Err()
	})).On(game).Launch()
}

func event(sys *taskgraph.System, game *namedthread.Thread) {
	ready := sys.NewEvent()
	sys.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		drawn := c.Task(taskgraph.Do(func() { ready.Trigger() })).On(game).Launch()
		if err := c.Wait(ready); err != nil { // want `waits on thread game for ready`
			return err
		}
		return drawn.Err()
	})).On(game).Launch()
}

func posted(sys *taskgraph.System, game *namedthread.Thread) {
	sys.Task(taskgraph.Do(func() {
		done := make(chan struct{})
		game.Post(main, normal, namedthread.Func(func() { close(done) }), 0)
		<-done // want `waits on thread game for done`
	})).On(game).Launch()
}

func attached(ctx context.Context, threads *namedthread.Registry) error {
	game, err := threads.Attach("Game", namedthread.Options{})
	if err != nil {
		return err
	}
	defer game.Detach()
	sys := taskgraph.Start(taskgraph.Options{Threads: threads})
	load := sys.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		answer := make(chan int)
		ask := namedthread.Func(func() { answer <- 1 })
		if err := game.Post(main, normal, ask, 0); err != nil {
			return err
		}
		c.Blocking(func() { println(<-answer) })
		return nil
	})).Launch()
	if err := sys.WaitUntilTasksComplete(ctx, load); err != nil { // want `runs nothing`
		return err
	}
	return sys.Shutdown(ctx)
}

// What follows is right.

func byContext(sys *taskgraph.System, game *namedthread.Thread) {
	sys.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		return c.Wait(c.Task(taskgraph.Do(func() {})).On(game).Launch())
	})).On(game).Launch()
}

func otherThread(sys *taskgraph.System, game, sound *namedthread.Thread) {
	sys.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		done := make(chan struct{})
		c.Task(taskgraph.Do(func() { close(done) })).On(sound).Launch()
		<-done
		return nil
	})).On(game).Launch()
}

func fromWorker(sys *taskgraph.System, game *namedthread.Thread) {
	sys.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		done := make(chan struct{})
		c.Task(taskgraph.Do(func() { close(done) })).On(game).Launch()
		c.Blocking(func() { <-done })
		return nil
	})).Launch()
}

func byOthersToo(sys *taskgraph.System, game *namedthread.Thread) {
	sys.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		ready := c.System().NewEvent()
		c.Task(taskgraph.Do(func() { ready.Trigger() })).On(game).Launch()
		c.Go(func() { ready.Trigger() })
		return c.Wait(ready)
	})).On(game).Launch()
}

func pumps(ctx context.Context, threads *namedthread.Registry) error {
	game, err := threads.Attach("Game", namedthread.Options{})
	if err != nil {
		return err
	}
	defer game.Detach()
	sys := taskgraph.Start(taskgraph.Options{Threads: threads})
	load := sys.Go(func() {
		answer := make(chan int, 1)
		ask := namedthread.Func(func() { answer <- 1 })
		if game.Post(main, normal, ask, 0) == nil {
			<-answer
		}
	})
	if err := sys.PumpUntilTasksComplete(ctx, load); err != nil {
		return err
	}
	return sys.Shutdown(ctx)
}
