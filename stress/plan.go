package stress

import (
	"fmt"
	"strings"

	"pgregory.net/rapid"

	"github.com/heddle-go/heddle/taskgraph"
)

// A Plan is a [DAG] of tasks with names and priorities: what a test draws, launches with
// [Plan.Launch], and prints if it fails.
type Plan []PlannedTask

// A PlannedTask is a node of a [Plan].
type PlannedTask struct {
	// Name is the name of the task. Those of drawn plans are short, and differ.
	Name string
	// After lists the numbers of its prerequisites, all smaller than its own.
	After []int
	// Priority is the priority of the task.
	Priority taskgraph.Priority
}

// Plans generates plans of at most maxNodes tasks, which must be at least 1, over graphs of
// every [Shape]. They shrink to fewer tasks, and priorities to PriorityNormal; those of
// [ShapeFree] shrink to fewer edges as well.
func Plans(maxNodes int) *rapid.Generator[Plan] {
	return rapid.Custom(func(t *rapid.T) Plan {
		d := DrawDAG(t, maxNodes)
		p := make(Plan, len(d))
		for i, after := range d {
			p[i] = PlannedTask{planName(i), after,
				rapid.SampledFrom(planPriorities).Draw(t, "priority")}
		}
		return p
	})
}

// planPriorities begins with what priorities shrink to.
var planPriorities = []taskgraph.Priority{
	taskgraph.PriorityNormal, taskgraph.PriorityHigh,
	taskgraph.PriorityBackgroundNormal, taskgraph.PriorityBackgroundHigh,
	taskgraph.PriorityBackgroundLow,
}

// planName is a, b, …, z, a1, b1, …
func planName(i int) string {
	name := string(rune('a' + i%26))
	if i >= 26 {
		name += fmt.Sprint(i / 26)
	}
	return name
}

// DAG returns the graph of the plan. It shares memory with the plan.
func (p Plan) DAG() DAG {
	d := make(DAG, len(p))
	for i := range p {
		d[i] = p[i].After
	}
	return d
}

// String returns a line for each task: its name, its prerequisites, and its priority unless
// that is PriorityNormal.
func (p Plan) String() string {
	var b strings.Builder
	for _, n := range p {
		b.WriteString(n.Name)
		for k, i := range n.After {
			if k == 0 {
				b.WriteString(" after")
			}
			b.WriteByte(' ')
			b.WriteString(p[i].Name)
		}
		if n.Priority != taskgraph.PriorityNormal {
			fmt.Fprintf(&b, " (%v)", n.Priority)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// Launch launches the tasks of the plan in their order, and returns their events. build is the
// method Task of a System or a Context. The body of task i calls body with i, between the
// Begin and the End of w; body may be nil. When all have completed, w.Err says whether each has
// run once, after its prerequisites. w is from [NewWitness] with the graph of the plan, and
// has been told which tasks will be skipped, if bodies fail.
func (p Plan) Launch(w *Witness, build func(taskgraph.Body) taskgraph.Task,
	body func(c *taskgraph.Context, i int) error) []taskgraph.Event {
	events := make([]taskgraph.Event, len(p))
	for i, n := range p {
		task := build(taskgraph.Run(func(c *taskgraph.Context) error {
			w.Begin(i, c)
			defer w.End(i)
			if body == nil {
				return nil
			}
			return body(c, i)
		})).Name(n.Name).Priority(n.Priority)
		for _, q := range n.After {
			task = task.After(events[q])
		}
		w.Launch(i)
		events[i] = task.Launch()
	}
	return events
}
