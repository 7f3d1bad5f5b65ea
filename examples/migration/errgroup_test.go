package migration

import (
	"context"
	"errors"
	"fmt"

	"github.com/heddle-go/heddle/taskgraph"
	"golang.org/x/sync/errgroup"
)

var errBad = errors.New("bad")

// check fails for one of its numbers.
func check(i int) error {
	if i == 3 {
		return errBad
	}
	return nil
}

// checkUnless is check for what may end early.
func checkUnless(ctx context.Context, i int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return check(i)
}

func Example_errgroupLoop() {
	var g errgroup.Group
	g.SetLimit(4)
	for i := range 10 {
		g.Go(func() error { return check(i) })
	}
	fmt.Println(g.Wait())
	// Output: bad
}

func Example_heddleLoop() {
	sys := taskgraph.Start(taskgraph.Options{})
	err := sys.RunLoop(taskgraph.Loop{
		N: 10, Grain: 1, Unbalanced: true, Limit: 4,
		Body: func(_ *taskgraph.Participant, lo, hi int) error { return check(lo) },
	})
	fmt.Println(err)
	fmt.Println(sys.Shutdown(context.Background()))
	// Output:
	// bad
	// <nil>
}

func Example_errgroupContext() {
	ctx := context.Background()
	g, ctx := errgroup.WithContext(ctx)
	for i := range 10 {
		g.Go(func() error { return checkUnless(ctx, i) })
	}
	fmt.Println(g.Wait())
	// Output: bad
}

func Example_heddleContext() {
	ctx, sys := context.Background(), taskgraph.Start(taskgraph.Options{})
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var events []taskgraph.Event
	for i := range 10 {
		t := sys.Task(taskgraph.Run(func(c *taskgraph.Context) error {
			err := checkUnless(c, i)
			if err != nil {
				cancel(err)
			}
			return err
		}))
		events = append(events, t.Context(ctx).Launch())
	}
	_ = sys.WaitUntilTasksComplete(context.Background(), events...)
	fmt.Println(context.Cause(ctx))
	fmt.Println(sys.Shutdown(context.Background()))
	// Output:
	// bad
	// <nil>
}
