package main

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/taskgraph"
)

// graph builds the shape, of tasks that call body with their number, or do nothing if it is nil.
func (g graphShape) graph(body func(i int)) (*taskgraph.Graph, error) {
	var b taskgraph.GraphBuilder
	tasks := make([]taskgraph.GraphTask, len(g.preds))
	for i, preds := range g.preds {
		if body == nil {
			tasks[i] = b.Task(empty)
		} else {
			tasks[i] = b.Task(taskgraph.Do(func() { body(i) }))
		}
		for _, p := range preds {
			tasks[i].After(tasks[p])
		}
	}
	return b.Build()
}

// verify runs the shape once and checks that each task ran once, after its predecessors.
func (g graphShape) verify(s *taskgraph.System) error {
	ran := make([]atomics.Bool, len(g.preds))
	var wrong atomics.Int32
	graph, err := g.graph(func(i int) {
		for _, p := range g.preds[i] {
			if !ran[p].Load() {
				wrong.Add(1)
			}
		}
		if ran[i].Swap(true) {
			wrong.Add(1)
		}
	})
	if err != nil {
		return err
	}
	if err := s.WaitUntilTasksComplete(context.Background(), s.LaunchGraph(graph)); err != nil {
		return err
	}
	for i := range ran {
		if !ran[i].Load() {
			return fmt.Errorf("task %d did not run", i)
		}
	}
	if n := wrong.Load(); n > 0 {
		return fmt.Errorf("%d tasks ran twice or before a predecessor", n)
	}
	return nil
}

func (g graphShape) rerun(s *taskgraph.System) (func() error, int, func() error) {
	graph, err := g.graph(nil)
	return func() error {
		return errors.Join(err, s.WaitUntilTasksComplete(context.Background(), s.LaunchGraph(graph)))
	}, len(g.preds), func() error { return g.verify(s) }
}

func (g graphShape) build(s *taskgraph.System) (func() error, int, func() error) {
	return func() error {
		graph, err := g.graph(nil)
		return errors.Join(err, s.WaitUntilTasksComplete(context.Background(), s.LaunchGraph(graph)))
	}, len(g.preds), nil
}

// launch builds the shape of single tasks, each with an event of its own, from inside a task.
func (g graphShape) launch(s *taskgraph.System) (func() error, int, func() error) {
	events := make([]taskgraph.Event, len(g.preds))
	body := taskgraph.Run(func(c *taskgraph.Context) error {
		for i, preds := range g.preds {
			t := c.Task(empty)
			for _, p := range preds {
				t.After(events[p])
			}
			events[i] = t.Launch()
		}
		return c.WaitUntilTasksComplete(context.Background(), events...)
	})
	return func() error {
		return s.WaitUntilTasksComplete(context.Background(), s.Task(body).Launch())
	}, len(g.preds), nil
}

// counters is what one writes by hand: a counter for each task, and a goroutine for each that
// becomes ready beside another one.
func (g graphShape) counters() (func() error, int, func() error) {
	n := len(g.preds)
	succs := make([][]uint32, n)
	for i, preds := range g.preds {
		for _, p := range preds {
			succs[p] = append(succs[p], uint32(i))
		}
	}
	left := make([]atomics.Int32, n)
	var wg sync.WaitGroup
	body := func(uint32) {}
	var run func(i uint32)
	run = func(i uint32) {
		for {
			body(i)
			next, more := uint32(0), false
			for _, t := range succs[i] {
				if left[t].Add(-1) > 0 {
					continue
				}
				if !more {
					next, more = t, true
				} else {
					go run(t)
				}
			}
			wg.Done()
			if !more {
				return
			}
			i = next
		}
	}
	pass := func() error {
		wg.Add(n)
		for i, preds := range g.preds {
			left[i].Store(int32(len(preds)))
		}
		for i, preds := range g.preds {
			if len(preds) == 0 {
				go run(uint32(i))
			}
		}
		wg.Wait()
		return nil
	}
	return pass, n, func() error {
		var ran atomics.Int64
		body = func(uint32) { ran.Add(1) }
		if err := pass(); err != nil {
			return err
		}
		if ran.Load() != int64(n) {
			return fmt.Errorf("%d tasks ran of %d", ran.Load(), n)
		}
		return nil
	}
}

// channels is the textbook way: a goroutine for each task that waits for the channel of each
// predecessor and closes its own.
func (g graphShape) channels() (func() error, int, func() error) {
	n := len(g.preds)
	return func() error {
		done := make([]chan struct{}, n)
		var wg sync.WaitGroup
		wg.Add(n)
		for i, preds := range g.preds {
			done[i] = make(chan struct{})
			go func() {
				for _, p := range preds {
					<-done[p]
				}
				close(done[i])
				wg.Done()
			}()
		}
		wg.Wait()
		return nil
	}, n, nil
}
