package main

import (
	"strconv"

	gotaskflow "github.com/noneback/go-taskflow"
)

// taskflowGraph is go-taskflow, whose names of tasks must differ: they are made beforehand.
type taskflowGraph struct {
	executor gotaskflow.Executor
	flow     *gotaskflow.TaskFlow
	tasks    []*gotaskflow.Task
	names    []string
}

func newTaskflowGraph(workers int) (grapher, error) {
	return &taskflowGraph{executor: gotaskflow.NewExecutor(uint(workers))}, nil
}

func (t *taskflowGraph) build(g *shape, body func(i int) func()) error {
	for len(t.names) < g.len() {
		t.names = append(t.names, strconv.Itoa(len(t.names)))
	}
	t.flow = gotaskflow.NewTaskFlow(g.name)
	t.tasks = t.tasks[:0]
	for i, preds := range g.preds {
		task := t.flow.NewTask(t.names[i], body(i))
		for _, p := range preds {
			t.tasks[p].Precede(task)
		}
		t.tasks = append(t.tasks, task)
	}
	return nil
}

func (t *taskflowGraph) run() error {
	t.executor.Run(t.flow).Wait()
	return nil
}

func (t *taskflowGraph) close() error { return nil }
