package taskgraph

import "github.com/heddle-go/heddle/taskgraph/internal/stuck"

// A StuckReport says what is incomplete in a system, and why: see [System.Stuck]. Names are those
// of [Task.Name] and [System.Name], or else a number and the function of the body. With
// Options.Sites it also says where each was made, and which goroutine waits.
type StuckReport struct {
	// Idle says that nothing ran or was queued while the report was made: then it is exact. Else
	// everything in it was so at some moment, and tasks that came or went may be missing.
	Idle bool

	// Tasks is what is incomplete, events that are no tasks and goroutines that wait included. The
	// first Stuck of them wait for what nothing under way (a body, a queued task, a delay) brings
	// about: first the causes, then cycles, then what waits for those, the nearest first.
	Tasks []StuckTask
	Stuck int
	More  int // how many there are besides those of Tasks

	// Cycles holds the names along cycles, one of each knot, each name waiting for the next and the
	// last for the first.
	Cycles [][]string

	slow bool // it is about bodies that run for too long
}

func newStuckReport(f *stuck.Report) *StuckReport {
	r := &StuckReport{Idle: f.Idle, Stuck: f.Stuck, More: f.More, Cycles: f.Cycles, slow: f.Slow}
	for i := range f.Tasks {
		t := &f.Tasks[i]
		r.Tasks = append(r.Tasks, StuckTask{Name: t.Name, State: t.State, Site: t.Site,
			WaitsFor: t.WaitsFor, Why: t.Why, Age: t.Age, Stack: t.Stack, links: t.Links})
	}
	return r
}

func (r *StuckReport) found() *stuck.Report {
	f := &stuck.Report{Idle: r.Idle, Stuck: r.Stuck, More: r.More, Cycles: r.Cycles, Slow: r.slow}
	for i := range r.Tasks {
		t := &r.Tasks[i]
		f.Tasks = append(f.Tasks, stuck.Task{Name: t.Name, State: t.State, Site: t.Site,
			WaitsFor: t.WaitsFor, Why: t.Why, Age: t.Age, Stack: t.Stack, Links: t.links})
	}
	return f
}

// String returns the summary, the first tasks, the cycles and the stacks as lines.
func (r *StuckReport) String() string { return r.found().String() }

// DOT returns the first tasks of the report as a graph in the language of Graphviz: an arrow leads
// from what waits to what it waits for; causes are filled, cycles red, what is not stuck is grey.
func (r *StuckReport) DOT() string { return r.found().DOT() }
