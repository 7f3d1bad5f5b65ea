package main

import (
	"context"
	"time"

	"github.com/heddle-go/heddle/taskgraph"
	"github.com/heddle-go/heddle/taskgraph/trace/profile"
)

// A scene is a program that is slow for one reason.
type scene struct {
	name  string
	about string
	run   func(ctx context.Context, x *stage) error
	says  func(r *profile.Report, mended bool) string // what a profile of a form shows, in words
}

// A stage is what a scene is played on.
type stage struct {
	sys    *taskgraph.System
	mended bool

	// work computes for some units, in a body. Tests count units in place of time.
	work func(c *taskgraph.Context, units int)

	beat time.Duration // between two steps of a scene that has a beat
	idle func()        // called before each step of such a scene; or nil
	rest func()        // waits, in a body, outside the system's view; nil: for 20 ms
}

const (
	unit = 100 * time.Microsecond
	beat = 4 * time.Millisecond
)

// spin computes for the time of some units.
func spin(_ *taskgraph.Context, units int) {
	for began := time.Now(); time.Since(began) < time.Duration(units)*unit; {
	}
}

// task makes a task that computes for some units.
func (x *stage) task(name string, units int) taskgraph.Task {
	return x.sys.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		x.work(c, units)
		return nil
	})).Name(name)
}
