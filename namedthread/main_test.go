package namedthread_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	_ "github.com/heddle-go/heddle/internal/dev/seed"
	_ "github.com/heddle-go/heddle/internal/dev/short"
	"github.com/heddle-go/heddle/namedthread"
	"github.com/heddle-go/heddle/stress/watch"
)

func TestMain(m *testing.M) {
	if os.Getenv(mainSign) != "" {
		os.Exit(mainProgram())
	}
	watch.Main(m, runtimeEvents)
}

// runtimeEvents is the goroutine that the runtime keeps for events on js.
var runtimeEvents = goleak.IgnoreAnyFunction("runtime.handleEvent")

// A job is work that sees its thread and its token.
type job func(t *namedthread.Thread, token uint64)

func (j job) RunOn(t *namedthread.Thread, token uint64) { j(t, token) }

// A cancelJob is a job that is told when it is cancelled.
type cancelJob struct{ run, cancel job }

func (j cancelJob) RunOn(t *namedthread.Thread, token uint64)    { j.run(t, token) }
func (j cancelJob) CancelOn(t *namedthread.Thread, token uint64) { j.cancel(t, token) }

// attach makes the test's goroutine a thread for the rest of the test.
func attach(t *testing.T) *namedthread.Thread {
	t.Helper()
	th, err := namedthread.NewRegistry().Attach("Game", namedthread.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { // may have been detached by the test, or hold work that it left
		require.NotErrorIs(t, th.Detach(), namedthread.ErrReentered)
	})
	return th
}

// start makes a thread that is stopped at the end of the test.
func start(t *testing.T, o namedthread.Options) *namedthread.Thread {
	t.Helper()
	th, err := namedthread.NewRegistry().Start("Render", o)
	require.NoError(t, err)
	t.Cleanup(func() {
		th.Quit()
		<-th.Done()
	})
	return th
}

// post posts to the main queue with normal priority.
func post(t require.TestingT, th *namedthread.Thread, r namedthread.Runnable) {
	require.NoError(t, th.Post(namedthread.QueueMain, namedthread.PriorityNormal, r, 0))
}

// ask runs f on a started thread and waits until it is done.
func ask(t require.TestingT, th *namedthread.Thread, f func()) {
	done := make(chan struct{})
	post(t, th, namedthread.Func(func() { defer close(done); f() }))
	<-done
}
