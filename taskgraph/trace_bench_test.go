package taskgraph_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/taskgraph"
	"github.com/heddle-go/heddle/taskgraph/trace"
)

// BenchmarkTrace is what recording takes of an empty task of a chain that is run again: off, with
// a recorder that was stopped, with one, and with one that reads the clock for each record.
func BenchmarkTrace(b *testing.B) {
	for _, mode := range []string{"off", "stopped", "on", "exact"} {
		for _, shape := range []string{"chain", "grid", "work"} {
			b.Run(fmt.Sprintf("%s/%s", shape, mode), func(b *testing.B) {
				var rec *trace.Recorder
				if mode != "off" {
					rec = trace.New(trace.Options{Exact: mode == "exact",
						Stopped: mode == "stopped"})
				}
				sys := taskgraph.Start(taskgraph.Options{Workers: 2, Trace: rec})
				var gb taskgraph.GraphBuilder
				const n = 1024
				tasks := make([]taskgraph.GraphTask, n)
				for i := range tasks {
					tasks[i] = gb.Task(taskgraph.Do(func() {}))
					if shape == "work" {
						tasks[i] = gb.Task(taskgraph.Do(func() { atomics.Pause(3) }))
					}
					switch {
					case shape == "chain" && i > 0:
						tasks[i].After(tasks[i-1])
					case shape != "chain" && i%32 != 0:
						tasks[i].After(tasks[i-1])
						if i > 32 {
							tasks[i].After(tasks[i-32])
						}
					}
				}
				g, err := gb.Build()
				if err != nil {
					b.Fatal(err)
				}
				for i := 0; i < b.N; i += n {
					if err := sys.RunGraph(context.Background(), g); err != nil {
						b.Fatal(err)
					}
				}
				if err := sys.Shutdown(context.Background()); err != nil {
					b.Fatal(err)
				}
			})
		}
	}
}
