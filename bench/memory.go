package main

import "github.com/heddle-go/heddle/taskgraph"

// goroutineMemory has goroutines wait at a channel.
func goroutineMemory(n int) (release func() error, err error) {
	gate, done := make(chan struct{}), make(chan struct{}, 1024)
	for range n {
		go func() { <-gate; done <- struct{}{} }()
	}
	return func() error {
		close(gate)
		for range n {
			<-done
		}
		return nil
	}, nil
}

// tasksMemory has launched tasks wait for an event.
func tasksMemory(n int) (release func() error, err error) {
	h := startHeddle(idleWorkers)
	gate := h.sys.NewEvent()
	body := taskgraph.Do(nothing)
	for range n {
		h.sys.Task(body).After(gate).Launch()
	}
	return func() error { gate.Trigger(); return h.close() }, nil
}

// The memory of a graph is that of tasks with this many predecessors each.
const memoryPreds = 3

// memoryShape is a graph of so many tasks.
func memoryShape(n int) *shape {
	preds := make([][]uint32, n)
	for i := range preds {
		for k := 1; k <= min(i, memoryPreds); k++ {
			preds[i] = append(preds[i], uint32(i-k))
		}
	}
	return newShape("memory", preds)
}

// graphMemory has a built Graph wait to be run. What only serves to build is not counted.
func graphMemory(n int) (release func() error, err error) {
	h := &heddleGraph{heddleSystem: startHeddle(idleWorkers)}
	if err := h.build(memoryShape(n), empty); err != nil {
		return nil, err
	}
	h.tasks, h.builder = nil, taskgraph.GraphBuilder{}
	return func() error {
		if err := h.run(); err != nil {
			return err
		}
		return h.close()
	}, nil
}

func taskflowMemory(n int) (release func() error, err error) {
	with, err := newTaskflowGraph(idleWorkers)
	if err != nil {
		return nil, err
	}
	if err := with.build(memoryShape(n), empty); err != nil {
		return nil, err
	}
	return func() error {
		if err := with.run(); err != nil {
			return err
		}
		return with.close()
	}, nil
}
