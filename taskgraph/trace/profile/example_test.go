package profile_test

import (
	"fmt"
	"time"

	"github.com/heddle-go/heddle/taskgraph/trace"
	"github.com/heddle-go/heddle/taskgraph/trace/profile"
)

// recorded is what a recorder might have held: a frame of which physics and sound are done at the
// same time, and then drawn.
func recorded() *trace.Snapshot {
	const ms = time.Millisecond
	lane := func(name string, events ...trace.Event) trace.Lane {
		return trace.Lane{Name: name, Kind: trace.LaneWorker, Events: events}
	}
	at := func(at time.Duration, k trace.Kind, task trace.ID) trace.Event {
		return trace.Event{At: at, Kind: k, Task: task}
	}
	return &trace.Snapshot{To: 9 * ms,
		Lanes: []trace.Lane{
			lane("worker 0", at(0, trace.Begin, 1), at(5*ms, trace.End, 1),
				at(5*ms, trace.Begin, 3), at(9*ms, trace.End, 3)),
			lane("worker 1", at(0, trace.Begin, 2), at(2*ms, trace.End, 2)),
		},
		Tasks: map[trace.ID]trace.Task{1: {Name: "physics"}, 2: {Name: "sound"},
			3: {Name: "draw", After: []trace.ID{1, 2}}}}
}

func ExampleOf() {
	r := profile.Of(recorded(), profile.Options{})
	fmt.Printf("work %v, span %v, parallelism %.2f\n", r.Work, r.Span, r.Parallelism())
	for _, s := range r.Path {
		fmt.Printf("%-8s %v, %.0f %%\n", s.Name, s.Time, 100*s.Share)
	}
	for _, n := range r.Names {
		fmt.Printf("%-8s slack %v, gain %v\n", n.Name, n.Slack, n.Gain)
	}
	// Output:
	// work 11ms, span 9ms, parallelism 1.22
	// physics  5ms, 56 %
	// draw     4ms, 44 %
	// physics  slack 0s, gain 3ms
	// draw     slack 0s, gain 4ms
	// sound    slack 3ms, gain 0s
}

func ExampleReport_Predict() {
	p := profile.Of(recorded(), profile.Options{}).Predict(1, 2, 4)
	for _, point := range p.Points {
		fmt.Printf("%d: %v, efficiency %.2f\n", point.Workers, point.Time, point.Efficiency)
	}
	fmt.Println("the span binds from", p.SpanBinds, "workers on")
	// Output:
	// 1: 11ms, efficiency 1.00
	// 2: 9ms, efficiency 0.61
	// 4: 9ms, efficiency 0.31
	// the span binds from 2 workers on
}
