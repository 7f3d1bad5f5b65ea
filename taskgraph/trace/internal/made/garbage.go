package made

import (
	"time"

	"github.com/heddle-go/heddle/taskgraph/trace"
)

// Garbage draws a snapshot whose events need not fit together: beginnings without ends, ends
// without beginnings, tasks that come after themselves. On each lane they are in order of time.
func Garbage(most int, draw Source) *trace.Snapshot {
	id := func(name string) trace.ID { return trace.ID(draw(name, 0, 6)) }
	s := &trace.Snapshot{Tasks: map[trace.ID]trace.Task{}}
	end := time.Duration(0)
	for range draw("lanes", 0, 3) {
		l := trace.Lane{Name: "lane", Kind: trace.LaneKind(draw("kind", 0, 3))}
		at := time.Duration(0)
		for range draw("events", 0, most) {
			at += time.Duration(draw("later", 0, 3))
			l.Events = append(l.Events, trace.Event{At: at, Kind: trace.Kind(draw("what", 0, 18)),
				Task: id("task"), Other: id("other"), Arg: uint64(draw("arg", 0, 4))})
		}
		end = max(end, at)
		s.Lanes = append(s.Lanes, l)
	}
	for range draw("known", 0, 4) {
		s.Tasks[id("known")] = trace.Task{Name: "t", Parent: id("parent"), Run: id("run"),
			After: []trace.ID{id("after"), id("after")}}
	}
	if draw("window", 0, 1) == 1 {
		s.From = time.Duration(draw("from", 0, int(end)))
		s.To = s.From + time.Duration(draw("to", 0, int(end)))
	}
	return s
}
