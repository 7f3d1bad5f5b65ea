package debug

import (
	"cmp"
	"fmt"
	"html/template"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/heddle-go/heddle/taskgraph"
	"github.com/heddle-go/heddle/taskgraph/trace"
	"github.com/heddle-go/heddle/taskgraph/trace/profile"
)

// A view is what the page shows.
type view struct {
	Name      string
	At        time.Time
	Stats     taskgraph.Stats
	Workers   int
	Counters  []counter
	Queues    []queue
	Stuck     *taskgraph.StuckReport
	Tasks     []taskgraph.StuckTask // the first of Stuck.Tasks
	Hidden    int                   // how many more there are
	Failures  []Failure
	Failed    uint64
	HasTrace  bool
	Recording bool
	Window    time.Duration // of what the recorder has all
	Lost      uint64
	Lanes     []lane
	Delays    []delay
	Runs      []run
	Run       *run // that the lanes are of, or nil: the end of the window
	Bodies    int  // of the run or the window
	Boxes     int  // of them in the picture
	Picture   template.HTML

	PictureTime time.Duration // of the picture
	Names       []profile.NameUse

	Work, Span time.Duration
}

type counter struct {
	ID, What string
	N        uint64
}

type queue struct {
	Priority taskgraph.Priority
	N        int
}

// A lane is what a worker or thread does.
type lane struct {
	Name  string
	Runs  string        // the name of the body, or ""
	Since time.Duration // that this has lasted
	State string        // "runs", "waits", "sleeps" or "looks for work"
	Done  int           // bodies begun in the window
	Busy  float64       // share of the window
}

// A delay is how long tasks of one priority waited for a worker.
type delay struct {
	Priority string
	N        uint64
	Shown    []time.Duration // at the quantiles
	Bars     []bar
	Most     uint64 // of a bar
}

// quantiles are those that Shown has, but for the last, which is the maximum.
var quantiles = []float64{0.5, 0.9, 0.99, 0.999, 1}

// A run is one run of a graph.
type run struct {
	ID    trace.ID
	Graph string
	From  time.Duration
	Took  time.Duration
	Tasks int
	Ended bool
	to    time.Duration // the last that is known of it
}

const (
	shownTasks = 200 // incomplete tasks
	shownRuns  = 20  // runs of graphs
	shownBoxes = 400 // bodies in the lanes of the window
	shownNames = 20  // of tasks, those that are on the critical path for the longest
)

// view looks at everything. With the text of a run's number, it shows the lanes of that run.
func (h *Handler) view(runID string) (*view, error) {
	v := &view{Name: h.Name, At: time.Now(), Stats: h.System.Stats(), HasTrace: h.Trace != nil}
	v.Workers = len(v.Stats.Ran)
	v.Counters = []counter{
		{"completed", "tasks completed", v.Stats.Completed},
		{"launched", "tasks launched in bodies", v.Stats.Launched},
		{"steals", "tasks taken from another worker", v.Stats.Steals},
		{"kernelwakes", "workers woken by the kernel", v.Stats.KernelWakes},
		{"drowsewakes", "workers woken from drowsing", v.Stats.DrowseWakes},
		{"sleeps", "times that a worker went to sleep", v.Stats.Sleeps},
		{"parks", "waits that gave a worker away", v.Stats.Parks},
		{"replacements", "replacements of waiting bodies", v.Stats.Replacements},
	}
	for _, p := range []taskgraph.Priority{taskgraph.PriorityHigh, taskgraph.PriorityNormal,
		taskgraph.PriorityBackgroundHigh, taskgraph.PriorityBackgroundNormal,
		taskgraph.PriorityBackgroundLow} {
		v.Queues = append(v.Queues, queue{p, v.Stats.Queued[p]})
	}
	v.Stuck = h.System.Stuck()
	v.Tasks = v.Stuck.Tasks[:min(len(v.Stuck.Tasks), shownTasks)]
	v.Hidden = len(v.Stuck.Tasks) - len(v.Tasks) + v.Stuck.More
	v.Failures, v.Failed = h.Failures.Last()
	if h.Trace == nil {
		if runID != "" {
			return nil, fmt.Errorf("run %q: the system has no recorder", runID)
		}
		return v, nil
	}
	v.Recording = h.Trace.Recording()
	return v, v.addTrace(h.Trace.Snapshot(), runID)
}

func (v *view) addTrace(s *trace.Snapshot, runID string) error {
	v.Window = max(s.To-s.From, 0)
	ready := make(map[trace.ID]time.Duration)
	for _, l := range s.Lanes {
		v.Lost += l.Lost
		for _, e := range l.Events {
			if e.Kind == trace.Ready {
				ready[e.Task] = e.At
			}
		}
	}
	delays := make(map[string]*histogram)
	for _, l := range s.Lanes {
		for _, e := range l.Events {
			at, ok := ready[e.Task]
			if e.Kind != trace.Begin || e.Arg != 0 || !ok || e.At < at {
				continue
			}
			h := delays[s.Tasks[e.Task].Priority]
			if h == nil {
				h = new(histogram)
				delays[s.Tasks[e.Task].Priority] = h
			}
			h.add(e.At - at)
		}
	}
	for p, h := range delays {
		v.Delays = append(v.Delays, delayOf(p, h))
	}
	slices.SortFunc(v.Delays, func(a, b delay) int { return cmp.Compare(a.Priority, b.Priority) })
	return v.addProfile(s, runID)
}

// addProfile adds what the lanes did in the run, or in the window if runID is "".
func (v *view) addProfile(s *trace.Snapshot, runID string) error {
	var of profile.Options
	runs := runsOf(s)
	v.Runs = runs[:min(len(runs), shownRuns)]
	if runID != "" {
		id, err := strconv.ParseUint(runID, 10, 64)
		if err != nil {
			return fmt.Errorf("run %q is no number", runID)
		}
		for i := range runs {
			if runs[i].ID == trace.ID(id) {
				v.Run = &runs[i]
			}
		}
		if v.Run == nil {
			return fmt.Errorf("run %d is not recorded, or was overwritten", id)
		}
		of.Run = v.Run.ID
	}
	r := profile.Of(s, of)
	for _, i := range laneOrder(s) {
		x, u := stateOf(&s.Lanes[i], s), r.Lanes[i]
		x.Name, x.Done, x.Busy = u.Name, u.Bodies, u.Utilization()
		v.Lanes = append(v.Lanes, x)
	}
	v.Work, v.Span = r.Work, r.Span
	v.Names = slices.Clone(r.Names)
	slices.SortStableFunc(v.Names, func(a, b profile.NameUse) int {
		return cmp.Or(cmp.Compare(b.OnPath, a.OnPath), cmp.Compare(b.Total, a.Total))
	})
	v.Names = v.Names[:min(len(v.Names), shownNames)]
	v.draw(s, r)
	return nil
}

func delayOf(priority string, h *histogram) delay {
	d := delay{Priority: priority, N: h.n, Bars: h.octaves()}
	for _, p := range quantiles {
		d.Shown = append(d.Shown, h.quantile(p))
	}
	for _, b := range d.Bars {
		d.Most = max(d.Most, b.N)
	}
	return d
}

// laneOrder returns the numbers of the lanes in the order in which they are shown.
func laneOrder(s *trace.Snapshot) []int {
	order := make([]int, len(s.Lanes))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		x, y := &s.Lanes[a], &s.Lanes[b]
		return cmp.Or(cmp.Compare(x.Kind, y.Kind), cmp.Compare(len(x.Name), len(y.Name)),
			cmp.Compare(x.Name, y.Name)) // worker 10 comes after worker 9
	})
	return order
}

// stateOf says what a lane does at the end of the window.
func stateOf(l *trace.Lane, s *trace.Snapshot) (x lane) {
	x.State, x.Since = "has nothing to do", 0
	var open []trace.Event
	for _, e := range l.Events {
		switch e.Kind {
		case trace.Begin, trace.Wait, trace.Range, trace.Park, trace.Blocked:
			open = append(open, e)
		case trace.End, trace.WaitEnd, trace.RangeEnd, trace.ParkEnd, trace.BlockedEnd:
			for n := len(open) - 1; n >= 0; n-- {
				if open[n].Kind == e.Kind-1 && open[n].Task == e.Task {
					open = open[:n]
					break
				}
			}
		}
	}
	if len(open) == 0 {
		return x
	}
	last := open[len(open)-1]
	x.State, x.Runs = states[last.Kind], s.Tasks[last.Task].Name
	x.Since = max(s.To-last.At, 0)
	return x
}

var states = map[trace.Kind]string{
	trace.Begin: "runs", trace.Wait: "waits in", trace.Range: "runs a range of",
	trace.Park: "sleeps", trace.Blocked: "blocks in",
}

// runsOf returns the runs of graphs, the newest first.
func runsOf(s *trace.Snapshot) (list []run) {
	runs := make(map[trace.ID]*run)
	for id, t := range s.Tasks {
		if t.Run == 0 {
			continue
		}
		r := runs[t.Run]
		if r == nil {
			r = &run{ID: t.Run, Graph: t.Graph, From: math.MaxInt64}
			runs[t.Run] = r
		}
		if id != t.Run {
			r.Tasks++
		}
	}
	for _, l := range s.Lanes {
		for _, e := range l.Events {
			if r := runs[s.Tasks[e.Task].Run]; r != nil {
				r.From, r.to = min(r.From, e.At), max(r.to, e.At)
				r.Ended = r.Ended || e.Kind == trace.Done && e.Task == r.ID
			}
		}
	}
	for _, r := range runs {
		if r.From != math.MaxInt64 {
			r.Took = r.to - r.From
			list = append(list, *r)
		}
	}
	slices.SortFunc(list, func(a, b run) int {
		return cmp.Or(cmp.Compare(b.From, a.From), cmp.Compare(b.ID, a.ID))
	})
	return list
}

// took writes a duration with three digits.
func took(d time.Duration) string {
	digit := time.Duration(1)
	for d/digit >= 1000 {
		digit *= 10
	}
	return d.Round(digit).String()
}

// The bars of a histogram are 10 wide with 2 between them, and at most 40 high.
func width(bars []bar) int { return 12 * len(bars) }

func place(i int) int { return 12 * i }

func height(n, most uint64) string { return fmt.Sprintf("%.1f", 40*float64(n)/float64(most)) }

func rest(n, most uint64) string { return fmt.Sprintf("%.1f", 42-40*float64(n)/float64(most)) }

func ratio(a, b time.Duration) float64 { return float64(a) / float64(max(b, 1)) }

func percent(share float64) string { return fmt.Sprintf("%.0f %%", 100*share) }

func ago(t, now time.Time) string { return took(now.Sub(t).Round(time.Millisecond)) + " ago" }
