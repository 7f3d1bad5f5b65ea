package trace_test

import (
	"fmt"

	"github.com/heddle-go/heddle/taskgraph/trace"
)

// What is marked is in the next snapshot. The example of taskgraph.Options has tasks.
func ExampleRecorder_Mark() {
	rec := trace.New(trace.Options{})
	frame := rec.Label("frame")
	rec.Mark(frame, 7)
	s := rec.Snapshot()
	for _, lane := range s.Lanes {
		for _, e := range lane.Events {
			if e.Kind == trace.Mark {
				fmt.Println(lane.Name, s.Tasks[e.Other].Name, e.Arg)
			}
		}
	}
	// Output: outside frame 7
}
