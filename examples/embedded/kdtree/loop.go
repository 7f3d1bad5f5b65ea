package kdtree

import (
	"context"
	"errors"

	"github.com/heddle-go/heddle/taskgraph"
	"github.com/heddle-go/heddle/taskgraph/parallel"
)

// errEnded ends a loop whose context has ended.
var errEnded = errors.New("kdtree: context ended")

// loop calls f for each number below n: on a system, or alone. It is the one place that knows
// which.
func loop(ctx context.Context, on parallel.Launcher, n int, f func(i int)) error {
	// A Context of a body is for the goroutine of that; its channel is for all.
	done := ctx.Done()
	body := func(_ *taskgraph.Participant, lo, hi int) error {
		for i := lo; i < hi; i++ {
			select {
			case <-done:
				return errEnded
			default:
				f(i)
			}
		}
		return nil
	}
	var err error
	if on == nil {
		err = body(nil, 0, n)
	} else {
		err = on.RunLoop(taskgraph.Loop{N: n, Body: body})
	}
	if errors.Is(err, errEnded) {
		return context.Cause(ctx)
	}
	return err
}
