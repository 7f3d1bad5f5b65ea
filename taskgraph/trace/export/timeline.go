package export

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/heddle-go/heddle/taskgraph/trace"
	"github.com/heddle-go/heddle/taskgraph/trace/internal/nest"
)

// A sink is a format for viewers. Tracks and counters are declared before they are used. On a track
// slices are balanced, and times do not decrease; tracks come one after the other.
type sink interface {
	track(n int, name string)
	counter(n int, name string)
	begin(track int, at time.Duration, s *slice)
	end(track int, at time.Duration, s *slice)
	instant(track int, at time.Duration, s *slice)
	value(counter int, at time.Duration, v int)
}

// A slice is a stretch of time on a track, or a moment.
type slice struct {
	name, category string
	args           []arg
	after          []arg    // known at its end
	in             []uint64 // flows that lead to its beginning
	early, late    []uint64 // flows that lead from its beginning, and from its end
}

// An arg is a property that a viewer shows.
type arg struct {
	name  string
	text  string
	value uint64
}

// Categories of slices.
const (
	catTask   = "task"
	catWait   = "wait"
	catRange  = "range"
	catIdle   = "idle"
	catLaunch = "launch"
	catMark   = "mark"
	catSched  = "scheduler"
)

// Counters.
const (
	readyTasks = iota
	awakeWorkers
)

// A timeline passes a snapshot to a sink.
type timeline struct {
	s        *trace.Snapshot
	from, to time.Duration
	sink     sink
	tasks    map[trace.ID]*appearance
	ids      []trace.ID // in the order in which they appear
	flows    uint64
	tracks   [][]int // of each lane, by row
	asleep   []change
}

// An appearance says where the first and the last body of a task is.
type appearance struct {
	first, last place
	end         time.Duration // of the last
	bodies      int
	launched    bool
	launch      place
	in          []uint64 // flows from prerequisites
	early, late []uint64 // to dependents, from the beginning and the end of the last body
	spawn       uint64   // the flow from its launch
	ready       []time.Duration
	begins      []time.Duration
}

// A place is a moment on a lane: the so-manieth Op of it.
type place struct {
	lane, op int
	at       time.Duration
}

type change struct {
	at time.Duration
	by int
}

func (t *timeline) play() {
	t.from, t.to = nest.Window(t.s)
	t.tasks = map[trace.ID]*appearance{}
	t.scan()
	t.connect()
	for lane := range t.s.Lanes {
		t.lane(lane)
	}
	t.counters()
}

func (t *timeline) task(id trace.ID) *appearance {
	a := t.tasks[id]
	if a == nil {
		a = &appearance{}
		t.tasks[id] = a
		t.ids = append(t.ids, id)
	}
	return a
}

// scan declares the tracks and finds where each task appears.
func (t *timeline) scan() {
	next := 0
	t.tracks = make([][]int, len(t.s.Lanes))
	for lane := range t.s.Lanes {
		l := &t.s.Lanes[lane]
		row := func(n int) {
			for len(t.tracks[lane]) <= n {
				name := l.Name
				if n > 0 {
					name = fmt.Sprintf("%s, %d", l.Name, len(t.tracks[lane])+1)
				}
				t.tracks[lane] = append(t.tracks[lane], next)
				t.sink.track(next, name)
				next++
			}
		}
		row(0)
		at := 0
		nest.Walk(l, t.from, t.to, func(op nest.Op) {
			row(op.Row)
			t.appear(place{lane, at, op.At}, op)
			at++
		})
	}
	t.sink.counter(readyTasks, "ready tasks")
	t.sink.counter(awakeWorkers, "awake workers")
}

func (t *timeline) appear(at place, op nest.Op) {
	switch {
	case op.What == nest.Open && op.Event.Kind == trace.Begin:
		a := t.task(op.Event.Task)
		if a.bodies == 0 || at.at < a.first.at {
			a.first = at
		}
		if a.bodies == 0 || at.at >= a.last.at {
			a.last, a.end = at, at.at
		}
		a.bodies++
		a.begins = append(a.begins, at.at)
	case op.What == nest.Close && op.Event.Kind == trace.End:
		a := t.task(op.Event.Task)
		a.end = max(a.end, op.At)
	case op.Event.Kind == trace.Launch && op.Event.Task != 0:
		a := t.task(op.Event.Task)
		a.launch, a.launched = at, true
	case op.Event.Kind == trace.Ready:
		a := t.task(op.Event.Task)
		a.ready = append(a.ready, at.at)
	}
	if op.What != nest.Point && t.isWorker(at.lane) {
		switch op.Event.Kind {
		case trace.Park:
			t.asleep = append(t.asleep, change{op.At, -1})
		case trace.ParkEnd:
			if !op.Cut {
				t.asleep = append(t.asleep, change{op.At, 1})
			}
		}
	}
}

func (t *timeline) isWorker(lane int) bool { return t.s.Lanes[lane].Kind == trace.LaneWorker }

// connect numbers the flows: from the last body of each prerequisite to the first of its dependent,
// and from the launch of a task to its first body. What would go back in time is left out.
func (t *timeline) connect() {
	for _, id := range t.ids {
		a := t.tasks[id]
		if a.bodies == 0 {
			continue
		}
		for _, before := range t.s.Tasks[id].After {
			if b := t.tasks[before]; b != nil && b.bodies > 0 && b.last.at <= a.first.at && b != a {
				t.flows++
				if b.end <= a.first.at {
					b.late = append(b.late, t.flows)
				} else {
					b.early = append(b.early, t.flows)
				}
				a.in = append(a.in, t.flows)
			}
		}
		if a.launched && a.launch.at <= a.first.at {
			t.flows++
			a.spawn = t.flows
			a.in = append(a.in, t.flows)
		}
	}
}

// lane passes one lane on.
func (t *timeline) lane(lane int) {
	var open [][]*slice
	at := 0
	nest.Walk(&t.s.Lanes[lane], t.from, t.to, func(op nest.Op) {
		for len(open) <= op.Row {
			open = append(open, nil)
		}
		track := t.tracks[lane][op.Row]
		here := place{lane, at, op.At}
		at++
		switch op.What {
		case nest.Open:
			s := t.slice(op.Event, here)
			open[op.Row] = append(open[op.Row], s)
			t.sink.begin(track, op.At, s)
		case nest.Close:
			n := len(open[op.Row]) - 1
			s := open[op.Row][n]
			open[op.Row] = open[op.Row][:n]
			if op.Event.Kind == trace.RangeEnd && !op.Cut {
				s.after = []arg{{name: "elements", value: op.Event.Arg}}
			}
			t.sink.end(track, op.At, s)
		case nest.Point:
			if s := t.moment(op.Event, here); s != nil {
				t.sink.instant(track, op.At, s)
			}
		}
	})
}

// name returns what a task is called in a viewer.
func (t *timeline) name(id trace.ID) string { return taskName(id, t.s.Tasks[id].Name) }

func taskName(id trace.ID, name string) string {
	if name == "" {
		return fmt.Sprintf("task %d", id)
	}
	return name
}

func (t *timeline) slice(e trace.Event, here place) *slice {
	switch e.Kind {
	case trace.Begin:
		s := &slice{name: t.name(e.Task), category: catTask,
			args: []arg{{name: "task", value: uint64(e.Task)}}}
		info := t.s.Tasks[e.Task]
		if info.Graph != "" {
			s.args = append(s.args, arg{name: "graph", text: info.Graph},
				arg{name: "run", value: uint64(info.Run)})
		}
		if info.Priority != "" {
			s.args = append(s.args, arg{name: "priority", text: info.Priority})
		}
		if e.Arg > 0 {
			s.args = append(s.args, arg{name: "round", value: e.Arg})
		}
		a := t.tasks[e.Task]
		if a.first == here {
			s.in = a.in
		}
		if a.last == here {
			s.early, s.late = a.early, a.late
		}
		return s
	case trace.Wait:
		s := &slice{name: "wait", category: catWait}
		if e.Other != 0 && e.Other != e.Task {
			s.name = "wait for " + t.name(e.Other)
		}
		return s
	case trace.Range:
		return &slice{name: "range of " + t.name(e.Task), category: catRange,
			args: []arg{{name: "first", value: e.Arg}}}
	case trace.Blocked:
		return &slice{name: "blocking", category: catWait}
	}
	return &slice{name: "asleep", category: catIdle}
}

// moment returns what is shown of an event without a length, or nil.
func (t *timeline) moment(e trace.Event, here place) *slice {
	switch e.Kind {
	case trace.Launch:
		s := &slice{name: "launch " + t.name(e.Task), category: catLaunch}
		if a := t.tasks[e.Task]; a != nil && a.spawn != 0 && a.launch == here {
			s.early = []uint64{a.spawn}
		}
		return s
	case trace.Done:
		if e.Arg == 1 {
			return &slice{name: "failed: " + t.name(e.Task), category: catTask}
		}
	case trace.Steal:
		return &slice{name: "steal " + t.name(e.Task) + t.laneName(" from ", e.Arg),
			category: catSched}
	case trace.Wake:
		return &slice{name: "woken", category: catSched}
	case trace.Mark:
		name := t.s.Tasks[e.Other].Name
		if name == "" {
			name = "mark"
		}
		return &slice{name: name, category: catMark, args: []arg{{name: "value", value: e.Arg}}}
	}
	return nil
}

func (t *timeline) laneName(before string, lane uint64) string {
	if lane >= uint64(len(t.s.Lanes)) {
		return ""
	}
	return before + t.s.Lanes[lane].Name
}

// counters passes on how many tasks were ready and not begun, and how many workers were awake.
func (t *timeline) counters() {
	var ready []change
	for _, id := range t.ids {
		a := t.tasks[id]
		slices.Sort(a.ready)
		slices.Sort(a.begins)
		for i := range min(len(a.ready), len(a.begins)) {
			if a.ready[i] < a.begins[i] {
				ready = append(ready, change{a.ready[i], 1}, change{a.begins[i], -1})
			}
		}
	}
	workers := 0
	for lane := range t.s.Lanes {
		if t.isWorker(lane) {
			workers++
		}
	}
	t.count(readyTasks, 0, ready)
	t.count(awakeWorkers, workers, t.asleep)
}

func (t *timeline) count(counter, n int, changes []change) {
	slices.SortStableFunc(changes, func(a, b change) int { return cmp.Compare(a.at, b.at) })
	last := t.from
	for _, c := range changes {
		if c.at > last {
			t.sink.value(counter, last, n)
			last = c.at
		}
		n += c.by
	}
	t.sink.value(counter, last, n)
}
