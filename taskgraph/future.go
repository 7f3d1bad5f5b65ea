package taskgraph

import (
	"context"

	"github.com/heddle-go/heddle/graphevent"
)

// A Launcher begins tasks: a [System], or the [Context] of a body.
type Launcher interface {
	// Task begins a task that runs b, and is held until its Launch.
	Task(b Body) Task
}

var (
	_ Launcher = (*System)(nil)
	_ Launcher = (*Context)(nil)
)

// A Future is a task that yields a value. Make one with [Async] or [AsyncTask]. The value lives
// as long as the Future; nobody has to ask for it.
type Future[T any] struct {
	sys   *System
	ev    Event
	value T    // written by the body
	ok    bool // there is a value
}

// Async launches a task that calls f, and returns its Future. It makes the garbage of the Future
// and of a closure.
func Async[T any](l Launcher, f func(c *Context) (T, error)) *Future[T] {
	t, fut := AsyncTask(l, f)
	t.Launch()
	return fut
}

// AsyncTask begins a task that calls f, and returns it with its Future: for one that has
// prerequisites, say, or runs on a certain thread.
func AsyncTask[T any](l Launcher, f func(c *Context) (T, error)) (Task, *Future[T]) {
	if f == nil {
		panic("taskgraph: Async of a nil function")
	}
	fut := new(Future[T])
	t := l.Task(Run(func(c *Context) error {
		v, err := f(c)
		if err == nil {
			fut.value, fut.ok = v, true
		}
		return err
	}))
	fut.sys, fut.ev = t.sys, t.ev
	return t, fut
}

// Event returns the event of the task. It can be a prerequisite; what runs after it finds the
// value without waiting.
func (f *Future[T]) Event() Event { return f.ev }

// Get waits until the task is complete, and returns its value; or its failure, or the cause of
// ctx's end, if that comes first. Any number of goroutines may call it, any number of times.
//
// A body gives its [Context] as ctx: then the wait is [Context.WaitUntilTasksComplete], which
// takes no worker away. With any other ctx it is [System.WaitUntilTasksComplete].
func (f *Future[T]) Get(ctx context.Context) (T, error) {
	var err error
	if c, ok := ctx.(*Context); ok && c.r.sys == f.sys {
		err = c.WaitUntilTasksComplete(ctx, f.ev)
	} else {
		err = f.sys.WaitUntilTasksComplete(ctx, f.ev)
	}
	if err == nil && !f.ok {
		err = graphevent.ErrForgotten // the store has forgotten the failure
	}
	if err != nil {
		var zero T
		return zero, err
	}
	return f.value, nil
}
