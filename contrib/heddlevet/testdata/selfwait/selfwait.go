package selfwait

import (
	"context"

	"github.com/heddle-go/heddle/taskgraph"
)

func byContext(sys *taskgraph.System, other taskgraph.Event) {
	sys.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		if err := c.Wait(c.Event()); err != nil { // want `waits for its own`
			return err
		}
		return c.Wait(other, c.Event()) // want `waits for its own`
	})).Launch()
	sys.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		c.DontCompleteUntil(c.Event(), other)                         // want `panics`
		return c.System().WaitUntilTasksComplete(c, other, c.Event()) // want `waits for its own`
	})).Launch()
}

func byVariable(ctx context.Context, sys *taskgraph.System) error {
	var e taskgraph.Event
	e = sys.Go(func() {
		sys.WaitUntilTasksComplete(ctx, e) // want `waits for its own`
	})
	return sys.WaitUntilTasksComplete(ctx, e)
}

func byMethod(ctx context.Context, sys *taskgraph.System) {
	var e taskgraph.Event
	e = sys.Go(func() {
		e.Wait(ctx) // want `waits for its own`
	})
}

func byTask(sys *taskgraph.System) {
	var t taskgraph.Task
	t = sys.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		return c.Wait(t.Event()) // want `waits for its own`
	}))
	t.Launch()
}

func unused(ctx context.Context, sys *taskgraph.System) {
	var e taskgraph.Event
	e = sys.Go(func() {
		sys.WaitUntilTasksComplete(ctx, e) // want `waits for its own`
	})
}

func deferred(sys *taskgraph.System) {
	sys.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		defer func() {
			c.Wait(c.Event()) // want `waits for its own`
		}()
		return nil
	})).Launch()
}

func ofGroup(ctx context.Context, sys *taskgraph.System) error {
	g := sys.NewGroup()
	g.Go(sys, func() {
		g.Wait(ctx) // want `a call of group g waits for the group`
	})
	return g.Wait(ctx)
}

// What follows is right.

func others(ctx context.Context, sys *taskgraph.System) error {
	first := sys.Go(func() {})
	e := sys.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		return c.Wait(first)
	})).Launch()
	return sys.WaitUntilTasksComplete(ctx, e)
}

func child(sys *taskgraph.System) {
	sys.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		parent := c.Event()
		c.Task(taskgraph.Run(func(child *taskgraph.Context) error {
			return child.Wait(parent)
		})).Launch()
		go func() { _ = parent.Wait(context.Background()) }()
		return nil
	})).Launch()
}

// One variable for several tasks: which one it holds when the body runs cannot be seen.
func several(ctx context.Context, sys *taskgraph.System) {
	var e taskgraph.Event
	e = sys.Go(func() {})
	before := e
	e = sys.Go(func() { _ = sys.WaitUntilTasksComplete(ctx, before) })
	e = sys.Go(func() { _ = sys.WaitUntilTasksComplete(ctx, e) })
}

func twoGroups(ctx context.Context, sys *taskgraph.System) error {
	outer, inner := sys.NewGroup(), sys.NewGroup()
	outer.Go(sys, func() {
		inner.Go(sys, func() {})
		_ = inner.Wait(ctx)
	})
	return outer.Wait(ctx)
}
