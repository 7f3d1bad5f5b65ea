package mix

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/namedthread"
	"github.com/heddle-go/heddle/taskgraph"
	"github.com/heddle-go/heddle/taskgraph/future"
)

func (x *Run) event(r mixRef) taskgraph.Event {
	if r.which == 0 {
		return x.nodes[r.node].ev
	}
	return x.nodes[r.node].cases[r.which-1]
}

func (x *Run) events(refs []mixRef) []taskgraph.Event {
	var events []taskgraph.Event
	for _, r := range refs {
		events = append(events, x.event(r))
	}
	return events
}

// accepted counts a task launched from outside, unless it was refused.
func (x *Run) accepted(i int, e taskgraph.Event, refused bool) {
	st := &x.nodes[i]
	st.refused = refused
	if !refused {
		x.launched++
		for j := range i {
			if x.nodes[j].refused && x.p.maxTasks == 0 {
				x.fail("node %d is refused and the later %d is not", j, i)
			}
		}
		return
	}
	switch err := e.Err(); {
	case errors.Is(err, graphevent.ErrClosed) && x.p.shutdown >= 0:
	case errors.Is(err, graphevent.ErrFull) && x.p.maxTasks > 0 && x.p.full == taskgraph.FullError:
	default:
		x.fail("node %d is refused: %v", i, err)
	}
}

func (x *Run) build(i int) {
	s, n, st := x.s, &x.p.nodes[i], &x.nodes[i]
	pre := x.events(n.pre)
	switch n.kind {
	case "manual":
		t := s.Task(taskgraph.Do(func() { x.trigger(i, 2) })).Always().After(pre...)
		if !t.Event().IsComplete() {
			x.launched++
		}
		st.backup = t.Event()
		st.launch = t.Launch
	case "delay":
		st.ev = s.AfterDelay(time.Duration(n.micro) * time.Microsecond)
	case "every":
		st.ev = s.Every(context.Background(), time.Duration(n.micro)*time.Microsecond,
			taskgraph.Try(func() error {
				if st.runs++; st.runs < n.rounds {
					return nil
				}
				return st.sentry
			}))
		err := st.ev.Err()
		x.accepted(i, st.ev, err != nil && !errors.Is(err, st.sentry))
	case "all":
		st.ev = s.All(pre...)
	case "any":
		st.ev = s.Any(pre...)
	case "when":
		st.ev = s.NewEvent()
		s.TriggerEventWhenTasksComplete(st.ev, pre...)
	case "graph":
		st.graphRuns = make([]int, len(n.graph))
		st.ev = s.LaunchGraph(x.graph(n.graph, n.bad, st.graphRuns, st.sentry, nil), pre...)
		err := st.ev.Err()
		x.accepted(i, st.ev, err != nil && !errors.Is(err, graphevent.ErrSkipped) &&
			!errors.Is(err, st.sentry))
	default:
		x.buildTask(i, pre)
	}
}

func (x *Run) buildTask(i int, pre []taskgraph.Event) {
	n, st := &x.p.nodes[i], &x.nodes[i]
	var t taskgraph.Task
	switch n.call {
	case "do":
		t = x.s.Task(taskgraph.Do(func() { _ = x.body(nil, i) }))
	case "try":
		t = x.s.Task(taskgraph.Try(func() error { return x.body(nil, i) }))
	case "run":
		t = x.s.Task(taskgraph.Run(func(c *taskgraph.Context) error { return x.body(c, i) }))
	case "job":
		t = x.s.Task(taskgraph.RunJob(&mixJob{x, i}))
	case "async":
		t, _ = future.Task(x.s, func(c *taskgraph.Context) (int, error) { return i, x.body(c, i) })
	}
	x.accepted(i, t.Event(), t.Event().IsComplete())
	if n.prio != 0 {
		t = t.Priority(n.prio)
	}
	if n.name {
		t = t.Name(fmt.Sprint("node ", i))
	}
	if n.always {
		t = t.Always()
	}
	if n.near > 0 {
		t = t.Near(n.near - 1)
	}
	if n.inline {
		t = t.Inline()
	}
	switch {
	case n.where < 0:
		t = t.OnOwnThread()
	case n.where > 0 && len(x.threads) >= n.where:
		t = t.On(x.threads[n.where-1])
	}
	if n.ctx > 0 {
		t = t.Context(x.ctxs[n.ctx-1])
	}
	for _, g := range n.gates {
		switch x.p.gates[g].kind {
		case "pipe":
			t = t.In(x.pipes[g])
		case "limiter":
			t = t.Limit(x.limits[g])
		case "semaphore":
			t = t.Acquire(x.sems[g])
		}
	}
	if n.cases > 0 {
		st.cases = t.Cases(n.cases)
	}
	st.ev = t.Event()
	st.launch = t.After(pre...).Launch
}

type mixJob struct {
	x *Run
	i int
}

func (j *mixJob) Run(c *taskgraph.Context) error { return j.x.body(c, j.i) }

// graph makes a graph that counts its runs, each task after its predecessors, and some of them on
// th if that is not nil.
func (x *Run) graph(tasks [][]int, bad int, runs []int, err error,
	th *namedthread.Thread) *taskgraph.Graph {
	var b taskgraph.GraphBuilder
	made := make([]taskgraph.GraphTask, len(tasks))
	for k, preds := range tasks {
		made[k] = b.Task(taskgraph.Try(func() error {
			for _, j := range preds {
				if runs[j] != 1 {
					x.fail("a task of a graph before its predecessor")
				}
			}
			runs[k]++
			if k == bad {
				return err
			}
			return nil
		}))
		for _, j := range preds {
			made[k].After(made[j])
		}
		if th != nil && k%3 != 1 {
			made[k].On(th)
		}
	}
	g, gerr := b.Build()
	if gerr != nil {
		x.fail("graph: %v", gerr)
	}
	return g
}
