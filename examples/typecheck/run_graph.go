package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/taskgraph"
)

// runGraph checks the packages as a task graph: a task a package, the events of its
// imports as prerequisites. Urgent packages go before others that could start as well.
func runGraph(p *pass, workers int, urgent []bool) error {
	ctx := context.Background()
	sys := taskgraph.Start(taskgraph.Options{Workers: workers})

	events := make([]taskgraph.Event, len(p.g.pkgs))
	var imports []taskgraph.Event
	for i := range p.g.pkgs {
		pk := &p.g.pkgs[i]
		imports = imports[:0]
		for _, imp := range pk.imports {
			imports = append(imports, events[imp])
		}
		priority := taskgraph.PriorityNormal
		if urgent[i] {
			priority = taskgraph.PriorityHigh
		}
		check := taskgraph.Try(func() error { return p.check(i) })
		events[i] = sys.Task(check).Name(pk.path).Priority(priority).After(imports...).Launch()
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
