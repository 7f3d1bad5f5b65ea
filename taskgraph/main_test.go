package taskgraph_test

import (
	"context"
	"flag"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	_ "github.com/heddle-go/heddle/internal/dev/seed"
	_ "github.com/heddle-go/heddle/internal/dev/short"
	"github.com/heddle-go/heddle/stress/watch"
	"github.com/heddle-go/heddle/taskgraph"
)

func TestMain(m *testing.M) {
	if flag.Parse(); testing.Short() {
		fewSteps()
	}
	// On js the runtime keeps a goroutine of its own for events.
	watch.Main(m, goleak.IgnoreAnyFunction("runtime.handleEvent"))
}

var bg = context.Background()

// hangLimit is far longer than any test takes: what reaches it hangs.
const hangLimit = 3 * time.Minute

// start starts a system that is shut down without an error at the end of the test, and makes
// a hang of the test a failure that shows all stacks and what is stuck.
func start(t testing.TB, o taskgraph.Options) *taskgraph.System {
	t.Helper()
	s := taskgraph.Start(o)
	if _, bench := t.(*testing.B); !bench {
		t.Cleanup(watch.Hangs(0, t.Name(), s)) // the threads of a test may end later than this
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(bg, hangLimit)
		defer cancel()
		require.NoError(t, s.Shutdown(ctx))
	})
	return s
}

// startUnwatched is start for a test of what so many workers do and no others, as when it is told
// in which order one worker takes what is queued. Otherwise the monitor adds a worker wherever it
// sees that one blocks: where the test occupies it, and anywhere if the machine is busy enough.
func startUnwatched(t testing.TB, o taskgraph.Options) *taskgraph.System {
	t.Helper()
	s := start(t, o)
	if o.Deterministic == nil { // which has no monitor
		s.LeaveUnwatched()
	}
	return s
}

// needsTwoPs skips a test of what two workers do at the same time, which with one P only one does.
func needsTwoPs(t testing.TB) {
	t.Helper()
	if runtime.GOMAXPROCS(0) < 2 {
		t.Skip("with one P no two workers run at the same time")
	}
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

// brief returns how often a test does something: as long says, or in short form as short does.
func brief(long, short int) int {
	if testing.Short() {
		return short
	}
	return long
}

// guard watches a test that starts no system by start.
func guard(t testing.TB) { watch.Test(t) }
