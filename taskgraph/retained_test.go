package taskgraph_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/namedthread"
	"github.com/heddle-go/heddle/taskgraph"
)

// Every launch has prerequisites and an outcome of its own.
func TestRetainedLaunches(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 2})
	n, no := 0, errors.New("no")
	r := taskgraph.Retain(taskgraph.Try(func() error {
		if n++; n == 3 {
			return no
		}
		return nil
	}))
	for i := range 6 {
		gate := s.NewEvent()
		e := r.Launch(s, gate)
		require.False(t, e.IsComplete())
		gate.Trigger()
		err := s.WaitUntilTasksComplete(bg, e)
		if i == 2 {
			require.ErrorIs(t, err, no)
		} else {
			require.NoError(t, err)
		}
	}
	require.Equal(t, 6, n)
}

func TestRetainedLaunchWhileIncomplete(t *testing.T) {
	s := start(t, taskgraph.Options{})
	r := taskgraph.Retain(taskgraph.Do(func() {})).Name("once")
	gate := s.NewEvent()
	e := r.Launch(s, gate)
	for what, f := range map[string]func(){
		"Launch": func() { r.Launch(s) }, "Task": func() { r.Task(s) }, "Name": func() {
			r.Name("x")
		},
		"Priority": func() { r.Priority(taskgraph.PriorityHigh) }, "On": func() { r.On(nil) },
	} {
		require.PanicsWithValue(t, "taskgraph: "+what+" of a retained task that has not completed",
			f)
	}
	gate.Trigger()
	wait(t, s, e)
	wait(t, s, r.Launch(s))
	require.PanicsWithValue(t, "taskgraph: Retain of a zero Body", func() {
		taskgraph.Retain(taskgraph.Body{})
	})
	require.PanicsWithValue(t, "taskgraph: Priority out of range", func() { r.Priority(200) })
}

// Name, priority and thread hold for every launch.
func TestRetainedProperties(t *testing.T) {
	threads := namedthread.NewRegistry()
	th, err := threads.Start("Retained", namedthread.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { th.Quit(); <-th.Done() })
	var names []string
	s := startUnwatched(t, taskgraph.Options{Threads: threads, Workers: 1,
		OnFailure: func(name string, _ error) { names = append(names, name) }})
	var on []*namedthread.Thread
	r := taskgraph.Retain(taskgraph.Run(func(c *taskgraph.Context) error {
		on = append(on, c.Thread())
		return errors.New("no")
	})).Name("keep").On(th)
	require.Error(t, s.WaitUntilTasksComplete(bg, r.Launch(s)))
	require.Error(t, s.WaitUntilTasksComplete(bg, r.Launch(s)))
	require.Error(t, s.WaitUntilTasksComplete(bg, r.On(nil).Name("moved").Launch(s)))
	require.Equal(t, []*namedthread.Thread{th, th, nil}, on)
	require.Equal(t, []string{`task "keep"`, `task "keep"`, `task "moved"`}, names)

	var order []string
	low := taskgraph.Retain(taskgraph.Do(func() {
		order = append(order,
			"low")
	})).Priority(taskgraph.PriorityBackgroundLow)
	high := taskgraph.Retain(taskgraph.Do(func() {
		order = append(order,
			"high")
	})).Priority(taskgraph.PriorityHigh)
	for range 2 {
		order = nil
		var a, b taskgraph.Event
		run(t, s, func(c *taskgraph.Context) error {
			a, b = low.Launch(c), high.Launch(c)
			return nil
		})
		wait(t, s, a, b)
		require.Equal(t, []string{"high", "low"}, order)
	}
}

// A launch that is held has its event before, and can be waited for.
func TestRetainedHeld(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 2})
	var order []string
	first := taskgraph.Retain(taskgraph.Do(func() { order = append(order, "first") })).Name("first")
	second := taskgraph.Retain(taskgraph.Do(func() { order = append(order, "second") }))
	for range 3 {
		order = nil
		held := first.Task(s)
		require.Panics(t, func() { first.Launch(s) }, "it has begun")
		e := second.Launch(s, held.Event())
		require.False(t, e.IsComplete())
		held.Launch()
		wait(t, s, e)
		require.Equal(t, []string{"first", "second"}, order)
	}
}

func TestRetainedAllocations(t *testing.T) {
	s := start(t, taskgraph.Options{Workers: 1})
	a := taskgraph.Retain(taskgraph.Do(func() {})).Name("a")
	b := taskgraph.Retain(taskgraph.Do(func() {})).Name("b").Priority(taskgraph.PriorityHigh)
	launch := func() {
		if err := s.WaitUntilTasksComplete(bg, b.Launch(s, a.Launch(s))); err != nil {
			t.Error(err)
		}
	}
	for range 2000 { // until every node in circulation has been used
		launch()
	}
	require.Less(t, testing.AllocsPerRun(2000, launch), 1.0)
}

// The tasks of a frame are built once.
func ExampleRetained() {
	ctx := context.Background()
	sys := taskgraph.Start(taskgraph.Options{})
	defer sys.Shutdown(ctx)

	frame := 0
	move := taskgraph.Retain(taskgraph.Do(func() { frame++ })).Name("move")
	draw := taskgraph.Retain(taskgraph.Do(func() { fmt.Println("frame", frame) })).Name("draw")
	for range 3 {
		if err := sys.WaitUntilTasksComplete(ctx, draw.Launch(sys, move.Launch(sys))); err != nil {
			fmt.Println(err)
		}
	}
	// Output:
	// frame 1
	// frame 2
	// frame 3
}
