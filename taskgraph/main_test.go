package taskgraph_test

import (
	"context"
	"os"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/heddle-go/heddle/taskgraph"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var bg = context.Background()

// hangLimit is far longer than any test takes: what reaches it hangs.
const hangLimit = 30 * time.Second

// start starts a system that is shut down without an error at the end of the test, and makes
// a hang of the test a failure that shows all stacks.
func start(t testing.TB, o taskgraph.Options) *taskgraph.System {
	t.Helper()
	guard(t)
	s := taskgraph.Start(o)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(bg, hangLimit)
		defer cancel()
		require.NoError(t, s.Shutdown(ctx))
	})
	return s
}

// guard ends the process with all stacks if the test hangs.
func guard(t testing.TB) {
	if _, bench := t.(*testing.B); bench {
		return
	}
	w := time.AfterFunc(2*hangLimit, func() {
		buf := make([]byte, 1<<20)
		os.Stderr.Write(buf[:runtime.Stack(buf, true)])
		panic(t.Name() + " hangs")
	})
	t.Cleanup(func() { w.Stop() })
}

// wait waits for events and requires that they succeeded.
func wait(t testing.TB, s *taskgraph.System, events ...taskgraph.Event) {
	t.Helper()
	require.NoError(t, s.WaitUntilTasksComplete(bg, events...))
}

// run runs f as a task on s and requires that it succeeds.
func run(t testing.TB, s *taskgraph.System, f func(c *taskgraph.Context) error) {
	t.Helper()
	wait(t, s, s.Task(taskgraph.Run(f)).Launch())
}

// occupy makes all workers but free of them busy until the returned function is called.
func occupy(t testing.TB, s *taskgraph.System, workers int) (release func()) {
	t.Helper()
	gate := make(chan struct{})
	var in sync.WaitGroup
	in.Add(workers)
	for range workers {
		s.Go(func() { in.Done(); <-gate })
	}
	in.Wait()
	return sync.OnceFunc(func() { close(gate) })
}
