package future

import (
	"context"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/taskgraph"
)

// A Future is a task that yields a value. Make one with [Go] or [Task]. The value lives as long as
// the Future, whether anybody asks for it or not.
//
// Any number of goroutines may call its methods, any number of times. The end of the task
// synchronizes before the return of Get.
type Future[T any] struct {
	sys   *taskgraph.System
	ev    taskgraph.Event
	value T    // written by the body
	ok    bool // there is one
}

// Go launches a task that calls f, and returns its Future. It makes the garbage of the Future and
// of a closure. It panics if f is nil.
func Go[T any](l taskgraph.Launcher, f func(c *taskgraph.Context) (T, error)) *Future[T] {
	t, fut := Task(l, f)
	t.Launch()
	return fut
}

// Task begins a task that calls f, and returns it with its Future: for one that has prerequisites,
// say, or runs on a certain thread. It panics if f is nil.
func Task[T any](l taskgraph.Launcher,
	f func(c *taskgraph.Context) (T, error)) (taskgraph.Task, *Future[T]) {
	if f == nil {
		panic("future: a nil function")
	}
	fut := &Future[T]{sys: systemOf(l)}
	t := l.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		v, err := f(c)
		if err == nil {
			fut.value, fut.ok = v, true
		}
		return err
	}))
	fut.ev = t.Event()
	return t, fut
}

// systemOf returns the system that l begins tasks of.
func systemOf(l taskgraph.Launcher) *taskgraph.System {
	switch l := l.(type) {
	case *taskgraph.System:
		return l
	case interface{ System() *taskgraph.System }:
		return l.System()
	}
	panic("future: a Launcher that is no System and does not name one")
}

// Event returns the event of the task. It can be a prerequisite; what runs after it finds the value
// without waiting.
func (f *Future[T]) Event() taskgraph.Event { return f.ev }

// Get waits until the task is complete, and returns its value; or its failure, or the cause of
// ctx's end, if that comes first. A failure so old that the system has forgotten it is
// graphevent.ErrForgotten.
//
// A body gives its Context as ctx: then the wait is that of the Context, which lets the worker do
// other tasks. With any other ctx it is System.WaitUntilTasksComplete.
func (f *Future[T]) Get(ctx context.Context) (T, error) {
	var err error
	if c, ok := ctx.(*taskgraph.Context); ok && c.System() == f.sys {
		err = c.Wait(f.ev)
	} else {
		err = f.sys.WaitUntilTasksComplete(ctx, f.ev)
	}
	if err == nil && !f.ok {
		err = graphevent.ErrForgotten // longer ago than the event remembers
	}
	if err != nil {
		var zero T
		return zero, err
	}
	return f.value, nil
}
