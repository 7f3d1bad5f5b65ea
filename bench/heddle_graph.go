package main

import (
	"context"

	"github.com/heddle-go/heddle/taskgraph"
)

// A heddleSystem is what the rows of Heddle have in common.
type heddleSystem struct{ sys *taskgraph.System }

func startHeddle(workers int) heddleSystem {
	return heddleSystem{taskgraph.Start(taskgraph.Options{Workers: workers})}
}

func (h heddleSystem) close() error { return h.sys.Shutdown(context.Background()) }

// inside runs f as a task and waits for it.
func (h heddleSystem) inside(f func(c *taskgraph.Context) error) error {
	return h.sys.WaitUntilTasksComplete(context.Background(), h.sys.Task(taskgraph.Run(f)).Launch())
}

// heddleGraph runs a Graph, and builds a new one in the memory of the old.
type heddleGraph struct {
	heddleSystem
	builder taskgraph.GraphBuilder
	graph   *taskgraph.Graph
	tasks   []taskgraph.GraphTask
}

func newHeddleGraph(workers int) (grapher, error) {
	return &heddleGraph{heddleSystem: startHeddle(workers)}, nil
}

func (h *heddleGraph) build(g *shape, body func(i int) func()) (err error) {
	b := &h.builder
	b.Reset(h.graph)
	b.Grow(g.len(), g.edges)
	h.tasks = h.tasks[:0]
	for i, preds := range g.preds {
		t := b.Task(taskgraph.Do(body(i)))
		for _, p := range preds {
			t.After(h.tasks[p])
		}
		h.tasks = append(h.tasks, t)
	}
	h.graph, err = b.Build()
	return err
}

func (h *heddleGraph) run() error {
	return h.sys.WaitUntilTasksComplete(context.Background(), h.sys.LaunchGraph(h.graph))
}

// inside has the loop run as a task.
func (h *heddleGraph) inside(loop func(run func() error) error) error {
	return h.heddleSystem.inside(func(c *taskgraph.Context) error {
		return loop(func() error { return c.Wait(c.LaunchGraph(h.graph)) })
	})
}

// heddleTasksGraph launches single tasks with an event each, from inside a task.
type heddleTasksGraph struct {
	heddleSystem
	shape  *shape
	body   func(i int) func()
	events []taskgraph.Event
}

func newHeddleTasks(workers int) (grapher, error) {
	return &heddleTasksGraph{heddleSystem: startHeddle(workers)}, nil
}

func (h *heddleTasksGraph) build(g *shape, body func(i int) func()) error {
	h.shape, h.body = g, body
	if len(h.events) != g.len() {
		h.events = make([]taskgraph.Event, g.len())
	}
	return nil
}

func (h *heddleTasksGraph) run() error {
	return h.inside(func(c *taskgraph.Context) error {
		for i, preds := range h.shape.preds {
			t := c.Task(taskgraph.Do(h.body(i)))
			for _, p := range preds {
				t.After(h.events[p])
			}
			h.events[i] = t.Launch()
		}
		return c.WaitUntilTasksComplete(context.Background(), h.events...)
	})
}
