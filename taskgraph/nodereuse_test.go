package taskgraph_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/taskgraph"
)

// TestEventsDoNotInheritNames: an event is not called by the name of a task that had its memory.
func TestEventsDoNotInheritNames(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 1})
	gate := s.NewEvent()
	var named, events []taskgraph.Event
	for range 100 {
		named = append(named, s.Task(taskgraph.Do(func() {})).Name("old").After(gate).Launch())
	}
	gate.Trigger()
	wait(t, s, named...)
	for range 500 {
		events = append(events, s.NewEvent())
	}
	for _, task := range s.Stuck().Tasks {
		require.False(t, strings.Contains(task.Name, "old"), task.Name)
	}
	for _, e := range events {
		e.Trigger()
	}
}

// TestGraphsAreFreeWhenTheyAreTakenBack: whoever finds that a graph does not run any more finds
// that it is of no system; the race detector sees if that is not so for a moment.
func TestGraphsAreFreeWhenTheyAreTakenBack(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 1})
	var b taskgraph.GraphBuilder
	b.Task(taskgraph.Do(func() {}))
	g := builtGraph(t, &b)
	for range 20 {
		require.True(t, s.TakeBack(g))
	}
}
