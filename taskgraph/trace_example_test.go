package taskgraph_test

import (
	"context"
	"fmt"
	"slices"

	"github.com/heddle-go/heddle/taskgraph"
	"github.com/heddle-go/heddle/taskgraph/trace"
)

// A recorder is on all the time; a snapshot says what has happened last.
func ExampleOptions_trace() {
	rec := trace.New(trace.Options{})
	sys := taskgraph.Start(taskgraph.Options{Trace: rec})
	warp := sys.Task(taskgraph.Do(func() {})).Name("warp").Launch()
	weft := sys.Task(taskgraph.Do(func() {})).Name("weft").After(warp).Launch()
	if err := sys.WaitUntilTasksComplete(context.Background(), weft); err != nil {
		fmt.Println(err)
	}
	if err := sys.Shutdown(context.Background()); err != nil {
		fmt.Println(err)
	}
	s := rec.Snapshot()
	var lines []string
	for _, task := range s.Tasks {
		for _, before := range task.After {
			lines = append(lines, fmt.Sprintf("%s comes after %s", task.Name, s.Tasks[before].Name))
		}
	}
	for _, lane := range s.Lanes {
		for _, e := range lane.Events {
			if e.Kind == trace.Begin {
				lines = append(lines, s.Tasks[e.Task].Name+" has run")
			}
		}
	}
	slices.Sort(lines)
	for _, line := range lines {
		fmt.Println(line)
	}
	// Output:
	// warp has run
	// weft comes after warp
	// weft has run
}
