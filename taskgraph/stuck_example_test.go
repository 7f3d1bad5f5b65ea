package taskgraph_test

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/heddle-go/heddle/namedthread"
	"github.com/heddle-go/heddle/taskgraph"
)

// Two tasks that wait for something that does not come: the report says for what.
func ExampleSystem_Stuck() {
	ctx := context.Background()
	sys := taskgraph.Start(taskgraph.Options{})
	defer sys.Shutdown(ctx)

	skin := sys.Name(sys.NewEvent(), "skin")
	draw := sys.Task(taskgraph.Do(func() {})).Name("draw").After(skin).Launch()
	sys.Task(taskgraph.Do(func() {})).Name("present").After(draw).Launch()

	r := sys.Stuck()
	for !r.Idle { // the workers have just been started
		r = sys.Stuck()
	}
	fmt.Println(r)
	skin.Trigger()
	// Output:
	// taskgraph: idle with 3 incomplete
	//   event "skin": nobody has triggered it
	//   task "draw" waits for event "skin": nobody has triggered it
	//   task "present" waits for task "draw"
}

// A system whose watchdog says by itself that it is stuck.
func ExampleOptions_watchdog() {
	ctx := context.Background()
	reports := make(chan *taskgraph.StuckReport, 1)
	sys := taskgraph.Start(taskgraph.Options{
		StuckAfter: 10 * time.Millisecond,
		OnStuck:    func(r *taskgraph.StuckReport) { reports <- r },
	})
	defer sys.Shutdown(ctx)

	skin := sys.Name(sys.NewEvent(), "skin")
	waited := make(chan error)
	go func() { waited <- sys.WaitUntilTasksComplete(ctx, skin) }()
	fmt.Println(<-reports)
	skin.Trigger()
	fmt.Println(<-waited)
	// Output:
	// taskgraph: idle with 2 incomplete
	//   event "skin": nobody has triggered it
	//   a goroutine waits for event "skin": nobody has triggered it
	// <nil>
}

// Each worker has something of its own, which is emptied once on each.
func ExampleSystem_Broadcast() {
	ctx := context.Background()
	sys := taskgraph.Start(taskgraph.Options{Workers: 4})
	defer sys.Shutdown(ctx)

	var mu sync.Mutex
	emptied := map[int]bool{}
	err := sys.Broadcast(ctx, func(worker int, th *namedthread.Thread) {
		mu.Lock()
		defer mu.Unlock()
		emptied[worker] = true
	})
	fmt.Println(len(emptied), err)
	// Output: 4 <nil>
}
