package profile

import (
	"cmp"
	"slices"
	"time"

	"github.com/heddle-go/heddle/taskgraph/trace"
)

// Options say what a report is about.
type Options struct {
	// Run is the run of a graph that the report is about, with what its tasks launch. The default,
	// 0, is all that happened in the window.
	Run trace.ID

	// Processors, if not 0, is how many processors the program had. While more bodies ran than
	// that, each is taken to have had an equal share of them, and only that counts as its time in
	// the work, the span and the times of tasks. By default all of it does.
	Processors int
}

// Of profiles a snapshot, which it does not change. It takes time in O(n log n) and memory in O(n)
// for n events. A snapshot of which records were lost, or whose beginnings and ends are not in the
// window, is profiled as far as it goes; Report.Missing says what there was of that.
func Of(s *trace.Snapshot, o Options) *Report {
	b := newBuilder(s, o)
	b.link()
	r := &Report{Run: o.Run, From: b.from, To: b.to, Active: b.active, Phases: b.phases,
		index: map[trace.ID]int32{}}
	r.dag = newDag(b.nodes, b.edges)
	for _, l := range s.Lanes {
		r.Missing.Lost += l.Lost
		if l.Kind == trace.LaneWorker {
			r.Workers++
		}
	}
	r.Stalled = max(0, b.share.quiet-(r.To-r.From-r.Active))
	r.Missing.Cut, r.Missing.Circles = b.cuts, r.dag.ignored
	for i := range r.dag.nodes {
		switch n := &r.dag.nodes[i]; {
		case n.blocked:
			r.Blocked += n.dur
		case n.strand:
			r.Work += n.dur
		}
	}
	b.pin(r)
	b.rank(r)
	b.measure(r)
	b.fillTasks(r)
	b.fillNames(r)
	r.Lanes, r.Idle = b.uses()
	b.fillDelays(r)
	return r
}

// pin finds the tasks for a thread: all of their name that began did so on its lane.
func (b *builder) pin(r *Report) {
	const unseen = -2
	lanes := make([]int32, len(b.names))
	for i := range lanes {
		lanes[i] = unseen
	}
	for i := range b.bodies {
		body := &b.bodies[i]
		at := &lanes[b.tasks[body.task].name]
		switch {
		case b.s.Lanes[body.lane].Kind != trace.LaneThread || *at != unseen && *at != body.lane:
			*at = none
		default:
			*at = body.lane
		}
	}
	r.pinned = make([]int32, len(b.tasks))
	for i := range b.tasks {
		r.pinned[i] = max(lanes[b.tasks[i].name], none)
	}
}

// levels are the priorities, the highest first, as their String writes them.
var levels = []string{"high", "normal", "background-high", "background-normal", "background-low"}

// rank notes the priority of each task. One that is unknown counts as the usual one.
func (b *builder) rank(r *Report) {
	r.levels = make([]uint8, len(b.tasks))
	for i := range b.tasks {
		level := slices.Index(levels, b.tasks[i].info.Priority)
		if level < 0 {
			level = 1
		}
		r.levels[i] = uint8(level)
	}
}

// measure finds the span, the critical path, and the slack of each task.
func (b *builder) measure(r *Report) {
	heads, span := r.dag.heads(func(n int32) time.Duration { return r.dag.nodes[n].dur })
	tails := r.dag.tails()
	r.Span = span
	r.Tasks = make([]TaskUse, len(b.tasks))
	for i := range r.Tasks {
		r.Tasks[i].Slack = never
	}
	for i := range r.dag.nodes {
		n := &r.dag.nodes[i]
		if n.task == none || !n.strand && len(b.tasks[n.task].bodies) > 0 {
			continue
		}
		t := &r.Tasks[n.task]
		t.Slack = min(t.Slack, span-heads[i]-tails[i])
	}
	for _, n := range r.dag.critical(tails) {
		node := &r.dag.nodes[n]
		if node.dur == 0 || node.task == none {
			continue
		}
		t := &b.tasks[node.task]
		last := len(r.Path) - 1
		if last < 0 || r.Path[last].Task != t.id {
			r.Path = append(r.Path, Step{Task: t.id, Name: t.info.Name, Graph: t.info.Graph,
				Begin: node.at})
			last++
		}
		r.Path[last].Time += node.dur
		r.Path[last].Share = ratio(r.Path[last].Time, span)
	}
}

func (b *builder) fillTasks(r *Report) {
	for i := range b.tasks {
		t := &b.tasks[i]
		r.index[t.id] = int32(i)
		u := &r.Tasks[i]
		slack := u.Slack
		*u = TaskUse{ID: t.id, Name: t.info.Name, Graph: t.info.Graph, Priority: t.info.Priority,
			Launched: t.launched, Ready: t.ready, Began: Unknown, Ended: Unknown, Done: t.done,
			Lane: none, Bodies: len(t.bodies), Failed: t.failed, Slack: slack,
			Critical: slack == 0}
		for n, body := range t.bodies {
			if n == 0 {
				u.Began, u.Lane = b.bodies[body].begin, int(b.bodies[body].lane)
			}
			u.Ended = b.bodies[body].end
			u.Time += b.bodies[body].time
			b.lanes[b.bodies[body].lane].bodies++
		}
	}
	if b.run == 0 {
		return
	}
	kept := r.Tasks[:0]
	clear(r.index)
	for i, u := range r.Tasks {
		if b.tasks[i].wanted {
			r.index[u.ID] = int32(len(kept))
			kept = append(kept, u)
		}
	}
	r.Tasks = kept
}

// mostGains is for how many names of the critical path it is found out what they could gain.
const mostGains = 32

func (b *builder) fillNames(r *Report) {
	names := make([]NameUse, len(b.names))
	for key, i := range b.names {
		names[i] = NameUse{Name: key.name, Graph: key.graph, Slack: never}
	}
	times := make([][]time.Duration, len(names))
	for i := range b.bodies {
		name := b.tasks[b.bodies[i].task].name
		times[name] = append(times[name], b.bodies[i].time)
		names[name].Total += b.bodies[i].time
	}
	for i := range b.tasks {
		if u, ok := r.Task(b.tasks[i].id); ok {
			n := &names[b.tasks[i].name]
			n.Slack = min(n.Slack, u.Slack)
		}
	}
	for _, s := range r.Path {
		names[b.names[nameKey{s.Name, s.Graph}]].OnPath += s.Time
	}
	b.fillGains(r, names)
	for i := range names {
		n := &names[i]
		n.Share = ratio(n.Total, r.Work)
		n.Count = len(times[i])
		n.P50, n.P99, n.Max = percentiles(times[i])
		if n.Count > 0 {
			r.Names = append(r.Names, *n)
		}
	}
	slices.SortFunc(r.Names, func(x, y NameUse) int {
		return cmp.Or(cmp.Compare(y.Total, x.Total), cmp.Compare(x.Graph, y.Graph),
			cmp.Compare(x.Name, y.Name))
	})
}

// fillGains finds the span anew for each name of the path, as if its tasks took no time. Other
// names gain nothing: the path stays as it is.
func (b *builder) fillGains(r *Report, names []NameUse) {
	var onPath []int32
	for i := range names {
		if names[i].OnPath > 0 {
			onPath = append(onPath, int32(i))
		}
	}
	slices.SortFunc(onPath, func(x, y int32) int {
		return cmp.Or(cmp.Compare(names[y].OnPath, names[x].OnPath), cmp.Compare(x, y))
	})
	for i, name := range onPath {
		if i >= mostGains {
			names[name].Gain = Unknown
			continue
		}
		_, span := r.dag.heads(func(n int32) time.Duration {
			node := &r.dag.nodes[n]
			if node.task != none && b.tasks[node.task].name == name {
				return 0
			}
			return node.dur
		})
		names[name].Gain = r.Span - span
	}
}
