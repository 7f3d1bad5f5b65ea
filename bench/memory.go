package main

import (
	"context"
	"runtime"

	"github.com/heddle-go/heddle/taskgraph"
)

const liveEdges = 3 // at most, of a task of the graph

// memoryTable is what a million tasks take that have not run yet.
func memoryTable() *table {
	liveTasks := 1_000_000 / smaller
	t := &table{
		name: "task/memory", title: "memory of a million tasks that wait", reference: "goroutine at a channel",
		metrics: []metric{{"memory", "bytes/task"}},
	}
	t.rows = []row{
		weighed(liveTasks, "goroutine at a channel", func() (release func() error) {
			gate, ended := make(chan struct{}), make(chan struct{}, 1)
			done := make(chan struct{}, 1024)
			go func() {
				for range liveTasks {
					<-done
				}
				ended <- struct{}{}
			}()
			for range liveTasks {
				go func() { <-gate; done <- struct{}{} }()
			}
			return func() error { close(gate); <-ended; return nil }
		}),
		weighed(liveTasks, "Heddle, task after an event", func() (release func() error) {
			s := taskgraph.Start(taskgraph.Options{Workers: 2})
			gate := s.NewEvent()
			for range liveTasks {
				s.Task(empty).After(gate).Launch()
			}
			return func() error { gate.Trigger(); return s.Shutdown(context.Background()) }
		}),
		weighed(liveTasks, "Heddle, task in a chain", func() (release func() error) {
			s := taskgraph.Start(taskgraph.Options{Workers: 2})
			gate := s.NewEvent()
			e := gate
			for range liveTasks {
				e = s.Task(empty).After(e).Launch()
			}
			return func() error { gate.Trigger(); return s.Shutdown(context.Background()) }
		}),
		weighed(liveTasks, "Heddle, task of a Graph, 3 predecessors", func() (release func() error) {
			s := taskgraph.Start(taskgraph.Options{Workers: 2})
			var b taskgraph.GraphBuilder
			var before [liveEdges]taskgraph.GraphTask
			for i := range liveTasks {
				t := b.Task(empty)
				t.After(before[:min(i, liveEdges)]...)
				before[i%liveEdges] = t
			}
			g, err := b.Build()
			return func() error {
				if err != nil {
					return err
				}
				if err := s.WaitUntilTasksComplete(context.Background(), s.LaunchGraph(g)); err != nil {
					return err
				}
				return s.Shutdown(context.Background())
			}
		}),
	}
	return t
}

// weighed is a row for what fill leaves in memory until release is called.
func weighed(liveTasks int, name string, fill func() (release func() error)) row {
	return row{name: name, prepare: func(*session) (turn, error) {
		return func() ([]float64, error) {
			before := inUse()
			release := fill()
			after := inUse()
			err := release()
			return []float64{float64(after-before) / float64(liveTasks)}, err
		}, nil
	}}
}

// inUse returns the bytes of live objects and stacks.
func inUse() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc + m.StackInuse)
}
