package droppedfailure

import (
	"context"
	"errors"

	"github.com/heddle-go/heddle/taskgraph"
)

func load() error { return errors.New("no file") }

type job struct{}

func (job) Run(*taskgraph.Context) error { return load() }

func fromOutside(l taskgraph.Launcher, first taskgraph.Event) {
	l.Task(taskgraph.Try(load)).After(first).Launch() // want `nobody`
	_ = l.Task(taskgraph.RunJob(job{})).Launch()      // want `nobody`
}

func returning(ctx context.Context, sys *taskgraph.System) error {
	sys.Task(taskgraph.Try(load)).Launch() // want `nobody`
	return nil
}

func inBody(sys *taskgraph.System) taskgraph.Event {
	return sys.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		c.Task(taskgraph.Try(load)).Priority(taskgraph.PriorityHigh).Launch() // want `nobody`
		c.Spawn(taskgraph.Try(func() error {                                  // want `nobody`
			if err := load(); err != nil {
				return err
			}
			return nil
		}))
		return nil
	})).Launch()
}

// A Shutdown whose result is dropped sees nothing either.
func end(ctx context.Context, sys *taskgraph.System) {
	defer sys.Shutdown(ctx)
}

// What follows is right.

func seen(ctx context.Context, sys *taskgraph.System) error {
	return sys.WaitUntilTasksComplete(ctx, sys.Task(taskgraph.Try(load)).Launch())
}

func cannotFail(l taskgraph.Launcher) {
	l.Task(taskgraph.Do(func() {})).Launch()
	l.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		c.Go(func() { _ = func() error { return load() }() })
		return nil
	})).Launch()
}

func askedBefore(l taskgraph.Launcher) taskgraph.Event {
	t := l.Task(taskgraph.Try(load))
	t.Launch()
	return t.Event()
}

func nested(c *taskgraph.Context) {
	c.Nest(taskgraph.Try(load))
	c.DontCompleteUntil(c.Spawn(taskgraph.Try(load)))
}
