package main

import (
	"context"

	"github.com/heddle-go/heddle/taskgraph"
)

// heddleInside makes calls in a Group.
func heddleInside(workers int) (spawner, error) {
	h := startHeddle(workers)
	group := h.sys.NewGroup()
	return spawner{
		spawn: func(n int, f func()) error {
			return h.inside(func(c *taskgraph.Context) error {
				for range n {
					group.Go(c, f)
				}
				return group.Wait(c)
			})
		},
		close: h.close,
	}, nil
}

func heddleOutside(workers int) (spawner, error) {
	h := startHeddle(workers)
	group := h.sys.NewGroup()
	return spawner{
		spawn: func(n int, f func()) error {
			for range n {
				group.Go(h.sys, f)
			}
			return group.Wait(context.Background())
		},
		close: h.close,
	}, nil
}

// heddleTasksInside launches tasks with an event each.
func heddleTasksInside(workers int) (spawner, error) {
	h := startHeddle(workers)
	var events []taskgraph.Event
	return spawner{
		spawn: func(n int, f func()) error {
			return h.inside(func(c *taskgraph.Context) error {
				events = events[:0]
				for range n {
					events = append(events, c.Spawn(taskgraph.Do(f)))
				}
				return c.WaitUntilTasksComplete(context.Background(), events...)
			})
		},
		close: h.close,
	}, nil
}

func heddleTasksOutside(workers int) (spawner, error) {
	h := startHeddle(workers)
	var events []taskgraph.Event
	return spawner{
		spawn: func(n int, f func()) error {
			events = events[:0]
			for range n {
				events = append(events, h.sys.Go(f))
			}
			return h.sys.WaitUntilTasksComplete(context.Background(), events...)
		},
		close: h.close,
	}, nil
}
