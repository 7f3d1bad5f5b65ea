package stress_test

import (
	"context"
	"errors"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/internal/atomics"
	"github.com/heddle-go/heddle/namedthread"
	"github.com/heddle-go/heddle/taskgraph"
)

// testThreadWait runs a body on a named thread that waits for the event of a task, which
// becomes complete only after a task bound to that thread. late is called when the thread
// has looked for what it can run and waits: it must make that known, and the thread look
// again.
func testThreadWait(t *testing.T,
	late func(sys *taskgraph.System, th *namedthread.Thread, awaited taskgraph.Task)) {
	reg := namedthread.NewRegistry()
	th, err := reg.Start("thread", namedthread.Options{})
	require.NoError(t, err)
	defer func() {
		th.Quit()
		<-th.Done()
	}()
	sys := taskgraph.Start(taskgraph.Options{Workers: 2, Threads: reg})
	ctx, cancel := context.WithTimeout(context.Background(), hangAfter)
	defer cancel()

	awaited := sys.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		if late != nil {
			return nil
		}
		bound := c.Task(taskgraph.Do(func() {})).On(th).Launch()
		idle(th)
		c.DontCompleteUntil(bound)
		return nil
	}))
	waiting := sys.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		return c.WaitUntilTasksComplete(context.Background(), awaited.Event())
	})).On(th).Launch()
	for waiting.State().String() != "executing" {
		runtime.Gosched()
	}
	idle(th)
	if late != nil {
		late(sys, th, awaited)
	} else {
		awaited.Launch()
	}
	waited := sys.WaitUntilTasksComplete(ctx, waiting)
	require.NoError(t, errors.Join(waited, sys.Shutdown(ctx)))
}

// idle gives th the time to look and to fall asleep: a thread that is asleep when it should
// not be is what the tests are about, and if it is still awake they test less.
func idle(*namedthread.Thread) {
	for start := atomics.Now(); atomics.Now()-start < 5_000_000; {
		runtime.Gosched()
	}
}

// TestThreadWaitSeesLateHold: the awaited body makes its completion depend on a task of the
// waiting thread after that task was queued there.
func TestThreadWaitSeesLateHold(t *testing.T) { testThreadWait(t, nil) }

// TestThreadWaitSeesLatePrerequisite: the awaited task gets a prerequisite on the waiting
// thread after that was queued there.
func TestThreadWaitSeesLatePrerequisite(t *testing.T) {
	testThreadWait(t, func(sys *taskgraph.System, th *namedthread.Thread, awaited taskgraph.Task) {
		bound := sys.Task(taskgraph.Do(func() {})).On(th).Launch()
		idle(th)
		awaited.After(bound).Launch()
	})
}

// TestThreadWaitSeesLateGate: the same through a manual event.
func TestThreadWaitSeesLateGate(t *testing.T) {
	testThreadWait(t, func(sys *taskgraph.System, th *namedthread.Thread, awaited taskgraph.Task) {
		gate := sys.NewEvent()
		awaited.After(gate).Launch()
		bound := sys.Task(taskgraph.Do(func() {})).On(th).Launch()
		idle(th)
		gate.DontCompleteUntil(bound)
		gate.Trigger()
	})
}
