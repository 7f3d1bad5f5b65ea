package main

import (
	"context"
	"fmt"
	"time"

	"github.com/heddle-go/heddle/taskgraph"
)

var scenes = []scene{
	{"late-wake", "steps begin late, because the worker that runs them is asleep", lateWake,
		saysLateWake},
	{"long-task", "a long task begins last", longTask, saysLongTask},
	{"false-dependency", "tasks wait for more than they need", falseDependency,
		saysFalseDependency},
	{"fine-tasks", "tasks are shorter than the time it takes to start one", fineTasks,
		saysFineTasks},
	{"blocked-body", "bodies wait for a disk and keep their workers", blockedBody,
		saysBlockedBody},
}

const beats = 25

// lateWake plays steps at a beat. The slow form sleeps, unknown to the system, and launches each
// step for a worker that is asleep. The mended form announces when the next step is due, and runs
// it on the goroutine that keeps the beat.
func lateWake(ctx context.Context, x *stage) error {
	step := taskgraph.Retain(taskgraph.Run(func(c *taskgraph.Context) error {
		x.work(c, 3)
		return nil
	})).Name("step")
	var b taskgraph.GraphBuilder
	b.Task(taskgraph.Run(func(c *taskgraph.Context) error {
		x.work(c, 3)
		return nil
	})).Name("step")
	g, err := b.Build()
	if err != nil {
		return err
	}
	at := time.Now()
	for range beats {
		at = at.Add(x.beat)
		if x.mended {
			if err := x.sys.SleepUntil(ctx, at); err != nil {
				return err
			}
			if err := x.sys.RunGraph(ctx, g); err != nil {
				return err
			}
			continue
		}
		time.Sleep(time.Until(at))
		if x.idle != nil {
			x.idle()
		}
		if err := x.sys.WaitUntilTasksComplete(ctx, step.Launch(x.sys)); err != nil {
			return err
		}
	}
	return ctx.Err()
}

const tiles = 12

// longTask has many short tasks and a long one. The slow form launches the long task last, at the
// same priority, so it begins when the others have. In the mended form it begins first.
func longTask(ctx context.Context, x *stage) error {
	var events []taskgraph.Event
	for range tiles {
		events = append(events, x.task("tile", 20).Launch())
	}
	long := x.task("bake", 120)
	if x.mended {
		long.Priority(taskgraph.PriorityHigh)
	}
	return x.sys.WaitUntilTasksComplete(ctx, append(events, long.Launch())...)
}

const parts = 6

// falseDependency loads parts and parses each. The slow form loads all parts before it parses the
// first one. In the mended form each part is parsed as soon as it is loaded.
func falseDependency(ctx context.Context, x *stage) error {
	var loads, parses []taskgraph.Event
	for i := range parts {
		units := 5
		if i == 0 {
			units = 100
		}
		loads = append(loads, x.task(fmt.Sprintf("load %d", i), units).Launch())
	}
	for i := range parts {
		units := 20
		if i == 0 {
			units = 5
		}
		parse := x.task(fmt.Sprintf("parse %d", i), units)
		if x.mended {
			parse.After(loads[i])
		} else {
			parse.After(loads...)
		}
		parses = append(parses, parse.Launch())
	}
	return x.sys.WaitUntilTasksComplete(ctx, parses...)
}

const (
	pixels = 8000
	grain  = 500
)

// fineTasks shades pixels. The slow form has a task for each pixel. The mended form has a loop,
// whose ranges the workers share.
func fineTasks(ctx context.Context, x *stage) error {
	image := make([]uint32, pixels)
	return x.sys.Run(ctx, taskgraph.Run(func(c *taskgraph.Context) error {
		if x.mended {
			return c.RunLoop(taskgraph.Loop{N: pixels, Grain: grain,
				Body: func(p *taskgraph.Participant, lo, hi int) error {
					for i := lo; i < hi; i++ {
						x.shade(p.Context(), image, i)
					}
					return nil
				}})
		}
		events := make([]taskgraph.Event, pixels)
		for i := range events {
			events[i] = c.Task(taskgraph.Run(func(c *taskgraph.Context) error {
				x.shade(c, image, i)
				return nil
			})).Launch()
		}
		return c.Wait(events...)
	}))
}

// shade computes a pixel, in much less than a unit.
func (x *stage) shade(c *taskgraph.Context, image []uint32, i int) {
	h := uint32(i) + 1
	for range 100 {
		h ^= h << 13
		h ^= h >> 17
		h ^= h << 5
	}
	image[i] = h
	x.work(c, 0)
}

const (
	fetches = 6
	draws   = 12
)

// blockedBody reads from a disk and draws. In the slow form a body that waits for the disk keeps
// its worker. In the mended form it declares the wait, and another worker stands in.
func blockedBody(ctx context.Context, x *stage) error {
	rest := x.rest
	if rest == nil {
		rest = func() { time.Sleep(20 * time.Millisecond) }
	}
	var events []taskgraph.Event
	for range fetches {
		events = append(events, x.sys.Task(taskgraph.Run(func(c *taskgraph.Context) error {
			if x.mended {
				c.Blocking(rest)
			} else {
				rest()
			}
			x.work(c, 2)
			return nil
		})).Name("fetch").Launch())
	}
	for range draws {
		events = append(events, x.task("draw", 40).Launch())
	}
	return x.sys.WaitUntilTasksComplete(ctx, events...)
}
