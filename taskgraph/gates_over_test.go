package taskgraph_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heddle-go/heddle/graphevent"
	"github.com/heddle-go/heddle/taskgraph"
)

// Who still builds a task that a shutdown has given up on may let it go through gates. It does not
// run, and the gates are free.
func TestGatesOfATaskThatIsOver(t *testing.T) {
	for _, before := range []bool{false, true} {
		s := taskgraph.Start(taskgraph.Options{Workers: 1})
		pipe, sem := s.NewPipe(), s.NewSemaphore(1)
		built := s.Task(taskgraph.Do(func() { t.Error("it runs") }))
		if before {
			built = built.Acquire(sem)
		}
		ctx, cancel := context.WithCancel(bg)
		cancel()
		require.ErrorAs(t, s.Shutdown(ctx), new(*taskgraph.StuckError))
		if !before {
			built = built.Acquire(sem)
		}
		e := built.In(pipe).Launch()
		require.True(t, e.IsComplete())
		require.ErrorIs(t, e.Err(), graphevent.ErrClosed)
		require.True(t, sem.TryAcquire())
		require.False(t, sem.TryAcquire(), "there is one unit")
	}
}
