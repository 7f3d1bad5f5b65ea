package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/taskgraph"
	"github.com/heddle-go/heddle/taskgraph/trace"
)

// priorities are those of the ranks. Every worker must run them all.
var priorities = [len(shares) + 1]taskgraph.Priority{
	taskgraph.PriorityHigh, taskgraph.PriorityNormal, taskgraph.PriorityBackgroundHigh,
	taskgraph.PriorityBackgroundNormal, taskgraph.PriorityBackgroundLow,
}

// runGraph checks the packages as a task graph: a task a package, the events of its
// imports as prerequisites. Of the packages that could start, those go first that a long
// chain of importers waits for. The recorder, if not nil, records it.
func runGraph(p *pass, workers int, ranks []int, rec *trace.Recorder) error {
	ctx := context.Background()
	sys := taskgraph.Start(taskgraph.Options{Workers: workers, Foreground: -1, Trace: rec})

	events := make([]taskgraph.Event, len(p.g.pkgs))
	var imports []taskgraph.Event
	for i := range p.g.pkgs {
		pk := &p.g.pkgs[i]
		imports = imports[:0]
		for _, imp := range pk.imports {
			imports = append(imports, events[imp])
		}
		check := taskgraph.Try(func() error { return p.check(i) })
		events[i] = sys.Task(check).Name(pk.path).Priority(priorities[ranks[i]]).After(imports...).
			Launch()
	}
	_ = sys.WaitUntilTasksComplete(ctx, events...) // the first failure; all are looked at below

	var wrong error
	for i, e := range events {
		var f *failure
		switch err := e.Err(); {
		case err == nil:
		case !errors.As(err, &f):
			wrong = fmt.Errorf("%s: %w", p.g.pkgs[i].path, err) // a panic, say
		case errors.Is(err, graphevent.ErrSkipped):
			p.results[i].cause = f
		}
	}
	if err := sys.Shutdown(ctx); wrong == nil {
		wrong = err
	}
	return wrong
}
