package blockingbody

import (
	"net/http"
	"os/exec"
	"sync"
	"time"

	"github.com/heddle-go/heddle/namedthread"
	"github.com/heddle-go/heddle/taskgraph"
)

func bodies(sys *taskgraph.System, in <-chan int, out chan int, wg *sync.WaitGroup) {
	sys.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		v := <-in // want `the receive blocks the worker`
		wg.Wait() // want `WaitGroup.Wait blocks the worker`
		println(v)
		return exec.Command("true").Run() // want `Cmd.Run blocks the worker`
	})).Launch()
	sys.Task(taskgraph.Do(func() {
		time.Sleep(time.Second) // want `time.Sleep blocks the worker`
		wg.Wait()               // want `WaitGroup.Wait blocks the worker`
	})).Launch()
	sys.Go(func() {
		for v := range in { // want `the loop over a channel blocks the worker`
			println(v)
		}
	})
	sys.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		select { // want `the select blocks the worker`
		case v := <-in:
			println(v)
		case <-c.Done():
		}
		r, err := http.Get("http://localhost") // want `net/http.Get blocks the worker`
		if err != nil {
			return err
		}
		return r.Body.Close()
	})).Launch()
	unbuffered := make(chan int)
	sys.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		unbuffered <- 1 // want `the send blocks the worker`
		return nil
	})).Launch()
	println(<-unbuffered)
}

// What follows is right.

func right(sys *taskgraph.System, in <-chan int, out chan int, game *namedthread.Thread) {
	sys.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		c.Blocking(func() { println(<-in) })
		select {
		case <-c.Done():
			return c.Err()
		default:
		}
		out <- 1 // it may have room
		go func() { time.Sleep(time.Second) }()
		return nil
	})).Launch()
	results := make(chan int, 8)
	sys.Go(func() { results <- 1 })
	sys.Task(taskgraph.Do(func() { println(<-results) })).Launch()
	sys.Task(taskgraph.Do(func() { println(<-in) })).OnOwnThread().Launch()
	sys.Task(taskgraph.Do(func() { println(<-in) })).On(game).Launch()
	held := sys.Task(taskgraph.Do(func() { println(<-in) }))
	held.OnOwnThread()
	held.Launch()
	stored := taskgraph.Do(func() { println(<-in) }) // who runs it cannot be seen
	sys.Task(stored).OnOwnThread().Launch()
}
