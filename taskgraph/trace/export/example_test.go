package export_test

import (
	"fmt"
	"os"
	"time"

	"github.com/heddle-go/heddle/taskgraph/trace"
	"github.com/heddle-go/heddle/taskgraph/trace/export"
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

func ExampleText() {
	if err := export.Text(os.Stdout, profile.Of(recorded(), profile.Options{})); err != nil {
		fmt.Println(err)
	}
	// Output:
	// work 11.0 ms, span 9.00 ms, parallelism 1.22
	// 9.00 ms of 9.00 ms in use, 2 workers, utilisation 61 %
	//
	// Critical path
	//   physics                                                5.00 ms  55.6 %
	//   draw                                                   4.00 ms  44.4 %
	//
	// Tasks                               count     total   work       p50       p99    slack      gain
	//   physics                               1   5.00 ms   45 %   5.00 ms   5.00 ms        -   3.00 ms
	//   draw                                  1   4.00 ms   36 %   4.00 ms   4.00 ms        -   4.00 ms
	//   sound                                 1   2.00 ms   18 %   2.00 ms   2.00 ms  3.00 ms         -
	// gain: by how much the span is shorter if they take no time; slack: the least of them
	//
	// Lanes                     bodies  busy   nothing not woken    waking searching   waiting   blocked
	//   worker 0                     2 100 %         -         -         -         -         -         -
	//   worker 1                     1  22 %   7.00 ms         -         -         -         -         -
	//   workers idle                           7.00 ms         -         -         -         -         -
	//
	// On workers      time   speedup efficiency  lower bound
	//          1   11.0 ms      1.00      100 %      11.0 ms
	//          2   9.00 ms      1.22       61 %      9.00 ms
	//          4   9.00 ms      1.22       31 %      9.00 ms
	//          8   9.00 ms      1.22       15 %      9.00 ms
	//         16   9.00 ms      1.22        8 %      9.00 ms
	//         32   9.00 ms      1.22        4 %      9.00 ms
	//         64   9.00 ms      1.22        2 %      9.00 ms
	//        128   9.00 ms      1.22        1 %      9.00 ms
	// up to 1 with an efficiency of 90 %; from 2 on the span binds
}

func ExampleDOT() {
	s := recorded()
	if err := export.DOT(os.Stdout, s, profile.Of(s, profile.Options{})); err != nil {
		fmt.Println(err)
	}
	// Output:
	// digraph tasks {
	// 	rankdir=LR
	// 	node [shape=box, fontname="sans-serif"]
	// 	t0 [label="physics\n5.00 ms, critical", color="#d00000", penwidth=2]
	// 	t1 [label="draw\n4.00 ms, critical", color="#d00000", penwidth=2]
	// 	t2 [label="sound\n2.00 ms, slack 3.00 ms"]
	// 	t0 -> t1 [color="#d00000", penwidth=2]
	// 	t2 -> t1
	// }
}

func ExampleJSON() {
	if err := export.JSON(os.Stdout, recorded()); err != nil {
		fmt.Println(err)
	}
	// Output:
	// {"displayTimeUnit":"ns","traceEvents":[
	// {"ph":"M","pid":1,"tid":1,"name":"process_name","args":{"name":"taskgraph"}},
	// {"ph":"M","pid":1,"tid":1,"name":"thread_name","args":{"name":"worker 0"}},
	// {"ph":"M","pid":1,"tid":1,"name":"thread_sort_index","args":{"sort_index":0}},
	// {"ph":"M","pid":1,"tid":2,"name":"thread_name","args":{"name":"worker 1"}},
	// {"ph":"M","pid":1,"tid":2,"name":"thread_sort_index","args":{"sort_index":1}},
	// {"ph":"B","pid":1,"tid":1,"ts":0.000,"name":"physics","cat":"task","args":{"task":1}},
	// {"ph":"s","pid":1,"tid":1,"ts":5000.000,"name":"then","cat":"flow","id":1},
	// {"ph":"E","pid":1,"tid":1,"ts":5000.000},
	// {"ph":"B","pid":1,"tid":1,"ts":5000.000,"name":"draw","cat":"task","args":{"task":3}},
	// {"ph":"f","pid":1,"tid":1,"ts":5000.000,"name":"then","cat":"flow","id":1,"bp":"e"},
	// {"ph":"f","pid":1,"tid":1,"ts":5000.000,"name":"then","cat":"flow","id":2,"bp":"e"},
	// {"ph":"E","pid":1,"tid":1,"ts":9000.000},
	// {"ph":"B","pid":1,"tid":2,"ts":0.000,"name":"sound","cat":"task","args":{"task":2}},
	// {"ph":"s","pid":1,"tid":2,"ts":2000.000,"name":"then","cat":"flow","id":2},
	// {"ph":"E","pid":1,"tid":2,"ts":2000.000},
	// {"ph":"C","pid":1,"tid":0,"ts":0.000,"name":"ready tasks","args":{"count":0}},
	// {"ph":"C","pid":1,"tid":0,"ts":0.000,"name":"awake workers","args":{"count":2}}
	// ]}
}
